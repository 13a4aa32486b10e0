using System.ComponentModel.DataAnnotations;

namespace CourseManagement.Courses;

/// <summary>A new number of seats. No student loses a seat: a course with more students than seats is full.</summary>
/// <param name="Capacity">1 to 1,000.</param>
public sealed record ChangeCapacity([property: Range(1, Inputs.CapacityMax, ErrorMessage = Inputs.CapacityInWords)] int Capacity);
