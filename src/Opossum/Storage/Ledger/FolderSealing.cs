using System.Buffers;
using System.Globalization;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>Seals a folder of event files: one file with their canonical texts takes its place.</summary>
/// <param name="folder">The store's folder.</param>
/// <param name="eventFiles">Its events.</param>
/// <param name="throwIfLost">Called before what another machine could undo or have undone; throws when it may do so.</param>
internal sealed class FolderSealing(StoreFolder folder, EventFiles eventFiles, Action throwIfLost)
{
    private const int FilesAtOnce = 512;
    // Where locks can be lost, this number of files may be removed after it.
    private const int RemovedAtOnce = 64;
    private const int BufferLength = 1024 * 1024;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;

    /// <summary>Whether a folder has an event file for each of its positions.</summary>
    public bool IsFull(long shard) => eventFiles.Listing.FilesOf(shard).Count == layout.CountOf(shard);

    /// <summary>Writes the sealed file of a full folder, durably.</summary>
    /// <param name="proceed">Called between steps with the number of events read; throws to stop the work.</param>
    /// <returns>The bytes of the sealed file; null when nothing was written: they would be too many.</returns>
    /// <exception cref="StoreDamagedException">An event file is missing or bad. Nothing was sealed.</exception>
    /// <exception cref="FileSystemException">The file could not be written, flushed or read back.</exception>
    // Invariant: a file has the name of a sealed file only once it is whole, durable and read back; until then the
    // event files count. So the move to that name comes after all of this, and the name is durable before the caller
    // removes the event files.
    public long? Write(long shard, Action<int> proceed)
    {
        var staging = layout.NewSealedFileStaging(shard);
        try
        {
            long? length;
            using (var file = fileSystem.CreateNew(staging) ?? throw new FileSystemException(FileError.Other, "create", staging, "its name is taken"))
            {
                var checksums = new uint[layout.CountOf(shard)];
                length = Write(file, shard, checksums, proceed);
                if (length is null)
                {
                    fileSystem.Delete(staging);
                    return null;
                }
                folder.MakeDurable(file, static file => file.Flush());
                SealedFile.ReadBack(folder, staging, shard, written => written.HasLines(checksums));
            }
            throwIfLost();
            fileSystem.Move(staging, layout.SealedFile(shard));
        }
        catch
        {
            DurableFile.TryDelete(fileSystem, staging);
            throw;
        }
        MakeNameDurable(shard);
        eventFiles.Sealed.LookAgain(shard);
        using var sealedFile = eventFiles.Sealed.Use(shard);
        return sealedFile?.Closing?.Bytes;
    }

    /// <summary>Removes the event files of a sealed folder, and the folder.</summary>
    /// <param name="areSealed">Whether these files have just been sealed; if not, each is compared with its line.</param>
    /// <param name="proceed">Called between steps with the number of files removed; throws to stop the work.</param>
    /// <param name="throwIfMoved">Called before each removal; throws when the path leads to another store.</param>
    /// <exception cref="StoreMaintenanceException">A file there is not the one that was sealed. It was not removed.</exception>
    /// <exception cref="StoreDamagedException">The sealed file is damaged. Nothing was removed.</exception>
    public void RemoveEventFiles(long shard, bool areSealed, Action<int> proceed, Action throwIfMoved)
    {
        if (fileSystem.GetKind(layout.ShardFolder(shard)) != EntryKind.Folder)
            return;
        ThrowIfDamaged(shard);
        // Order matters: the run that sealed it may have ended before its name was durable, and a power cut take it.
        if (!areSealed)
            MakeNameDurable(shard);
        var positions = eventFiles.Listing.FilesOf(shard);
        foreach (var position in areSealed ? [] : positions)
            ThrowIfOther(position);
        for (var removed = 0; removed < positions.Count; removed += RemovedAtOnce)
        {
            proceed(removed);
            throwIfLost();
            var first = removed;
            // A deletion waits for the disk where freed blocks are discarded at once.
            fileSystem.ForEach(Math.Min(RemovedAtOnce, positions.Count - first), at =>
            {
                throwIfMoved();
                fileSystem.Delete(layout.EventFile(positions[first + at]));
            });
        }
        throwIfLost();
        throwIfMoved();
        foreach (var name in fileSystem.List(layout.ShardFolder(shard)).Where(EventFileListing.IsLeftover))
            fileSystem.Delete(FilePath.Join(layout.ShardFolder(shard), name));
        // A file of somebody else keeps the folder, and a check names it.
        if (fileSystem.List(layout.ShardFolder(shard)).Count == 0)
            fileSystem.DeleteFolder(layout.ShardFolder(shard));
    }

