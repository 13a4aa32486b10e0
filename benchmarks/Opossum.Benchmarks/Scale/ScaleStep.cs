using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Scale;

/// <summary>The store at one size.</summary>
/// <param name="Events">The number of events it holds.</param>
/// <param name="Concurrent">The time of an event, in microseconds, of those appended concurrently since the last step.</param>
/// <param name="Lone">The time of a lone append.</param>
/// <param name="Query">The time of a query for ten events by tag.</param>
/// <param name="MemoryBytes">What the process holds in managed memory, after a collection.</param>
internal sealed record ScaleStep(int Events, double Concurrent, Distribution Lone, Distribution Query, long MemoryBytes);
