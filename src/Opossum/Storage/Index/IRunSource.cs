namespace Opossum.Storage.Index;

/// <summary>What a run is made of: the events of a tail, or the runs that become one.</summary>
internal interface IRunSource
{
    /// <summary>The run's range and frames, and the sizes of its sections but the names.</summary>
    RunHeader Header { get; }

    /// <summary>The types and the number of their events, in the order of their numbers.</summary>
    IReadOnlyList<(byte[] Text, int Events)> Types { get; }

    /// <summary>The tag keys and the number of events that carry them, in ordinal order.</summary>
    IReadOnlyList<NameUse> Keys { get; }

    IEnumerable<(int Type, long LineEnd)> Events();

    /// <summary>The names with their positions, in the order of their hashes; the same entry each time.</summary>
    IEnumerable<RunEntry> Names();
}
