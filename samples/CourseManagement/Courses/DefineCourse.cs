using System.ComponentModel.DataAnnotations;

namespace CourseManagement.Courses;

/// <summary>A new course.</summary>
/// <param name="CourseId">The course's id in URLs: lowercase letters, digits and hyphens.</param>
/// <param name="Title">Its title.</param>
/// <param name="Capacity">Its seats, 1 to 1,000.</param>
public sealed record DefineCourse(
    [property: Required(ErrorMessage = Inputs.Needed), RegularExpression(Inputs.IdPattern, ErrorMessage = Inputs.IdInWords)] string CourseId,
    [property: Required(ErrorMessage = Inputs.Needed), StringLength(Inputs.NameLengthMax, ErrorMessage = Inputs.NameInWords)] string Title,
    [property: Range(1, Inputs.CapacityMax, ErrorMessage = Inputs.CapacityInWords)] int Capacity);
