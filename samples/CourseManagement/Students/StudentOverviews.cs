using Opossum;

namespace CourseManagement.Students;

/// <summary>The read model for the list of students; the students of a course can be queried by tag.</summary>
public sealed class StudentOverviews : Projection<StudentOverview>
{
    public StudentOverviews()
        : base("student-overviews")
    {
        On<StudentRegistered>(e => e.StudentId, (_, e) => new StudentOverview(e.StudentId, e.Name, []));
        On<StudentSubscribed>(e => e.StudentId, (student, e) => student! with { CourseIds = student.CourseIds.Add(e.CourseId) });
        On<StudentUnsubscribed>(e => e.StudentId, (student, e) => student! with { CourseIds = student.CourseIds.Remove(e.CourseId) });
        TagBy(student => student.CourseIds.Select(In));
    }

    public static Tag In(string courseId) => new("course", courseId);
}
