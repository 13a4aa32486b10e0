namespace Opossum.Testing.Simulated;

/// <summary>How an operation fails after it has begun.</summary>
internal sealed record Failure(Exception Error, double ArrivingShare, bool DropsDirtyBytes);
