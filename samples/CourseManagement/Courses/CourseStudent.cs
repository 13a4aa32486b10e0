namespace CourseManagement.Courses;

/// <summary>A student of a course.</summary>
/// <param name="StudentId">The student.</param>
/// <param name="Name">The student's name.</param>
public sealed record CourseStudent(string StudentId, string Name);
