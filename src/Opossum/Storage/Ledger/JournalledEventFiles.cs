using System.Globalization;
using System.Text;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>
/// Writes the event files of events in the journal. Several processes may write the same ones at the same time: all write the same bytes.
/// </summary>
internal sealed class JournalledEventFiles(StoreFolder folder, EventFiles eventFiles)
{
    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;

    /// <summary>Whether bytes read from the journal are the canonical text of the event at a position.</summary>
    public static bool IsOf(ReadOnlySpan<byte> line, long position) =>
        line.StartsWith(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{{\"position\":{position},")))
        && ChecksumTrailer.Judge(line) is null;

    /// <summary>What is wrong with the canonical text of a position's event; null when it is valid.</summary>
    public string? FindProblem(long position, ReadOnlySpan<byte> line)
    {
        eventFiles.Read(line, position, out var problem);
        return problem;
    }

    /// <summary>Whether the position's event file is there, or was sealed, and has this event.</summary>
    public bool IsWritten(long position, ReadOnlySpan<byte> line) => eventFiles.IsSealed(layout.ShardOf(position))
        ? ChecksumTrailer.Stated(eventFiles.Sealed.FindLine(position)) == ChecksumTrailer.Stated(line)
        : ReadFile(position) is { } there && there.Checksum == ChecksumTrailer.Stated(line);

    /// <summary>Creates the folders of the positions' files, except those that are sealed.</summary>
    public void CreateShards(long first, long last)
    {
        for (var shard = layout.ShardOf(first); shard <= last; shard += layout.ShardPositions)
        {
            if (!eventFiles.IsSealed(shard))
                fileSystem.CreateFolder(layout.ShardFolder(shard));
        }
    }

    /// <summary>
    /// Writes an event file. Writes the bytes again if it exists: the process that wrote them may have failed to flush them, and the system then
    /// counts them as written. Does nothing where the folder is sealed: only what was durable in event files is.
    /// </summary>
    /// <exception cref="StoreDamagedException">The text is no event, or the file has another event, or was edited.</exception>
    public void Write(in JournalLine line, ReadOnlySpan<byte> text, string journalFile)
    {
        var position = line.Position;
        eventFiles.ThrowIfNoEvent(text, position, journalFile);
        if (eventFiles.Sealed.IsKnown(layout.ShardOf(position)))
        {
            if (eventFiles.Sealed.FindLine(position) is { } there && ChecksumTrailer.Stated(there) != ChecksumTrailer.Stated(text))
                throw Other(position, eventFiles.PathOf(position), journalFile);
            return;
        }
        var path = layout.EventFile(position);
        var bytes = EventFile.TextOfLine(text);
        using var created = fileSystem.CreateNew(path);
        if (created is not null)
        {
            created.WriteOrClose(bytes);
            return;
        }
        using var file = fileSystem.Open(path, FileOpening.ReadWrite);
        if (file is null)
            throw new FileSystemException(FileError.Other, "create", path, "its name is taken, but there is no such file.");
        ThrowIfOther(position, text, path, journalFile);
        file.Write(bytes, 0);
        file.SetLength(bytes.Length);
    }

    private void ThrowIfOther(long position, ReadOnlySpan<byte> line, string path, string journalFile)
    {
        if (ReadFile(position) is { } there)
        {
            if (there.Checksum == ChecksumTrailer.Stated(line))
                return;
            throw Other(position, path, journalFile);
        }
        // What a crash leaves of a file is written again. No crash leaves an edited one.
        if (eventFiles.ReadBytes(path) is { } bytes && EditedEvent.WasEdited(bytes))
            throw eventFiles.Edited(position);
    }

    private static StoreDamagedException Other(long position, string path, string journalFile) => new(path, position,
        $"The store is damaged at position {position}: {path} has another event than {journalFile}. Nothing was changed. If one of them was "
            + "restored from a backup, move away the one that is older.");

    private StoredEvent? ReadFile(long position) => eventFiles.Read(layout.EventFile(position), position, out _);
}
