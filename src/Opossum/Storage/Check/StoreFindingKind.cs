namespace Opossum;

/// <summary>Which promise of a store is broken.</summary>
public enum StoreFindingKind
{
    /// <summary>A position has no event file although a higher one has.</summary>
    Gap,

    /// <summary>An event file is cut off, altered, on a bad place of the disk, or not what its name says.</summary>
    BadEventFile,

    /// <summary>An append's events are not all there, or contradict each other about which they are.</summary>
    IncompleteCommit,

    /// <summary>The index differs from what the event files give, of which it is derived.</summary>
    IndexMismatch,

    /// <summary>Something lies in the store that no store puts there.</summary>
    ForeignFile,

    /// <summary>store.json is missing although there are events. The next open writes it again.</summary>
    StoreFileMissing,

    /// <summary>store.json is there and cannot be understood. Without it, the next open writes it again.</summary>
    BadStoreFile,

    /// <summary>Nothing is known of an event file: this user may not read it, or another program holds it.</summary>
    UnreadableFile,
}
