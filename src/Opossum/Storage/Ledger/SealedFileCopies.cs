using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>
/// Copies sealed files of a store into another folder of it, as they are: written, flushed and read back before
/// they take their names.
/// </summary>
internal sealed class SealedFileCopies(EventFiles from, StoreFolder to, EventFiles copies)
{
    private readonly IFileSystem fileSystem = to.FileSystem;
    private readonly StoreLayout layout = to.Layout;

    /// <summary>
    /// Copies the sealed file of a folder, durably, if these positions are a whole folder that is sealed, or have
    /// it there already.
    /// </summary>
    /// <param name="first">The first position that is wanted. All events before it have durable copies.</param>
    /// <param name="last">The last one, in the same folder.</param>
    /// <param name="proceed">Called between steps; throws to stop the work.</param>
    /// <returns>False when nothing was copied: the positions are to be copied as event files.</returns>
    /// <exception cref="FileSystemException">The copy could not be written, flushed or read back.</exception>
    public bool TryCopy(long first, long last, Action proceed)
    {
        var shard = layout.ShardOf(first);
        // One that an interrupted run left; it may end inside an append.
        if (copies.Sealed.LookAgain(shard) && DurableFile.TryFlush(fileSystem, layout.SealedFile(shard)))
            return true;
        if (first != StoreLayout.FirstOf(shard) || last != layout.LastOf(shard) || fileSystem.GetKind(layout.ShardFolder(shard)) != EntryKind.Missing)
            return false;
        using var sealedFile = from.Sealed.LookAgain(shard) ? from.Sealed.Use(shard) : null;
        if (sealedFile?.Closing is not { } closing)
            return false;
        var staging = layout.NewSealedFileStaging(shard);
        try
        {
            // One that is damaged is copied as event files, which names the damage.
            if (!TryWrite(staging, sealedFile, proceed))
            {
                DurableFile.TryDelete(fileSystem, staging);
                return false;
            }
            SealedFile.ReadBack(to, staging, shard, written => written.Closing!.Checksum == closing.Checksum);
            proceed();
            fileSystem.Move(staging, layout.SealedFile(shard));
        }
        catch
        {
            DurableFile.TryDelete(fileSystem, staging);
            throw;
        }
        DurableFile.TryFlush(fileSystem, layout.SealedFile(shard));
        return copies.Sealed.LookAgain(shard);
    }

    private bool TryWrite(string staging, SealedFile sealedFile, Action proceed)
    {
        using var file = DurableFile.CreateAgain(fileSystem, staging);
        var isIntact = sealedFile.IsIntact((piece, offset) =>
        {
            proceed();
            file.Write(piece, offset);
        });
        file.Flush();
        return isIntact;
    }
}
