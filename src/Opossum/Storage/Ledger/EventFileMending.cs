using System.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Ledger;

/// <summary>Writes event files that are, or were, there already: again, back, or in the place of bad ones.</summary>
internal sealed class EventFileMending(StoreFolder folder, EventFiles eventFiles)
{
    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly FileBytes fileBytes = new();

    /// <summary>
    /// Writes the bytes of the files in the range again. A flush that failed may have marked them clean although they are not on the disk
    /// (Linux does), and then the next would pass them over.
    /// </summary>
    /// <exception cref="DiskStateUnknownException">A file does not hold its event any more.</exception>
    public void WriteAgain(long first, long last, StoreLock.Held held)
    {
        held.AssertIsHeld();
        for (var position = first; position <= last; position++)
        {
            // Through one handle: whatever happens to the name meanwhile, a file only ever gets its own bytes.
            var path = layout.EventFile(position);
            using var file = fileSystem.Open(path, FileOpening.ReadWrite);
            if (file is null || fileBytes.Read(file, out _) is not { } bytes || eventFiles.Read(bytes, position, out _) is null)
                throw new DiskStateUnknownException(new FileSystemException(FileError.Other, "write again what is not flushed yet in", path, "it is not the event any more that was written."));
            file.Write(bytes, 0);
        }
    }

    /// <summary>Creates the file of a position again from a copy, unless that is not valid or the name is taken. Also when the lock was lost.</summary>
    public void PutBack(string copy, long position)
    {
        if (eventFiles.ReadBytes(copy) is not { } bytes || eventFiles.Read(bytes, position, out _) is null)
            return;
        using var file = fileSystem.CreateNew(layout.EventFile(position));
        file?.Write(bytes, 0);
        file?.Flush();
    }

    /// <summary>Writes the file of a position again as its packed copy has it, when it is not so. False: it is, or the copy is not whole.</summary>
    public bool TryRestore(StoredEvent copy, StoreLock.Held held)
    {
        held.AssertIsHeld();
        if (eventFiles.Read(copy.Position, out _) is { } there && there.Checksum == copy.Checksum)
            return false;
        if (EventFile.TextOfCopy(copy) is not { } text)
            return false;
        using var file = fileSystem.Open(layout.EventFile(copy.Position), FileOpening.ReadWriteOrCreate)!;
        file.Write(text, 0);
        file.SetLength(text.Length);
        file.Flush();
        return true;
    }

    /// <summary>Creates the event files of ascending positions, whose names are free, and makes them durable.</summary>
    public void Create(List<long> positions, Func<long, byte[]> read, StoreLock.Held held)
    {
        held.AssertIsHeld();
        Debug.Assert(positions.SequenceEqual(positions.Order()), "A crash must leave the first files of an append, so the positions have to be ascending.");
        var shards = positions.Select(StoreLayout.ShardOf).Distinct().ToList();
        shards.ForEach(shard => fileSystem.CreateFolder(layout.ShardFolder(shard)));
        fileSystem.FlushFolder(layout.Events);
        // Order matters: what a crash leaves of them at the end of the store is then an append without its end, and recognised.
        foreach (var position in positions)
            CreateOne(layout.EventFile(position), read(position));
        fileSystem.ForEach(positions.Count, at => Flush(layout.EventFile(positions[at])));
        shards.ForEach(shard => fileSystem.FlushFolder(layout.ShardFolder(shard)));
    }

    /// <summary>Puts a file in the place of a position's event file, durably and at one stroke.</summary>
    public void Replace(long position, ReadOnlySpan<byte> text, StoreLock.Held held) =>
        DurableFile.Replace(fileSystem, layout.EventFile(position), layout.EventFileStaging(position), text, held.ThrowIfLost);

    private void CreateOne(string path, ReadOnlySpan<byte> text)
    {
        using var file = fileSystem.CreateNew(path) ?? throw new FileSystemException(FileError.Other, "create", path, "a file of that name has just appeared.");
        file.Write(text, 0);
    }

    private void Flush(string path)
    {
        using var file = fileSystem.Open(path, FileOpening.ReadWrite);
        file?.Flush();
    }
}
