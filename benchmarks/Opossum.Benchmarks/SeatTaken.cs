namespace Opossum.Benchmarks;

/// <summary>A seat of a course, by its number from 1.</summary>
[EventType("seat-taken")]
internal sealed record SeatTaken([property: Tag("course")] string Course, [property: Tag("student")] string Student, int Number);
