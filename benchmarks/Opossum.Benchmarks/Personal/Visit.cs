namespace Opossum.Benchmarks.Personal;

/// <summary>The same without anything personal.</summary>
[EventType("patient-visited")]
internal sealed record Visit([property: Tag("patient")] string PatientId, string? Note, string Ward);
