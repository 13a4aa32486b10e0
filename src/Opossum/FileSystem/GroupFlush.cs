namespace Opossum.FileSystem;

/// <summary>How several files are made durable with few flushes of the device; see docs/decisions/0007.</summary>
internal static class GroupFlush
{
    /// <summary>So many files are open at once while they wait for their flush.</summary>
    public const int OpenFilesMax = 256;

    /// <summary>How to make a group of files durable.</summary>
    /// <param name="fileSystem">The file system.</param>
    /// <param name="volume">What is known of it.</param>
    /// <param name="files">How many files there are.</param>
    /// <param name="ownBytes">How many of the bytes that the system holds back are the group's own.</param>
    /// <param name="wholeMin">From so many files on, the whole is flushed although their ranges could be.</param>
    public static FlushWay Choose(IFileSystem fileSystem, Volume volume, int files, long ownBytes, int wholeMin = int.MaxValue)
    {
        if (files >= (volume.CanFlushRange ? wholeMin : volume.FileFlushCoversName ? 2 : 1) && PrefersWhole(fileSystem, volume, ownBytes))
            return FlushWay.Whole;
        return volume.CanFlushRange ? FlushWay.Ranges : FlushWay.Each;
    }

    // Above this, a flush of the whole file system would wait too long for what others have written.
    private const long ForeignDirtyBytesMax = 32 * 1024 * 1024;

    /// <summary>Makes each file durable, where nothing less does: begun for all, and then waited for at the same time.</summary>
    public static void FlushEach(IFileSystem fileSystem, List<IFile> files)
    {
        files.ForEach(static each => each.BeginFlushRange());
        fileSystem.ForEach(files.Count, at => files[at].Flush());
    }

    /// <summary>
    /// Waits until the bytes of all the files are with the device. A journal keeps the order of operations, so flushing the file that was
    /// changed last then makes all of them durable. Only for a volume whose <see cref="Volume.CanFlushRange"/> is true.
    /// </summary>
    public static void FlushRanges(List<IFile> files)
    {
        files.ForEach(static each => each.BeginFlushRange());
        files.ForEach(static each => each.FlushRange());
    }

    // ext4 with fast_commit: a flush of each file and of the folder lost files of groups (7 of 40 power cuts), a flush of the whole did not.
    private static bool PrefersWhole(IFileSystem fileSystem, Volume volume, long ownBytes) =>
        volume.CanFlushWhole && (!volume.FileFlushCoversName || fileSystem.GetDirtyBytes() - ownBytes < ForeignDirtyBytesMax);
}
