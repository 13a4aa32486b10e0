namespace Opossum;

/// <summary>
/// The index of a store at one moment: runs hold that of the older events and are looked up; that of the newest events is replayed when the store
/// is opened.
/// </summary>
/// <param name="Runs">The number of runs; 0 in a store of some thousand events.</param>
/// <param name="EventsInRuns">The number of events whose index is in runs.</param>
/// <param name="RunBytes">The bytes of the runs' files.</param>
/// <param name="EventsReplayed">The number of newest events, which are in no run: opening the store replays their index.</param>
public readonly record struct StoreIndexStatus(int Runs, long EventsInRuns, long RunBytes, long EventsReplayed);
