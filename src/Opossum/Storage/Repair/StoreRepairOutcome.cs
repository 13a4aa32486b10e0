namespace Opossum;

/// <summary>What a repair did to a store.</summary>
public enum StoreRepairOutcome
{
    /// <summary>Nothing had to be done, and nothing was changed.</summary>
    NothingToDo,

    /// <summary>The index was built again from the event files, which stayed as they were.</summary>
    IndexRebuilt,

    /// <summary>Event files that were missing or bad were made again or put back.</summary>
    FilesRestored,

    /// <summary>An edited event file was made valid, and the index agrees with it.</summary>
    EditAccepted,

    /// <summary>The end of the store was cut off, and the index was built again.</summary>
    Truncated,
}
