namespace Opossum;

/// <summary>The outcome of an append that failed with a <see cref="StoreFaultedException"/>.</summary>
public enum AppendOutcome
{
    /// <summary>None of its events is in the store, and none will appear.</summary>
    NothingWritten,

    /// <summary>
    /// All of its events are in the store, or none; which is unknown. Open the store again and read, or repeat the append with the same events and
    /// a condition that these events would fail: then they are stored once.
    /// </summary>
    Unknown,

    /// <summary>
    /// Its events are in the store, as after a successful append; only a later step failed. With
    /// <see cref="OpossumOptions.FlushEventsImmediately"/> =
    /// false they may not be durable yet.
    /// </summary>
    Stored,
}
