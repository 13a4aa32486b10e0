namespace Opossum;

/// <summary>How large a store's files are: the sum of their lengths. On the disk they take more, since each takes whole blocks.</summary>
/// <param name="EventFiles">How many files lie below Events.</param>
/// <param name="EventBytes">Their bytes.</param>
/// <param name="IndexBytes">The bytes of the index, with its packed copies of the events and the room that is reserved at its end.</param>
/// <param name="ProjectionBytes">The bytes of the states of projections.</param>
/// <param name="QuarantineBytes">The bytes of what was set aside.</param>
public readonly record struct StoreSizes(long EventFiles, long EventBytes, long IndexBytes, long ProjectionBytes, long QuarantineBytes)
{
    /// <summary>All of these bytes.</summary>
    public long TotalBytes => EventBytes + IndexBytes + ProjectionBytes + QuarantineBytes;
}
