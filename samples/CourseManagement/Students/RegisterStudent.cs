using System.ComponentModel.DataAnnotations;

namespace CourseManagement.Students;

/// <summary>A new student.</summary>
/// <param name="StudentId">The student's id in URLs: lowercase letters, digits and hyphens.</param>
/// <param name="Name">The student's name.</param>
public sealed record RegisterStudent(
    [property: Required(ErrorMessage = Inputs.Needed), RegularExpression(Inputs.IdPattern, ErrorMessage = Inputs.IdInWords)] string StudentId,
    [property: Required(ErrorMessage = Inputs.Needed), StringLength(Inputs.NameLengthMax, ErrorMessage = Inputs.NameInWords)] string Name);
