using CourseManagement.Courses;

namespace CourseManagement.Students;

/// <summary>A student and the courses taken, both as they were after the same event.</summary>
/// <param name="Position">The position of that event.</param>
/// <param name="Student">The student.</param>
/// <param name="Courses">The courses, in the order of subscribing.</param>
public sealed record StudentDetails(long Position, StudentOverview Student, IReadOnlyList<CourseOverview> Courses);
