namespace Opossum.Maintenance;

/// <summary>Which promise of a store is broken.</summary>
public enum FindingKind
{
    /// <summary>A position has no event file although a higher one has, or the folder of all of them is missing.</summary>
    Gap,

    /// <summary>An event file is cut off, altered, on a bad sector, or does not match its name.</summary>
    BadEventFile,

    /// <summary>Some events of an append are missing, or its events disagree about which positions belong to it.</summary>
    IncompleteCommit,

    /// <summary>The index differs from the event files that it is derived from.</summary>
    IndexMismatch,

    /// <summary>The store contains something that is not part of a store.</summary>
    ForeignFile,

    /// <summary>store.json is missing although there are events. The next open writes it again.</summary>
    StoreFileMissing,

    /// <summary>
    /// store.json exists but cannot be parsed: once it is moved away, the next open writes it again. Or replica.json is damaged: following again, or
    /// promoting the folder, writes it again or removes it.
    /// </summary>
    BadStoreFile,

    /// <summary>Forgetting a person has begun and was interrupted, or the key of a forgotten person is there again.</summary>
    UnfinishedForgetting,

    /// <summary>
    /// A file could not be read, such as an event file, a key's file or a part of the index, so its state is unknown: this user has no right to read
    /// it, or another program holds it.
    /// </summary>
    UnreadableFile,

    /// <summary>A redaction was interrupted: some files may still have the old text. The store can be used.</summary>
    UnfinishedRedaction,

    /// <summary>
    /// The tree in the folder Proof, or the last checkpoint there, differs from the events. The store can be used; see docs/proof.md.
    /// </summary>
    ProofMismatch,

    /// <summary>The closing line of a sealed file does not fit although all of its events are valid: something in it was changed.</summary>
    BadSealedFile,

    /// <summary>Sealing or unsealing a folder was interrupted: there are event files beside its sealed file, which counts.</summary>
    UnfinishedSealing,

    /// <summary>A segment of the log was changed, and the line of an event that has no event file yet cannot be read.</summary>
    BadSegment,

    /// <summary>
    /// Personal data cannot be read, because its keys are not in the folder of keys, or other keys are there. The person was not forgotten.
    /// </summary>
    MissingKeys,
}
