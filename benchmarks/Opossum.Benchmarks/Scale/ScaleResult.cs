using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Sealing;

namespace Opossum.Benchmarks.Scale;

/// <summary>The space, memory and times of a store of that size.</summary>
/// <param name="Events">The number of events it holds.</param>
/// <param name="Filling">How long all the appends took, with the writing of event files and the sealing beside them.</param>
/// <param name="Following">How long it took after the last append until all files were written and sealed.</param>
/// <param name="FilesMax">The most files that it had when a step had been appended.</param>
/// <param name="Size">What it takes on the disk.</param>
/// <param name="IndexBytes">The index files.</param>
/// <param name="MemoryBytes">What an open store holds in managed memory.</param>
/// <param name="Open">The time of opening it, in microseconds.</param>
/// <param name="Scan">The time of an event of a full scan.</param>
/// <param name="LongQuery">The time of a query for 1,000 events by tag.</param>
/// <param name="Rebuild">The time of opening it without its index.</param>
internal sealed record ScaleResult(int Events, TimeSpan Filling, TimeSpan Following, long FilesMax, StoreSize Size, long IndexBytes, long MemoryBytes,
    Distribution Open, Distribution Scan, Distribution LongQuery, TimeSpan Rebuild);
