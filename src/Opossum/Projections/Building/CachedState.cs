namespace Opossum.Projections.Building;

/// <summary>A state in the leader's memory; it is never given to a reader.</summary>
internal sealed class CachedState<TState>(string key)
    where TState : class
{
    public string Key { get; } = key;

    public TState? State { get; set; }

    /// <summary>The position of the last event applied to it; 0 if none.</summary>
    public long Position { get; set; }

    /// <summary>The position of the last event that was handed to it, also of one that the state includes already; 0 if none.</summary>
    public long EventPosition { get; set; }

    public string EventType { get; set; } = "";

    /// <summary>The tags of the written state; empty if it is not written.</summary>
    public Tag[] WrittenTags { get; set; } = [];

    /// <summary>The tags of the state that is being written.</summary>
    public Tag[] Tags { get; set; } = [];

    public bool IsWritten { get; set; }

    public bool IsDirty { get; set; }
}
