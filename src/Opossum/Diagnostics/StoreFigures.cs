namespace Opossum.Diagnostics;

/// <summary>What a process knows of an open store without asking the disk.</summary>
/// <param name="Bytes">The bytes of their lines.</param>
/// <param name="Journaled">The number of events that may be only in the journal.</param>
/// <param name="Lags">How many events the states of each projection lack that this process leads.</param>
/// <param name="Reactions">
/// How many events each reaction that this process leads has not handled, without the parked ones, and how many are parked.
/// </param>
internal sealed record StoreFigures(string Path, long Events, long Bytes, long Journaled, IReadOnlyList<(string Name, long Lag)> Lags,
    IReadOnlyList<(string Name, long Lag, long Parked)> Reactions)
{
    /// <summary>The folders that follow the store in this process.</summary>
    public IReadOnlyList<ReplicaFigures> Replicas { get; init; } = [];
}
