using CourseManagement.Courses;

namespace CourseManagement.Students;

/// <summary>A student and the courses taken.</summary>
/// <param name="Student">The student.</param>
/// <param name="Courses">The courses, in the order of subscribing.</param>
public sealed record StudentDetails(StudentOverview Student, IReadOnlyList<CourseOverview> Courses);
