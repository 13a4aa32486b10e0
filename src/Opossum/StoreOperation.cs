namespace Opossum;

/// <summary>The kind of work that a <see cref="StoreProgress"/> reports. The unit is events, of a search files.</summary>
public enum StoreOperation
{
    /// <summary>A check reads the event files.</summary>
    Check,

    /// <summary>A repair reads the event files to find which are intact, before it changes anything.</summary>
    Repair,

    /// <summary>The index is built from the event files, when the store is opened or repaired.</summary>
    IndexRebuild,

    /// <summary>The states of a projection are built from the events.</summary>
    ProjectionRebuild,

    /// <summary>Events are copied into a backup.</summary>
    Backup,

    /// <summary>Events are restored from a backup.</summary>
    Restore,

    /// <summary>Events are exported.</summary>
    Export,

    /// <summary>Events are imported. While the input is read, <see cref="StoreProgress.Total"/> is an estimate.</summary>
    Import,

    /// <summary>The Merkle tree of a proof is built over the events.</summary>
    ProofBuild,

    /// <summary>The event files are compared with checkpoints.</summary>
    ProofVerification,

    /// <summary>The files of a store are searched for personal data. The unit is files; <see cref="StoreProgress.Total"/> grows.</summary>
    PersonalDataSearch,

    /// <summary>Folders of event files are sealed.</summary>
    Seal,

    /// <summary>Sealed folders become event files again.</summary>
    Unseal,
}
