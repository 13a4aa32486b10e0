using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Sealing;

/// <summary>The times of reads of a store, in microseconds.</summary>
/// <param name="Scan">An event of a full scan.</param>
/// <param name="OfOneRange">Ten events by tag, always in one range of older events.</param>
/// <param name="OfAnyRange">Ten events by tag, each time in another range of older events.</param>
/// <param name="OfNewest">Ten events by tag, always in the newest range, which is not sealed.</param>
internal sealed record SealedStoreReads(Distribution Scan, Distribution OfOneRange, Distribution OfAnyRange, Distribution OfNewest);
