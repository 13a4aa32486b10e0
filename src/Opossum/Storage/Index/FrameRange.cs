namespace Opossum.Storage.Index;

/// <summary>Consecutive frames in the index file.</summary>
/// <param name="Start">The offset of the first one.</param>
/// <param name="Last">The offset of the last one.</param>
/// <param name="End">The offset at which the last one ends.</param>
/// <param name="ChainBefore">The checksum of the frame before the first one.</param>
internal readonly record struct FrameRange(long Start, long Last, long End, uint ChainBefore);
