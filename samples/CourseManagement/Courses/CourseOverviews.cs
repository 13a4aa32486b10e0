using Opossum;

namespace CourseManagement.Courses;

/// <summary>The read model for the list of courses; full and other courses can be queried by tag.</summary>
public sealed class CourseOverviews : Projection<CourseOverview>
{
    public CourseOverviews()
        : base("course-overviews")
    {
        On<CourseDefined>(e => e.CourseId, CourseOverview.Next);
        On<CourseCapacityChanged>(e => e.CourseId, CourseOverview.Next);
        On<StudentSubscribed>(e => e.CourseId, CourseOverview.Next);
        On<StudentUnsubscribed>(e => e.CourseId, CourseOverview.Next);
        TagBy(course => [Full(course.IsFull)]);
    }

    public static Tag Full(bool isFull) => new("full", isFull ? "yes" : "no");
}
