using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Ages;

/// <summary>What a store of many events takes. Times are in microseconds.</summary>
/// <param name="Events">The number of events.</param>
/// <param name="Made">How long writing its index files took.</param>
/// <param name="Replay">Opening it without runs.</param>
/// <param name="Runs">How long making all runs took, and their bytes.</param>
/// <param name="Opening">Opening it.</param>
/// <param name="MemoryAtOnce">The memory of the open store, in bytes, before it was asked anything.</param>
/// <param name="Memory">The memory after all measurements.</param>
/// <param name="Never">A condition on a tag that no event has.</param>
/// <param name="Once">A condition on a tag that one event has.</param>
/// <param name="Everywhere">A condition on a tag that all events have.</param>
/// <param name="Few">Ten events by tag, and the same from SQLite.</param>
/// <param name="Many">A thousand scattered events by tag, and the same from SQLite.</param>
/// <param name="Scan">An event of a full scan.</param>
internal sealed record AgesResult(int Events, TimeSpan Made, TimeSpan Replay, (TimeSpan Time, long Bytes) Runs, Distribution Opening,
    long MemoryAtOnce, long Memory, Distribution Never, Distribution Once, Distribution Everywhere, (Distribution Store, Distribution Sqlite) Few,
    (Distribution Store, Distribution Sqlite) Many, Distribution Scan);
