using System.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Failures;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>Rewrites, restores and replaces event files.</summary>
internal sealed class EventFileMending(StoreFolder folder, EventFiles eventFiles)
{
    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly FileBytes fileBytes = new();

    /// <summary>
    /// Writes the bytes of the files in the range again. A failed flush may have marked them clean although they are not on disk (Linux does
    /// that), and the next flush would skip them.
    /// </summary>
    /// <exception cref="DiskStateUnknownException">A file no longer holds its event.</exception>
    public void WriteAgain(long first, long last, StoreLock.Held held)
    {
        held.AssertIsHeld();
        for (var position = first; position <= last; position++)
        {
            // What is sealed is durable.
            if (eventFiles.Sealed.IsKnown(layout.ShardOf(position)))
                continue;
            // Through one handle: even if the name changes meanwhile, a file only gets its own bytes.
            var path = layout.EventFile(position);
            using var file = fileSystem.Open(path, FileOpening.ReadWrite);
            if (file is null || fileBytes.Read(file, out _) is not { } bytes || eventFiles.Read(bytes, position, out _) is null)
            {
                throw new DiskStateUnknownException(new FileSystemException(FileError.Other, "write again what is not flushed yet in", path,
                    "it no longer holds the event that was written."));
            }

            file.Write(bytes, 0);
        }
    }

    /// <summary>
    /// Recreates files from copies, unless a copy is invalid or the name is taken. Runs even after the lock was lost. A copy that cannot be put back
    /// keeps no other from it, and stays where it is.
    /// </summary>
    public void PutBack(IEnumerable<(long Position, string Copy)> copies)
    {
        foreach (var (position, copy) in copies)
        {
            try
            {
                PutBack(position, copy);
            }
            catch (FileSystemException)
            {
                // The caller reports the failure for which it puts them back.
            }
        }
    }

    /// <summary>Rewrites the file of a position from its line if they differ. False when they agree.</summary>
    public bool TryRestore(StoredEvent stored, StoreLock.Held held)
    {
        held.AssertIsHeld();
        if (eventFiles.Read(stored.Position, out _) is { } there && there.Checksum == stored.Checksum)
            return false;
        var text = EventFile.TextOfLine(stored.Line);
        using var file = fileSystem.Open(layout.EventFile(stored.Position), FileOpening.ReadWriteOrCreate)!;
        file.Write(text, 0);
        file.SetLength(text.Length);
        file.Flush();
        return true;
    }

    /// <summary>Creates the event files of ascending positions whose names are free, and makes them durable.</summary>
    public void Create(List<long> positions, Func<long, byte[]> read, StoreLock.Held held)
    {
        held.AssertIsHeld();
        Debug.Assert(positions.SequenceEqual(positions.Order()),
            "A crash must leave the first files of an append, so the positions have to be ascending.");
        var shards = positions.Select(layout.ShardOf).Distinct().ToList();
        shards.ForEach(shard => fileSystem.CreateFolder(layout.ShardFolder(shard)));
        fileSystem.FlushFolder(layout.Events);
        foreach (var position in positions)
            CreateOne(layout.EventFile(position), read(position));
        fileSystem.ForEach(positions.Count, at => DurableFile.FlushBytes(fileSystem, layout.EventFile(positions[at])));
        shards.ForEach(shard => fileSystem.FlushFolder(layout.ShardFolder(shard)));
    }

    /// <summary>Replaces a position's event file, atomically and durably.</summary>
    public void Replace(long position, ReadOnlySpan<byte> text, StoreLock.Held held)
    {
        if (eventFiles.Sealed.IsKnown(layout.ShardOf(position)))
            fileSystem.CreateFolder(layout.ShardFolder(layout.ShardOf(position)));
        DurableFile.Replace(fileSystem, layout.EventFile(position), text, held.ThrowIfLost);
    }

    private void PutBack(long position, string copy)
    {
        if (eventFiles.ReadBytes(copy) is not { } bytes || eventFiles.Read(bytes, position, out _) is null)
            return;
        using var file = fileSystem.CreateNew(layout.EventFile(position));
        file?.Write(bytes, 0);
        file?.Flush();
    }

    private void CreateOne(string path, ReadOnlySpan<byte> text)
    {
        using var file = fileSystem.CreateNew(path)
            ?? throw new FileSystemException(FileError.Other, "create", path, "a file of that name has just appeared.");
        file.Write(text, 0);
    }
}
