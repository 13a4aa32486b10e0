using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>
/// Copies sealed files of a store into another folder of it, as they are: written, flushed and read back before
/// they take their names.
/// </summary>
internal sealed class SealedFileCopies(EventFiles from, StoreFolder to, EventFiles copies)
{
    private const int BufferLength = 1024 * 1024;

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
        // One that is damaged is copied as event files, which names the damage.
        using var sealedFile = from.Sealed.LookAgain(shard) ? from.Sealed.Use(shard) : null;
        if (sealedFile?.IsIntact() != true)
            return false;
        var staging = layout.NewSealedFileStaging(shard);
        try
        {
            Write(staging, sealedFile, proceed);
            SealedFile.ReadBack(to, staging, shard, written => written.Closing!.Checksum == sealedFile.Closing!.Checksum);
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

    private void Write(string staging, SealedFile sealedFile, Action proceed)
    {
        using var file = DurableFile.CreateAgain(fileSystem, staging);
        var buffer = new byte[BufferLength];
        var written = 0L;
        while (sealedFile.Read(buffer, written) is > 0 and var read)
        {
            proceed();
            file.Write(buffer.AsSpan(0, read), written);
            written += read;
        }
        file.Flush();
    }
}
