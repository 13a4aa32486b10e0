namespace Opossum.FileSystem;

/// <summary>Makes several files durable with few flushes of the device; see docs/decisions/0007.</summary>
internal static class GroupFlush
{
    /// <summary>The maximum number of files held open at once while they wait for their flush.</summary>
    public const int OpenFilesMax = 256;

    /// <summary>Chooses how to make a group of files durable.</summary>
    /// <param name="ownBytes">The number of the system's dirty bytes that belong to the group.</param>
    /// <param name="wholeMin">From this many files on, the whole file system is flushed although their ranges could be.</param>
    public static FlushWay Choose(IFileSystem fileSystem, Volume volume, int files, long ownBytes, int wholeMin = int.MaxValue)
    {
        if (files >= (volume.CanFlushRange ? wholeMin : volume.FileFlushCoversName ? 2 : 1) && PrefersWhole(fileSystem, volume, ownBytes))
            return FlushWay.Whole;
        return volume.CanFlushRange ? FlushWay.Ranges : FlushWay.Each;
    }

    // Above this, a flush of the whole file system would wait too long for other programs' bytes.
    private const long ForeignDirtyBytesMax = 32 * 1024 * 1024;

    /// <summary>Makes new files durable that do not have their names yet.</summary>
    /// <param name="bytes">The length of all of them.</param>
    /// <param name="folder">The folder in which they are; all are new there.</param>
    /// <param name="root">A folder of the one who flushes; see <see cref="IFileSystem.FlushWhole"/>.</param>
    /// <param name="isLast">Whether names are given after this: with others to come, the last of them can make these durable too.</param>
    public static void FlushStaged(IFileSystem fileSystem, Volume volume, List<IFile> files, long bytes, string folder, string root,
        bool isLast = true)
    {
        switch (Choose(fileSystem, volume, files.Count, bytes))
        {
            case FlushWay.Ranges:
                FlushRanges(files);
                // Order matters: flushed before it has its name, whose flush may fail, and take the bytes with it.
                if (isLast)
                    files[^1].Flush();
                return;
            case FlushWay.Whole:
                fileSystem.FlushWhole(root);
                return;
            default:
                FlushEach(files, fileSystem.ForEach);
                fileSystem.FlushFolder(folder);
                return;
        }
    }

    /// <summary>Flushes each file, where nothing less suffices: starts all flushes, then waits for all of them.</summary>
    /// <param name="forEach">Does the work for each number below a count, such as <see cref="IFileSystem.ForEach"/>.</param>
    public static void FlushEach(List<IFile> files, Action<int, Action<int>> forEach)
    {
        files.ForEach(static each => each.BeginFlushRange());
        forEach(files.Count, at => files[at].Flush());
    }

    /// <summary>
    /// Waits until the bytes of all the files have reached the device. A journal keeps the order of operations, so the flush of a file that is
    /// created or renamed afterwards makes all of them durable. Only for a volume whose <see cref="Volume.CanFlushRange"/> is true.
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
