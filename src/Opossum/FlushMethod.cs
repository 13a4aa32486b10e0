namespace Opossum;

/// <summary>
/// How a store makes appends durable. The file system decides which way the store uses. A single append is always one flush of its file, and of its
/// folder where the file system needs it.
/// </summary>
public enum FlushMethod
{
    /// <summary>Nothing is flushed: the store is open for reading only, or in memory.</summary>
    None,

    /// <summary>Events are flushed in the background: see <see cref="OpossumOptions.FlushEventsImmediately"/>.</summary>
    Background,

    /// <summary>
    /// The files of a group of appends are sent to the device, and the flush of the last file makes all of them durable (ext4, xfs, NTFS).
    /// </summary>
    LastFile,

    /// <summary>One flush of the whole file system makes a group durable, unless other programs have written much (btrfs).</summary>
    WholeFileSystem,

    /// <summary>Each file is flushed (SMB and NFS shares, ReFS, APFS).</summary>
    EachFile,

    /// <summary>Each file is flushed, and then its folder (other file systems).</summary>
    EachFileAndFolder,

    /// <summary>
    /// One flush of the lines of a group makes its events durable, and their files follow: see <see cref="OpossumOptions.UseJournal"/>.
    /// </summary>
    Journal,
}
