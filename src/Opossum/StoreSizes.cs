namespace Opossum;

/// <summary>
/// The sizes of a store's files: the sums of their lengths. The files take more space on the disk, because each file takes whole blocks.
/// </summary>
public readonly record struct StoreSizes
{
    /// <summary>The number of files below the folder Events.</summary>
    public required long EventFiles { get; init; }

    /// <summary>The bytes of these files.</summary>
    public required long EventBytes { get; init; }

    /// <summary>
    /// The bytes of the index, including the lines of the events that are not sealed and the space reserved at its
    /// end.
    /// </summary>
    public required long IndexBytes { get; init; }

    /// <summary>The bytes of the states of projections.</summary>
    public required long ProjectionBytes { get; init; }

    /// <summary>The bytes of the files that were set aside.</summary>
    public required long QuarantineBytes { get; init; }

    /// <summary>The sum of all bytes.</summary>
    public long TotalBytes => EventBytes + IndexBytes + ProjectionBytes + QuarantineBytes;
}
