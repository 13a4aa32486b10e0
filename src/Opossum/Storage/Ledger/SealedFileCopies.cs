using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>
/// Copies sealed files of a store into another folder of it, as they are: written, flushed and read back before
/// they take their names.
/// </summary>
internal sealed class SealedFileCopies(EventFiles from, StoreFolder to, EventFiles copies)
{
    // Flushed together: a flush of the device takes longer than the copying of a folder. The lock is held meanwhile.
    private const int FoldersMax = 16;
    private const long BytesEnough = 32 * 1024 * 1024;

    private readonly IFileSystem fileSystem = to.FileSystem;
    private readonly StoreLayout layout = to.Layout;
    private readonly Volume volume = to.Volume;

    /// <summary>
    /// Copies the sealed files of folders that follow each other, durably, as far as the positions are whole folders that are sealed; or
    /// finds that the first one is there already.
    /// </summary>
    /// <param name="first">The first position that is wanted. All events before it have durable copies.</param>
    /// <param name="head">The last one.</param>
    /// <param name="proceed">Called between steps; throws to stop the work.</param>
    /// <returns>
    /// The last position that has a copy, of some of the folders if there are many. Lower than the first one when nothing was copied: the
    /// positions of its folder are to be copied as event files.
    /// </returns>
    /// <exception cref="FileSystemException">A copy could not be written, flushed or read back.</exception>
    public long Copy(long first, long head, Action proceed)
    {
        // One that an interrupted run left; it may end inside an append.
        var shard = layout.ShardOf(first);
        if (copies.Sealed.LookAgain(shard) && DurableFile.TryFlush(fileSystem, layout.SealedFile(shard)))
            return Math.Min(layout.LastOf(shard), head);
        var staged = new List<Staged>();
        try
        {
            while (TryStageNext(staged, first, head, proceed) && staged.Count < FoldersMax && staged.Sum(static copy => copy.Length) < BytesEnough)
            {
            }
            if (staged.Count > 0)
                Flush(staged);
            foreach (var copy in staged)
            {
                SealedFile.ReadBack(to, copy.Path, copy.Shard, written => written.Closing!.Checksum == copy.Checksum);
                proceed();
            }
            Move(staged, proceed);
            return NextOf(staged, first) - 1;
        }
        catch
        {
            foreach (var copy in staged)
                DurableFile.TryDelete(fileSystem, copy.Path);
            throw;
        }
        finally
        {
            foreach (var copy in staged)
                copy.File.Dispose();
        }
    }

    private long NextOf(List<Staged> staged, long first) => staged is [.., var last] ? layout.LastOf(last.Shard) + 1 : first;

    private bool TryStageNext(List<Staged> staged, long first, long head, Action proceed)
    {
        try
        {
            if (TryStage(NextOf(staged, first), head, proceed) is not { } copy)
                return false;
            staged.Add(copy);
            return true;
        }
        catch (FileSystemException) when (staged.Count > 0)
        {
            // Those before it get their names; the next call fails, if it still does.
            return false;
        }
    }

    private Staged? TryStage(long first, long head, Action proceed)
    {
        var shard = layout.ShardOf(first);
        if (first != StoreLayout.FirstOf(shard) || layout.LastOf(shard) > head || copies.Sealed.LookAgain(shard)
            || fileSystem.GetKind(layout.ShardFolder(shard)) != EntryKind.Missing)
        {
            return null;
        }
        using var sealedFile = from.Sealed.LookAgain(shard) ? from.Sealed.Use(shard) : null;
        if (sealedFile?.Closing is not { } closing)
            return null;
        var path = layout.NewSealedFileStaging(shard);
        var file = DurableFile.CreateAgain(fileSystem, path);
        try
        {
            var length = 0L;
            var isIntact = sealedFile.IsIntact((piece, offset) =>
            {
                proceed();
                file.Write(piece, offset);
                length = offset + piece.Length;
            });
            if (isIntact)
            {
                // The disk writes it while the next folder is read.
                if (volume.CanFlushRange)
                    file.BeginFlushRange();
                return new Staged(shard, path, file, length, closing.Checksum);
            }
        }
        catch
        {
            Remove();
            throw;
        }
        // One that is damaged is copied as event files, which names the damage.
        Remove();
        return null;

        void Remove()
        {
            file.Dispose();
            DurableFile.TryDelete(fileSystem, path);
        }
    }

    private void Flush(List<Staged> staged) => GroupFlush.FlushStaged(fileSystem, volume, [.. staged.Select(static copy => copy.File)],
        staged.Sum(static copy => copy.Length), layout.Events, layout.Root);

    // Order matters: a folder proves that all folders before it were committed, so their names are durable before it
    // has its own. A journal keeps that order by itself, and one flush is enough.
    private void Move(List<Staged> staged, Action proceed)
    {
        foreach (var copy in staged)
        {
            proceed();
            fileSystem.Move(copy.Path, layout.SealedFile(copy.Shard));
            if (!volume.CanFlushRange || copy == staged[^1])
                DurableFile.TryFlush(fileSystem, layout.SealedFile(copy.Shard));
            copies.Sealed.LookAgain(copy.Shard);
        }
    }

    /// <summary>A copy that does not have its name yet.</summary>
    /// <param name="File">Open until the copy is durable.</param>
    private sealed record Staged(long Shard, string Path, IFile File, long Length, uint Checksum);
}
