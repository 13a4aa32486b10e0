using System.Collections.Immutable;

namespace CourseManagement.Students;

/// <summary>A student in a list.</summary>
/// <param name="StudentId">The student.</param>
/// <param name="Name">The student's name.</param>
/// <param name="CourseIds">The courses that the student is subscribed to, in the order of subscribing.</param>
public sealed record StudentOverview(string StudentId, string Name, ImmutableArray<string> CourseIds)
{
    /// <summary>The student after one more of the student's events; null before the registration.</summary>
    internal static StudentOverview? Next(StudentOverview? student, object? e) => e switch
    {
        StudentRegistered registered => new StudentOverview(registered.StudentId, registered.Name, []),
        StudentSubscribed subscribed => student! with { CourseIds = student.CourseIds.Add(subscribed.CourseId) },
        StudentUnsubscribed unsubscribed => student! with { CourseIds = student.CourseIds.Remove(unsubscribed.CourseId) },
        _ => student,
    };
}
