using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Scale;

/// <summary>The space, memory and times of a store of that size.</summary>
/// <param name="Events">The number of events it holds.</param>
/// <param name="Filling">How long all the appends took.</param>
/// <param name="EventFileBytes">The event files, each in whole blocks of 4 KiB.</param>
/// <param name="IndexBytes">The index files.</param>
/// <param name="MemoryBytes">What an open store holds in managed memory.</param>
/// <param name="Open">The time of opening it, in microseconds.</param>
/// <param name="Scan">The time of an event of a full scan.</param>
/// <param name="LongQuery">The time of a query for 1,000 events by tag.</param>
/// <param name="Rebuild">The time of opening it without its index.</param>
internal sealed record ScaleResult(int Events, TimeSpan Filling, long EventFileBytes, long IndexBytes, long MemoryBytes, Distribution Open,
    Distribution Scan, Distribution LongQuery, TimeSpan Rebuild);
