namespace Opossum.Storage.Commit;

/// <summary>How a group is written at its commit point.</summary>
internal enum GroupForm
{
    /// <summary>A file for each event.</summary>
    EventFiles,

    /// <summary>All events in the file of the first one; the others get files afterwards.</summary>
    OneFile,

    /// <summary>Lines of the journal; the events get files afterwards.</summary>
    JournalLines,
}
