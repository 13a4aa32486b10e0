namespace Opossum.Testing.Simulated;

/// <summary>The kinds of file system that can be simulated: what each makes durable, and when.</summary>
internal enum VolumeKind
{
    /// <summary>
    /// Like ext4 and xfs: a journal keeps the order of all changes to names. A file's flush commits it up to the file's own last change,
    /// with the bytes of files that had reached the device by then; bytes of other files may or may not survive.
    /// </summary>
    Ext4,

    /// <summary>
    /// Like btrfs: a file's flush makes its bytes, its name and the new folders above it durable, and nothing else. If a file that replaced
    /// another was flushed and then removed, the replaced file may come back.
    /// </summary>
    Btrfs,

    /// <summary>Only what POSIX promises: a file's flush makes its bytes durable, a folder's flush its names.</summary>
    Posix,

    /// <summary>
    /// A share served by SMB: flushes of files reach the server's disk, and with them their names; a folder's flush does nothing. Locks are
    /// mandatory.
    /// </summary>
    Smb,

    /// <summary>
    /// A share served by NFS: names are durable once the server has answered. A client that has a file open for writing reads zeros where
    /// other clients append to it.
    /// </summary>
    Nfs,

    /// <summary>
    /// A cluster's file system whose client is a program on the machine (GlusterFS with default settings). The client holds back written bytes
    /// until the file is flushed, even when a lock is released, and does not reread a file when one is taken. While a client has a file open that
    /// was deleted elsewhere, its name still leads there. A file's flush makes its bytes durable, a folder's flush its names.
    /// </summary>
    Fuse,
}
