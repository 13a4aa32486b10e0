namespace Opossum;

/// <summary>Where an append's events went: positions from first to last, without a gap, in the order they were given.</summary>
/// <param name="FirstPosition">Position of the append's first event; the store's first is 1.</param>
/// <param name="LastPosition">Position of the append's last event; the one to read or wait for to see one's own write.</param>
public readonly record struct AppendResult(long FirstPosition, long LastPosition);
