using Opossum.Testing;
using Opossum.TestingTests.Examples;

namespace Opossum.TestingTests;

internal sealed record CourseOverview(string Course, int Free);

/// <summary>A projection, which may also be wrong: then its handler asks the clock.</summary>
internal sealed class CourseOverviews : Projection<CourseOverview>
{
    public CourseOverviews()
        : this(null)
    {
    }

    public CourseOverviews(TestClock? asked)
        : base("course-overviews")
    {
        On<CourseDefined>(e => e.Course, (_, e) => new CourseOverview(e.Course, e.Seats));
        On<StudentSubscribed>(e => e.Course, (course, _) => course! with { Free = course.Free - 1 - (asked?.GetUtcNow().Day ?? 0) });
    }
}
