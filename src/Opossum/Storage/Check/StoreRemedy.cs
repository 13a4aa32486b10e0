namespace Opossum;

/// <summary>What mends what a check found, with the least loss first. Each is explained in docs/operations.md.</summary>
public enum StoreRemedy
{
    /// <summary>Open the store, but not for reading only: opening mends it.</summary>
    OpenStore,

    /// <summary><see cref="StoreRepair.RebuildIndexAsync"/>: the index is derived anew from the event files.</summary>
    RebuildIndex,

    /// <summary>
    /// <see cref="StoreRepair.RestoreFromIndexAsync"/>: the index has an intact copy, of which the file is made again, byte for byte. If the file
    /// was edited by hand and the edit is to stay: <see cref="StoreRepair.AcceptEditedFileAsync"/>.
    /// </summary>
    RestoreFromIndex,

    /// <summary><see cref="StoreRepair.AcceptEditedFileAsync"/>: the file is an event except for its checksum, and the index has no copy of what it was.</summary>
    AcceptEditedFile,

    /// <summary>
    /// <see cref="StoreRepair.RestoreFromFolderAsync"/>, from Quarantine or a backup. If no folder has the file, and nothing else is left of it:
    /// <see cref="Truncate"/>.
    /// </summary>
    RestoreFromFolder,

    /// <summary>
    /// <see cref="StoreRepair.TruncateAsync"/>: gives up all events behind a position. The last resort, and the operator's choice: no finding
    /// names it, since a check cannot know which backups there are.
    /// </summary>
    Truncate,

    /// <summary>See what it is and move it away. The store passes it over, unless it stands in the place of one of its files.</summary>
    MoveAway,

    /// <summary>Give this user the right to read the file, or end the program that holds it, and check again: it may be whole.</summary>
    MakeReadable,
}
