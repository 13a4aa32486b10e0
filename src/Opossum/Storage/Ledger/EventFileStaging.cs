using System.Buffers;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;

namespace Opossum.Storage.Ledger;

/// <summary>Writes copies of event files into a staging folder, makes them durable, and reads them back.</summary>
internal sealed class EventFileStaging(EventFiles from, StoreFolder to)
{
    // What a replica copies at a look. Threads that write, flush and read so few files side by side would take the
    // processors and the disk from those who append meanwhile, and save milliseconds that nobody waits for.
    private const int InTurnMax = 64;

    private readonly IFileSystem fileSystem = to.FileSystem;
    private readonly StoreLayout layout = to.Layout;
    private readonly Volume volume = to.Volume;

    /// <summary>Writes durable copies of the positions' files; a staging folder that an interrupted run left is removed first.</summary>
    /// <param name="shard">The folder of event files that they belong to.</param>
    /// <param name="proceed">Called between steps with the number of copies made; throws to stop the work.</param>
    /// <exception cref="StoreDamagedException">A file of the store is missing or bad.</exception>
    public List<StagedCopy> Write(long shard, IReadOnlyList<long> positions, Action<int> proceed)
    {
        // Order matters: before anything is removed, or a machine that has lost its lock would remove another one's copies.
        proceed(0);
        Remove(shard);
        var folder = layout.ShardFolderStaging(shard);
        fileSystem.CreateFolder(folder);
        var staged = new List<StagedCopy>(positions.Count);
        foreach (var some in positions.Chunk(GroupFlush.OpenFilesMax))
        {
            var isLast = staged.Count + some.Length == positions.Count;
            staged.AddRange(Write(some, folder, isLast));
            proceed(staged.Count);
        }
        return staged;
    }

    public void Remove(long shard) => fileSystem.RemoveFolder(layout.ShardFolderStaging(shard));

    private IEnumerable<StagedCopy> Write(long[] positions, string folder, bool isLast)
    {
        var copies = new Written[positions.Length];
        try
        {
            ForEach(positions.Length, at => copies[at] = Write(positions[at], folder));
            Flush([.. copies.Select(static copy => copy.File!)], copies.Sum(static copy => (long)copy.Length), folder, isLast);
        }
        finally
        {
            foreach (var copy in copies)
                copy.File?.Dispose();
        }
        ForEach(copies.Length, at => ReadBack(copies[at]));
        return copies.Select(static copy => copy.Copy);
    }

    private Written Write(long position, string folder)
    {
        var bytes = from.ReadBytes(position);
        string? problem = "is missing";
        if (bytes is null || from.Read(bytes, position, out problem) is not { } stored)
        {
            throw new StoreDamagedException(from.PathOf(position), position,
                $"Position {position} was not copied: {from.PathOf(position)} {problem ?? "is not an event file"}. {nameof(StoreCheck)} names the "
                    + "remedy; run this again afterwards.");
        }
        var path = FilePath.Join(folder, StoreLayout.EventFileName(position));
        var file = DurableFile.CreateAgain(fileSystem, path);
        file.WriteOrClose(bytes);
        return new Written(file, new StagedCopy(position, stored.Commit.After, path, bytes.Length), bytes.Length, Crc32C.Of(bytes));
    }

    private void Flush(List<IFile> files, long bytes, string folder, bool isLast)
    {
        switch (GroupFlush.Choose(fileSystem, volume, files.Count, bytes))
        {
            case FlushWay.Ranges:
                GroupFlush.FlushRanges(files);
                // The flush of the last file covers all that are on the device.
                if (isLast)
                    files[^1].Flush();
                return;
            case FlushWay.Whole:
                fileSystem.FlushWhole(layout.Root);
                return;
            default:
                GroupFlush.FlushEach(files, ForEach);
                fileSystem.FlushFolder(folder);
                return;
        }
    }

    private void ForEach(int count, Action<int> work)
    {
        if (count > InTurnMax || volume.TakesRoundTrips)
        {
            fileSystem.ForEach(count, work);
            return;
        }
        for (var at = 0; at < count; at++)
            work(at);
    }

    private void ReadBack(Written copy)
    {
        var rented = ArrayPool<byte>.Shared.Rent(copy.Length + 1);
        try
        {
            var read = fileSystem.ReadPastCache(copy.Copy.Path, rented.AsSpan(0, copy.Length + 1), 0);
            if (read != copy.Length || Crc32C.Of(rented.AsSpan(0, copy.Length)) != copy.Checksum)
            {
                throw new FileSystemException(FileError.Other, "verify", copy.Copy.Path,
                    "it does not hold the bytes that were written to it; check the disk or the share");
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private readonly record struct Written(IFile? File, StagedCopy Copy, int Length, uint Checksum);
}
