using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>
/// Writes the event files of lines that were written first. Several processes may write the same ones at the same time: all write the same bytes.
/// </summary>
internal sealed class EventFilesOfLines(StoreFolder folder, EventFiles eventFiles)
{
    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;

    /// <summary>Creates the folders of the positions' files, except those that are sealed.</summary>
    public void CreateShards(long first, long last)
    {
        for (var shard = layout.ShardOf(first); shard <= last; shard += layout.ShardPositions)
        {
            if (!eventFiles.IsSealed(shard))
                fileSystem.CreateFolder(layout.ShardFolder(shard));
        }
    }

    /// <summary>Opens a folder of event files, to write many; null: it is sealed, or the system creates files by their paths alone.</summary>
    public IFolder? OpenShard(long shard) => fileSystem.OpenFolder(layout.ShardFolder(shard));

    /// <summary>
    /// Writes an event file. Writes the bytes again if it exists: the process that wrote them may have failed to flush them, and the system then
    /// counts them as written. Does nothing where the folder is sealed: only what was durable in event files is. A file that was edited stays: reads
    /// return the line, and a check names the file.
    /// </summary>
    /// <param name="shard">The folder of the file, open; null: the path leads to it.</param>
    /// <param name="throwIfMoved">Called before a file that exists is opened by its path; throws when that leads to another store.</param>
    /// <exception cref="StoreDamagedException">The text is no event, or the file has another event.</exception>
    public void Write(long position, ReadOnlySpan<byte> text, IFolder? shard, Action throwIfMoved)
    {
        var segment = layout.Segment(layout.ShardOf(position));
        eventFiles.ThrowIfNoEvent(text, position, segment);
        if (eventFiles.Sealed.IsKnown(layout.ShardOf(position)))
        {
            if (eventFiles.Sealed.FindLine(position) is { } there && ChecksumTrailer.Stated(there) != ChecksumTrailer.Stated(text))
                throw Other(position, eventFiles.PathOf(position), segment);
            return;
        }
        var path = layout.EventFile(position);
        var bytes = EventFile.TextOfLine(text);
        using var created = shard is null ? fileSystem.CreateNew(path) : shard.CreateNew(path);
        if (created is not null)
        {
            created.WriteOrClose(bytes);
            return;
        }
        throwIfMoved();
        using var file = fileSystem.Open(path, FileOpening.ReadWrite);
        if (file is null)
            throw new FileSystemException(FileError.Other, "create", path, "its name is taken, but there is no such file.");
        if (!IsToBeWritten(position, text, path, segment))
            return;
        file.Write(bytes, 0);
        file.SetLength(bytes.Length);
    }

    // What a crash leaves of a file is written again. No crash leaves an edited one.
    private bool IsToBeWritten(long position, ReadOnlySpan<byte> line, string path, string segment)
    {
        if (eventFiles.ReadFile(position, out _) is { } there)
            return there.Checksum == ChecksumTrailer.Stated(line) ? true : throw Other(position, path, segment);
        return eventFiles.ReadFileBytes(position) is not { } bytes || !EditedEvent.WasEdited(bytes);
    }

    private static StoreDamagedException Other(long position, string path, string segment) => new(path, position,
        $"The store is damaged at position {position}: {path} has another event than {segment}. Nothing was changed. If one of them was "
            + "restored from a backup, move away the one that is older.");
}
