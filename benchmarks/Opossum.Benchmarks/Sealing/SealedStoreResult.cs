using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Sealing;

/// <summary>What a store with sealed folders takes. Times are in microseconds.</summary>
/// <param name="Events">The number of events.</param>
/// <param name="CanonicalBytes">The bytes of their canonical texts.</param>
/// <param name="BytesOnDisk">The blocks of all files of the sealed store, in bytes.</param>
/// <param name="Files">The number of its files.</param>
/// <param name="Sealing">How many events were sealed in what time; null when the store was made with sealed files.</param>
/// <param name="DeletedPerSecond">How many event files a loop that only reads and deletes them does in a second; null like the time of sealing.</param>
/// <param name="LockHeld">How long the store's lock was held.</param>
/// <param name="Copying">The time of copying its folder; null when the store was made with sealed files.</param>
/// <param name="Before">The times of reads before sealing.</param>
/// <param name="Sealed">The times of reads of the sealed store.</param>
internal sealed record SealedStoreResult(int Events, long CanonicalBytes, long BytesOnDisk, long Files,
    (long Events, TimeSpan Time)? Sealing, double? DeletedPerSecond, TimeSpan LockHeld, (TimeSpan Before, TimeSpan Sealed)? Copying,
    Reads Before, Reads Sealed);

/// <summary>The times of reads, in microseconds.</summary>
/// <param name="Scan">An event of a full scan.</param>
/// <param name="OfOneRange">Ten events by tag, always in one range of older events.</param>
/// <param name="OfAnyRange">Ten events by tag, each time in another range of older events.</param>
/// <param name="OfNewest">Ten events by tag, always in the newest range, which is not sealed.</param>
internal sealed record Reads(Distribution Scan, Distribution OfOneRange, Distribution OfAnyRange, Distribution OfNewest);
