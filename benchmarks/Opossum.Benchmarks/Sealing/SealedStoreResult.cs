namespace Opossum.Benchmarks.Sealing;

/// <summary>What a store with sealed folders takes. Times are in microseconds.</summary>
/// <param name="Events">The number of events.</param>
/// <param name="CanonicalBytes">The bytes of their canonical texts.</param>
/// <param name="BytesOnDisk">The blocks of all files of the sealed store, in bytes.</param>
/// <param name="Files">The number of its files.</param>
/// <param name="Sealing">How many events were sealed in what time; null when the store was made with sealed files.</param>
/// <param name="DeletedPerSecond">How many event files a loop that only reads and deletes them does in a second; null like the time of sealing.</param>
/// <param name="Copying">The time of copying its folder; null when the store was made with sealed files.</param>
/// <param name="Before">The times of reads before sealing.</param>
/// <param name="Sealed">The times of reads of the sealed store.</param>
internal sealed record SealedStoreResult(int Events, long CanonicalBytes, long BytesOnDisk, long Files,
    (long Events, TimeSpan Time)? Sealing, double? DeletedPerSecond, (TimeSpan Before, TimeSpan Sealed)? Copying,
    SealedStoreReads Before, SealedStoreReads Sealed);
