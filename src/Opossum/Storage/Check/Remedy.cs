namespace Opossum.Maintenance;

/// <summary>The repair for what a check found, the one with the least loss first. docs/repair.md explains each.</summary>
public enum Remedy
{
    /// <summary>Open the store for writing (not read-only): opening repairs it.</summary>
    OpenStore,

    /// <summary><see cref="StoreRepair.RebuildIndexAsync"/>: the index is rebuilt from the event files.</summary>
    RebuildIndex,

    /// <summary>
    /// <see cref="StoreRepair.RestoreFromIndexAsync"/>: the index has an intact copy, from which the file is restored byte for byte. If the
    /// file was edited by hand and the edit should stay: <see cref="StoreRepair.AcceptEditedFileAsync"/>.
    /// </summary>
    RestoreFromIndex,

    /// <summary>
    /// <see cref="StoreRepair.AcceptEditedFileAsync"/>: the file is an event except for its checksum, and the index has no copy of the
    /// original.
    /// </summary>
    AcceptEditedFile,

    /// <summary>
    /// <see cref="StoreRepair.RestoreFromFolderAsync"/>, from Quarantine or a backup. If no folder has the file and the index has no copy:
    /// <see cref="Truncate"/>.
    /// </summary>
    RestoreFromFolder,

    /// <summary>
    /// <see cref="StoreRepair.TruncateAsync"/>: gives up all events after a position. The last resort, and the operator's choice: no finding
    /// names it, because a check does not know which backups exist.
    /// </summary>
    Truncate,

    /// <summary>Look at it and move it away. The store ignores it, unless it takes the place of one of the store's own files.</summary>
    MoveAway,

    /// <summary><see cref="IPersonalData.ForgetAsync"/> with the same person, which the file names: it continues where it stopped.</summary>
    ForgetAgain,

    /// <summary>Give this user the right to read the file, or end the program that holds it, and check again: the file may be intact.</summary>
    MakeReadable,

    /// <summary><see cref="StoreRepair.FinishRedactionAsync"/>: redacts what an interrupted redaction has not reached.</summary>
    FinishRedaction,

    /// <summary>
    /// Delete the folder tile in Proof: it is built again from the events. Where no checkpoint in the store shows that the events are right,
    /// verify them first with one that is kept elsewhere: without these tiles it may name only a range.
    /// </summary>
    RebuildProof,

    /// <summary>
    /// <see cref="StoreProof.VerifyAsync"/> with a checkpoint that is kept elsewhere: it names the event that differs. Delete nothing in Proof
    /// before.
    /// </summary>
    VerifyProof,

    /// <summary><see cref="StoreSealing.SealAsync"/>: it continues where it stopped.</summary>
    Seal,

    /// <summary><see cref="StoreSealing.UnsealAsync"/> of the folder, from which it can be sealed again.</summary>
    Unseal,

    /// <summary>
    /// Put the folder of keys, or the file that the finding names, back from its volume or a backup of the keys. If the app keeps its keys outside
    /// the store's folder, check with that folder.
    /// </summary>
    RestoreKeys,

    /// <summary>
    /// <see cref="StoreReplica.UpdateAsync"/> or <see cref="StoreReplica.FollowAsync"/>: the folder is a replica, and following its store again
    /// completes it.
    /// </summary>
    FollowAgain,
}
