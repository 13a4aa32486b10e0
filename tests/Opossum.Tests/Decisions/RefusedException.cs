namespace Opossum.Tests.Decisions;

/// <summary>A rule of the business says no.</summary>
internal sealed class RefusedException(string reason) : Exception(reason);
