using System.ComponentModel.DataAnnotations;

namespace CourseManagement.Courses;

/// <summary>Another number of seats. Nobody loses a seat: a course that has more students than seats is full.</summary>
/// <param name="Capacity">1 to 1,000.</param>
public sealed record ChangeCapacity([property: Range(1, Inputs.CapacityMax, ErrorMessage = Inputs.CapacityInWords)] int Capacity);
