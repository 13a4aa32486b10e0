namespace CourseManagement.Courses;

/// <summary>A course and its students, both as they were after the same event.</summary>
/// <param name="Position">The position of that event.</param>
/// <param name="Course">The course.</param>
/// <param name="Students">A page of its students, by name.</param>
public sealed record CourseDetails(long Position, CourseOverview Course, Page<CourseStudent> Students);
