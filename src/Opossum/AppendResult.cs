namespace Opossum;

/// <summary>The positions of an append's events: from first to last, without a gap, in the order of the events given.</summary>
/// <param name="FirstPosition">The position of the append's first event; the first position of a store is 1.</param>
/// <param name="LastPosition">The position of the append's last event. A reader that waits for this position sees the whole append.</param>
public readonly record struct AppendResult(long FirstPosition, long LastPosition);
