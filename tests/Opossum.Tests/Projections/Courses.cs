namespace Opossum.Tests.Projections;

[EventType("course-defined")]
internal sealed record CourseDefined([property: Tag("course")] string CourseId, string Title, int Capacity);

[EventType("student-subscribed")]
internal sealed record StudentSubscribed([property: Tag("course")] string CourseId, [property: Tag("student")] string StudentId);

[EventType("course-cancelled")]
internal sealed record CourseCancelled([property: Tag("course")] string CourseId);

internal sealed record CourseOverview(string CourseId, string Title, int Capacity, int Subscribed);

internal sealed class CourseOverviews : Projection<CourseOverview>
{
    public CourseOverviews(int version = 1)
        : base("course-overviews", version)
    {
        On<CourseDefined>(e => e.CourseId,
            (_, e) => new CourseOverview(e.CourseId, version == 1 ? e.Title : $"{e.Title} (v{version})", e.Capacity, 0));
        On<StudentSubscribed>(e => e.CourseId, (course, e) => course! with { Subscribed = course.Subscribed + 1 });
        On<CourseCancelled>(e => e.CourseId, (_, _) => null);
        TagBy(course => [new Tag("full", course.Subscribed < course.Capacity ? "no" : "yes")]);
    }
}
