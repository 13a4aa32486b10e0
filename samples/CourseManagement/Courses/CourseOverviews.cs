using Opossum;

namespace CourseManagement.Courses;

/// <summary>The read model for the list of courses; full and other courses can be queried by tag.</summary>
public sealed class CourseOverviews : Projection<CourseOverview>
{
    public CourseOverviews()
        : base("course-overviews")
    {
        On<CourseDefined>(e => e.CourseId, (_, e) => new CourseOverview(e.CourseId, e.Title, e.Capacity, 0));
        On<CourseCapacityChanged>(e => e.CourseId, (course, e) => course! with { Capacity = e.Capacity });
        On<StudentSubscribed>(e => e.CourseId, (course, _) => course! with { Subscribed = course.Subscribed + 1 });
        On<StudentUnsubscribed>(e => e.CourseId, (course, _) => course! with { Subscribed = course.Subscribed - 1 });
        TagBy(course => [Full(course.IsFull)]);
    }

    public static Tag Full(bool isFull) => new("full", isFull ? "yes" : "no");
}
