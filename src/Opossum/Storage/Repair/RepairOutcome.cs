namespace Opossum.Maintenance;

/// <summary>What a repair did to a store.</summary>
public enum RepairOutcome
{
    /// <summary>Nothing had to be done, and nothing was changed.</summary>
    NothingToDo,

    /// <summary>The index was rebuilt from the event files; the event files were not changed.</summary>
    IndexRebuilt,

    /// <summary>Missing or bad event files were restored.</summary>
    FilesRestored,

    /// <summary>An edited event file was made valid. The index agrees with it, unless the report names a problem.</summary>
    EditAccepted,

    /// <summary>The end of the store was cut off, and the index was rebuilt.</summary>
    Truncated,
}
