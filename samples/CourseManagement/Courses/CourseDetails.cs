using CourseManagement.Students;

namespace CourseManagement.Courses;

/// <summary>A course and its students.</summary>
/// <param name="Course">The course.</param>
/// <param name="Students">Its students, by name.</param>
public sealed record CourseDetails(CourseOverview Course, IReadOnlyList<StudentOverview> Students);