    // On a share the flush of the file makes its name durable, elsewhere that of the folder does.
    private void MakeNameDurable(long shard) => folder.MakeDurable(() =>
    {
        DurableFile.TryFlush(fileSystem, layout.SealedFile(shard));
    });

    // Null: the lines are too many bytes for one file.
    private long? Write(IFile file, long shard, uint[] checksums, Action<int> proceed)
    {
        var first = StoreLayout.FirstOf(shard);
        var starts = new int[(checksums.Length - 1) / SealedFileText.LinesInBlock + 1];
        var buffer = new ArrayBufferWriter<byte>();
        var (crc, written) = (Crc32C.Begin, 0L);
        for (var next = 0; next < checksums.Length;)
        {
            proceed(next);
            var lines = new byte[Math.Min(FilesAtOnce, checksums.Length - next)][];
            var from = next;
            fileSystem.ForEach(lines.Length, at => lines[at] = ReadLine(first + from + at));
            foreach (var line in lines)
            {
                if (next % SealedFileText.LinesInBlock == 0)
                    starts[next / SealedFileText.LinesInBlock] = (int)(written + buffer.WrittenCount);
                checksums[next++] = ChecksumTrailer.Stated(line)!.Value;
                buffer.Write(line);
                buffer.Write([EventLines.LineEnd]);
                if (written + buffer.WrittenCount > int.MaxValue - SealedFileText.ClosingLengthMax)
                    return null;
                if (buffer.WrittenCount >= BufferLength)
                    WriteOut();
            }
        }
        WriteOut();
        var closing = SealedFileText.Close(
            new SealedClosing(first, layout.LastOf(shard), (int)written, SealedFileText.LinesInBlock, starts), crc);
        file.Write(closing, written);
        return written + closing.Length;

        void WriteOut()
        {
            file.Write(buffer.WrittenSpan, written);
            crc = Crc32C.Add(crc, buffer.WrittenSpan);
            written += buffer.WrittenCount;
            buffer.ResetWrittenCount();
        }
    }

    private byte[] ReadLine(long position)
    {
        var path = layout.EventFile(position);
        if (eventFiles.ReadFile(position, out var problem) is { } stored)
            return stored.Line!;
        throw new StoreDamagedException(path, position,
            $"The folder {layout.ShardFolder(layout.ShardOf(position))} was not sealed: {path} {problem}. {StoreCheck.InWords} names the "
                + "remedy; run this again afterwards.");
    }

    private void ThrowIfDamaged(long shard)
    {
        using var sealedFile = eventFiles.Sealed.LookAgain(shard) ? eventFiles.Sealed.Use(shard) : null;
        if (sealedFile?.IsIntact() != true)
        {
            throwIfLost();
            throw new StoreDamagedException(layout.SealedFile(shard), StoreLayout.FirstOf(shard),
                $"{layout.SealedFile(shard)} is damaged or was edited, so no event file of {layout.ShardFolder(shard)} was removed. "
                    + $"{StoreCheck.InWords} names the remedy.");
        }
    }

    private void ThrowIfOther(long position)
    {
        var path = layout.EventFile(position);
        if (!eventFiles.HasOtherFile(position))
            return;
        throw new StoreMaintenanceException(path, string.Create(CultureInfo.InvariantCulture,
            $"{path} was not removed: it has another event at position {position} than {eventFiles.PathOf(position)}, which counts. ")
            + "If it was edited or restored on purpose, unseal the folder first and repeat that. Otherwise move it away, and run this again.");
    }
}
