namespace Opossum;

/// <summary>
/// The sizes of a store's files: the sums of their lengths. The files take more space on the disk, because each file takes whole blocks.
/// </summary>
/// <param name="EventFiles">The number of files below the folder Events.</param>
/// <param name="EventBytes">The bytes of these files.</param>
/// <param name="IndexBytes">The bytes of the index, including the lines of the events that are not sealed and the space reserved at its end.</param>
/// <param name="ProjectionBytes">The bytes of the states of projections.</param>
/// <param name="QuarantineBytes">The bytes of the files that were set aside.</param>
public readonly record struct StoreSizes(long EventFiles, long EventBytes, long IndexBytes, long ProjectionBytes, long QuarantineBytes)
{
    /// <summary>The sum of all bytes.</summary>
    public long TotalBytes => EventBytes + IndexBytes + ProjectionBytes + QuarantineBytes;
}
