namespace Opossum.FileSystem;

/// <summary>What is known of the file system under a store.</summary>
internal sealed record Volume
{
    /// <summary>Its name, for messages: ext4, nfs, ntfs.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// Flushing a file also makes its name durable, be it new or moved, and the names of the folders created before it (ext4, xfs, btrfs; SMB
    /// and NFS, whose servers see to it; NTFS; APFS). If not, the file's folder is flushed too.
    /// </summary>
    public required bool FileFlushCoversName { get; init; }

    /// <summary>
    /// One syncfs makes all that was written before durable. Where this is true and <see cref="FileFlushCoversName"/> is not (ext4 with
    /// fast_commit), it is the only way for a group: flushing each file and then the folder lost some in power cuts.
    /// </summary>
    public bool CanFlushWhole { get; init; }

    /// <summary>
    /// When a file that had taken another's place is removed, a power cut may bring that other back under the name (btrfs): the flush of any other
    /// file writes the log again without the removed one. Not when the whole was flushed in between; only where <see cref="CanFlushWhole"/> is true.
    /// </summary>
    public bool BringsBackReplaced { get; init; }

    /// <summary>A journal keeps the order of operations: when each file of a group is with the device, flushing the last one makes all durable (ext4, xfs).</summary>
    public bool CanFlushRange { get; init; }

    /// <summary>Other machines may use the files at the same time, and this one's view of them may be stale.</summary>
    public bool IsNetwork { get; init; }

    /// <summary>
    /// No handle for writing may be kept on a file that other machines append to (NFS: this machine's readers would see zeros).
    /// </summary>
    public bool ForbidsKeptWriteHandles { get; init; }

    /// <summary>
    /// Locks say nothing to the client's caches: what was written may stay there when a lock is freed, until the file is flushed and closed,
    /// and what is read when one is taken may be stale (GlusterFS). So it is taken of every client that is not known better (SMB and NFS).
    /// </summary>
    public bool CachesIgnoreLocks { get; init; }

    /// <summary>Nothing can be written to it, by nobody: it is mounted read-only as a whole. False also where that is not known.</summary>
    public bool IsReadOnly { get; init; }

    /// <summary>Why locks do not reach other machines here, with what to do; null when they do, as far as can be seen.</summary>
    public string? LockRefusal { get; init; }
}
