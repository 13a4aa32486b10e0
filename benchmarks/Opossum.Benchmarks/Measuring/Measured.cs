namespace Opossum.Benchmarks.Measuring;

/// <summary>The result of one contender.</summary>
/// <param name="Contender">Its name.</param>
/// <param name="Microseconds">Of one operation, a value a round.</param>
/// <param name="Flushes">Device flushes of one operation, the median of the rounds; null where the device is not known.</param>
internal sealed record Measured(string Contender, Distribution Microseconds, double? Flushes);
