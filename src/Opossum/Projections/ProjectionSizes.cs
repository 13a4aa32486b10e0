namespace Opossum.Projections;

/// <summary>How much a projection takes at a time, and how long the segments of its tag log grow. Tests use smaller ones.</summary>
internal sealed record ProjectionSizes
{
    /// <summary>So many events are read and applied at a time.</summary>
    public int EventsAStep { get; init; } = 4_096;

    /// <summary>The length to which a term's segment of the tag log may grow, and the least that is merged.</summary>
    public long TagSegmentBytesMax { get; init; } = 64 * 1024 * 1024;

    /// <summary>So many bytes of the tag log are read at a time, and more only for a longer line.</summary>
    public int TagLogBytesAtOnce { get; init; } = 64 * 1024;
}
