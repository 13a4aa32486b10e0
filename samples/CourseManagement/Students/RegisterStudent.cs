using System.ComponentModel.DataAnnotations;

namespace CourseManagement.Students;

/// <summary>A student to be.</summary>
/// <param name="StudentId">What the student is called in addresses: small letters, digits and hyphens.</param>
/// <param name="Name">The student's name.</param>
public sealed record RegisterStudent(
    [property: Display(Name = "Student id"), Required, RegularExpression(Inputs.IdPattern, ErrorMessage = Inputs.IdInWords)] string StudentId,
    [property: Required, StringLength(Inputs.NameLengthMax)] string Name);
