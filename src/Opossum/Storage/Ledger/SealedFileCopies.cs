using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>Copies sealed files of a store into another folder of it, as they are: written, flushed and read back before they take their names.</summary>
internal sealed class SealedFileCopies(EventFiles from, StoreFolder to, EventFiles copies)
{
    private const int BufferLength = 1024 * 1024;

    private readonly IFileSystem fileSystem = to.FileSystem;
    private readonly StoreLayout layout = to.Layout;

    /// <summary>Copies the sealed file of a folder, durably.</summary>
    /// <param name="shard">The folder. All events before it have durable copies, and it has none.</param>
    /// <param name="proceed">Called between steps; throws to stop the work.</param>
    /// <returns>The bytes of the copy; null when nothing was copied: the folder is not sealed any more, or the file is damaged.</returns>
    /// <exception cref="FileSystemException">The copy could not be written, flushed or read back.</exception>
    public long? TryCopy(long shard, Action proceed)
    {
        using var sealedFile = from.Sealed.LookAgain(shard) ? from.Sealed.Use(shard) : null;
        if (sealedFile?.IsIntact() != true)
            return null;
        var staging = layout.NewSealedFileStaging(shard);
        var length = Write(staging, sealedFile, proceed);
        ReadBack(staging, shard, sealedFile.Closing!.Checksum);
        proceed();
        fileSystem.Move(staging, layout.SealedFile(shard));
        DurableFile.TryFlush(fileSystem, layout.SealedFile(shard));
        copies.Sealed.LookAgain(shard);
        return length;
    }

    private long Write(string staging, SealedFile sealedFile, Action proceed)
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
        return written;
    }

    private void ReadBack(string staging, long shard, uint checksum)
    {
        using var written = SealedFile.Of(fileSystem.Open(staging, FileOpening.Read)
            ?? throw new FileSystemException(FileError.NotFound, "read back", staging, "it was removed"), layout, shard);
        if (!written.IsIntact() || written.Closing!.Checksum != checksum)
        {
            throw new FileSystemException(FileError.Other, "verify", staging,
                "it does not hold the bytes that were written to it; check the disk or the share");
        }
    }
}
