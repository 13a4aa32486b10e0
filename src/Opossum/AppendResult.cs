namespace Opossum;

/// <summary>The positions of an append's events: from first to last, without a gap, in the order of the events given.</summary>
public readonly record struct AppendResult
{
    /// <summary>The position of the append's first event; the first position of a store is 1.</summary>
    public required long FirstPosition { get; init; }

    /// <summary>
    /// The position of the append's last event. A reader that waits for this position sees the whole append.
    /// </summary>
    public required long LastPosition { get; init; }
}
