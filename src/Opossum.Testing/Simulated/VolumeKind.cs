namespace Opossum.Testing.Simulated;

/// <summary>The kinds of file system that can be simulated: what each makes durable, and when.</summary>
internal enum VolumeKind
{
    /// <summary>
    /// Like ext4 and xfs: a journal keeps the order of all changes to names. A file's flush commits it up to the file's own last change,
    /// with the bytes of files that were with the device by then; bytes of other files are left to chance.
    /// </summary>
    Ext4,

    /// <summary>
    /// Like btrfs: a file's flush makes durable its bytes, its name and the new folders above it, and nothing else. A file that has taken another's
    /// place, was flushed and then removed may leave that other behind.
    /// </summary>
    Btrfs,

    /// <summary>What POSIX promises and no more: bytes by the file's flush, names by the flush of their folder.</summary>
    Posix,

    /// <summary>A share served by SMB: flushes of files reach the server's disk, and with them their names; a folder's flush does nothing. Locks are mandatory.</summary>
    Smb,

    /// <summary>
    /// A share served by NFS: names are durable when the server has answered. A client that has a file open for writing reads zeros
    /// where others append to it.
    /// </summary>
    Nfs,

    /// <summary>
    /// A cluster's file system whose client is a program of the machine (GlusterFS as it is set by default). The client holds back what is
    /// written until the file is flushed, also when a lock is freed, and does not look at a file again when one is taken. The name of a file
    /// that was deleted elsewhere leads there while a client has it open. Bytes are durable by the file's flush, names by the flush of their folder.
    /// </summary>
    Fuse,
}
