namespace Opossum;

/// <summary>What a <see cref="StoreProgress"/> is about. The unit is always events.</summary>
public enum StoreWork
{
    /// <summary>A check reads the event files.</summary>
    Check,

    /// <summary>A repair reads the event files, to see which are whole, before it changes anything.</summary>
    Repair,

    /// <summary>The index is built from the event files, by an opening or by a repair.</summary>
    IndexRebuild,

    /// <summary>The states of a projection are built from the events.</summary>
    ProjectionRebuild,
}
