namespace Opossum;

/// <summary>What became of an append that ended in a <see cref="StoreFaultedException"/>.</summary>
public enum AppendOutcome
{
    /// <summary>Not one of its events is in the store, and none will appear.</summary>
    NothingWritten,

    /// <summary>
    /// Its events may or may not be in the store, all of them or none. Reopen the store and look, or repeat the append with the
    /// same events and a condition that its own events would violate: then it is stored once.
    /// </summary>
    Unknown,

    /// <summary>Its events are in the store, as if it had returned; only what came afterwards failed. With <see cref="OpossumOptions.FlushEventsImmediately"/> = false they may not be durable yet.</summary>
    Stored,
}
