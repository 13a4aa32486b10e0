using System.Collections.Immutable;

namespace CourseManagement.Students;

/// <summary>A student in a list.</summary>
/// <param name="StudentId">The student.</param>
/// <param name="Name">The student's name.</param>
/// <param name="CourseIds">The courses that the student is subscribed to, in the order of subscribing.</param>
public sealed record StudentOverview(string StudentId, string Name, ImmutableArray<string> CourseIds);
