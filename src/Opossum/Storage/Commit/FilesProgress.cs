namespace Opossum.Storage.Commit;

/// <summary>What is left after event files were brought up to the log.</summary>
internal enum FilesProgress
{
    /// <summary>All events have their files, durably.</summary>
    AllThere,

    /// <summary>Some events have no files yet, or files that are not flushed.</summary>
    SomeLeft,

    /// <summary>Another process brings the files up.</summary>
    OfAnother,
}
