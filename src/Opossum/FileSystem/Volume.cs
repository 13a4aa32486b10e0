namespace Opossum.FileSystem;

/// <summary>The properties of the file system that a store is on.</summary>
internal sealed record Volume
{
    /// <summary>Its name, for messages: ext4, nfs, ntfs.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// Whether flushing a file also makes its name durable, new or moved, and the names of the folders created before it (ext4, xfs, btrfs; SMB
    /// and NFS, whose servers do so; NTFS; APFS). If not, the file's folder is flushed too.
    /// </summary>
    public required bool FileFlushCoversName { get; init; }

    /// <summary>
    /// Whether one syncfs makes everything written before durable. Where this is true and <see cref="FileFlushCoversName"/> is not (ext4 with
    /// fast_commit), it is the only way for a group: flushing each file and then the folder lost some in power cuts.
    /// </summary>
    public bool CanFlushWhole { get; init; }

    /// <summary>
    /// Whether a power cut can bring back a replaced file after its replacement is removed (btrfs): the flush of any other file writes the log
    /// again without the removed one. Not when the whole file system was flushed in between; only where <see cref="CanFlushWhole"/> is true.
    /// </summary>
    public bool BringsBackReplaced { get; init; }

    /// <summary>
    /// Whether a journal keeps the order: once all files of a group are on the device, flushing the last makes all durable (ext4, xfs).
    /// </summary>
    public bool CanFlushRange { get; init; }

    /// <summary>Whether other machines may use the files at the same time. What that means is the five properties below.</summary>
    public bool IsNetwork { get; init; }

    /// <summary>Whether this machine's view may be stale: for a while, a new name is missing, or the end of a file.</summary>
    public bool ViewMayBeStale => IsNetwork;

    /// <summary>Whether a lock may be lost while its holder continues, or keep nobody out: what it guards is checked too.</summary>
    public bool LockMayBeLost => IsNetwork;

    /// <summary>Whether each operation is a round trip, which takes long, and several at a time take little longer than one.</summary>
    public bool TakesRoundTrips => IsNetwork;

    /// <summary>Whether every operation may fail for a while, and a new handle works later, when the server is back.</summary>
    public bool ServerMayBeAway => IsNetwork;

    /// <summary>
    /// Whether what is written is flushed each time, so that no byte arrives at the server after another machine has the lock.
    /// </summary>
    public bool IsWrittenThrough => IsNetwork;

    /// <summary>
    /// Whether no write handle may be kept on a file that other machines append to (NFS: this machine's readers would see zeros).
    /// </summary>
    public bool ForbidsKeptWriteHandles { get; init; }

    /// <summary>
    /// Whether the client's caches ignore locks: written bytes may stay cached after a lock is released, until the file is flushed and closed,
    /// and bytes read after a lock is taken may be stale (GlusterFS). Assumed of every client that is not known to do better (SMB and NFS).
    /// </summary>
    public bool CachesIgnoreLocks { get; init; }

    /// <summary>Whether it is mounted read-only everywhere, so that no process can write to it. False also where that is unknown.</summary>
    public bool IsReadOnly { get; init; }

    /// <summary>Why locks do not reach other machines here, and what to do about it; null when they do, as far as the system shows.</summary>
    public string? LockRefusal { get; init; }
}
