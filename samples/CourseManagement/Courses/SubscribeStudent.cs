using System.ComponentModel.DataAnnotations;

namespace CourseManagement.Courses;

/// <summary>A request for a seat.</summary>
/// <param name="StudentId">A registered student.</param>
public sealed record SubscribeStudent([property: Required(ErrorMessage = Inputs.Needed)] string StudentId);
