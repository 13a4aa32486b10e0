namespace Opossum.Projections.Building;

/// <summary>A state in the leader's memory, which no reader ever gets.</summary>
internal sealed class CachedState<TState>(string key)
    where TState : class
{
    public string Key { get; } = key;

    public TState? State { get; set; }

    /// <summary>The position of the last event that counts in it; 0 when none does.</summary>
    public long Position { get; set; }

    /// <summary>The type of that event.</summary>
    public string EventType { get; set; } = "";

    /// <summary>The tags it has as it is written; empty when it is not.</summary>
    public Tag[] WrittenTags { get; set; } = [];

    /// <summary>The tags it has as it is being written.</summary>
    public Tag[] Tags { get; set; } = [];

    public bool IsWritten { get; set; }

    public bool IsDirty { get; set; }
}
