namespace Opossum.Benchmarks.Ages;

/// <summary>What a store made for measurements has in its folder of events.</summary>
internal enum AgesLedger
{
    /// <summary>The event files of the first event and of the last one.</summary>
    Ends,

    /// <summary>All event files.</summary>
    EventFiles,

    /// <summary>Sealed files, and the event files of the two newest folders.</summary>
    Sealed,
}
