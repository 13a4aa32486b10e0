namespace Opossum;

/// <summary>How far the index has been rebuilt from the event files.</summary>
/// <param name="EventsDone">Events read and indexed so far.</param>
/// <param name="EventsExpected">Event files found when the rebuild began.</param>
public readonly record struct IndexRebuildProgress(long EventsDone, long EventsExpected);
