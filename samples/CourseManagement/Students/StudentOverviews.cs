using Opossum;

namespace CourseManagement.Students;

/// <summary>The read model for the list of students.</summary>
public sealed class StudentOverviews : Projection<StudentOverview>
{
    public StudentOverviews()
        : base("student-overviews")
    {
        On<StudentRegistered>(e => e.StudentId, StudentOverview.Next);
        On<StudentSubscribed>(e => e.StudentId, StudentOverview.Next);
        On<StudentUnsubscribed>(e => e.StudentId, StudentOverview.Next);
    }
}
