using System.Globalization;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>
/// Gives the events of groups their own files. Several processes may do that at the same time: all write the same bytes.
/// </summary>
internal sealed class EventGroupFiles(StoreFolder folder, EventFiles eventFiles, Quarantine quarantine)
{
    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly FileBytes fileBytes = new();

    /// <summary>Writes the files of the group's events under the lock. What has their names and was never acknowledged is set aside.</summary>
    /// <exception cref="StoreDamagedException">A file was edited.</exception>
    /// <exception cref="DiskStateUnknownException">The files could not be made durable; the group has the events.</exception>
    public void Write(EventGroup group, StoreLock.Held held)
    {
        if (TryWrite(group, out var taken))
            return;
        // Only who saw the group as a whole could take a position after it, so nobody was told that these are stored.
        held.ThrowIfLost();
        quarantine.MoveIn(taken, quarantine.CreateFolder(), held);
        if (!TryWrite(group, out taken))
            throw Contradicted(group, taken[0]);
    }

    /// <summary>The same without the lock. False: other events have some of the names.</summary>
    public bool TryWrite(EventGroup group) => TryWrite(group, out _);

    private bool TryWrite(EventGroup group, out List<long> taken)
    {
        for (var shard = layout.ShardOf(group.First); shard <= group.Last; shard += layout.ShardPositions)
            fileSystem.CreateFolder(layout.ShardFolder(shard));
        var isTaken = new bool[group.Last - group.First];
        fileSystem.ForEach(isTaken.Length, at => isTaken[at] = !TryWrite(group, group.First + 1 + at));
        taken = [.. Enumerable.Range(0, isTaken.Length).Where(at => isTaken[at]).Select(at => group.First + 1 + at)];
        if (taken.Count > 0)
            return !IsThere(group);
        if (!folder.Volume.IsNetwork)
            eventFiles.Flush(group.First + 1, group.Last);
        folder.MakeDurable(() => eventFiles.FlushNames(group.First, group.Last));
        folder.MakeDurable(() => fileSystem.FlushFolder(layout.Events));
        // Order matters: after the other files are durable.
        ReplaceFirst(group);
        return true;
    }

    private bool TryWrite(EventGroup group, long position)
    {
        var path = layout.EventFile(position);
        var line = group.LineOf(position);
        eventFiles.ThrowIfNoEvent(line, position, layout.EventFile(group.First));
        var bytes = EventFile.TextOfLine(line);
        using var created = fileSystem.CreateNew(path);
        if (created is not null)
        {
            created.WriteOrClose(bytes);
            Flush(created);
            return true;
        }
        using var file = fileSystem.Open(path, FileOpening.ReadWrite)
            ?? throw new FileSystemException(FileError.Other, "create", path, "its name is taken, but there is no such file.");
        if (fileBytes.Read(file, out _) is { } there)
        {
            if (eventFiles.Read(there, position, out _) is { } stored ? stored.Checksum != ChecksumTrailer.Stated(line) : EventGroup.IsBegun(there))
                return false;
            // What a crash leaves of a file is written again. No crash leaves an edited one.
            if (EditedEvent.WasEdited(there))
                throw eventFiles.Edited(position);
        }
        // Also when it is whole: the process that wrote it may have ended before flushing it.
        file.Write(bytes, 0);
        file.SetLength(bytes.Length);
        Flush(file);
        return true;
    }

    // On a network file system each file is flushed by itself.
    private void Flush(IFile file)
    {
        if (folder.Volume.IsNetwork)
            folder.MakeDurable(file, static each => each.Flush());
    }

    private void ReplaceFirst(EventGroup group)
    {
        // Another process may have done it, and may have changed the event since.
        if (!IsThere(group))
            return;
        eventFiles.ThrowIfNoEvent(group.LineOf(group.First), group.First, layout.EventFile(group.First));
        var staging = layout.NewTakenBackFile(group.First);
        try
        {
            DurableFile.Replace(fileSystem, layout.EventFile(group.First), staging, EventFile.TextOfLine(group.LineOf(group.First)));
        }
        catch
        {
            TryDelete(staging);
            throw;
        }
    }

    private void TryDelete(string staging)
    {
        try
        {
            fileSystem.Delete(staging);
        }
        catch (FileSystemException)
        {
            // The next repair deletes it.
        }
    }

    private bool IsThere(EventGroup group) => eventFiles.Groups.Read(group.First)?.Checksum == group.Checksum;

    private StoreDamagedException Contradicted(EventGroup group, long position) => new(layout.EventFile(position), position,
        string.Create(CultureInfo.InvariantCulture, $"The store is damaged at position {position}: {layout.EventFile(position)} has another event ")
            + $"than {layout.EventFile(group.First)}, which has the events of positions {group.First} to {group.Last}. Nothing was removed. If "
            + "one of them was restored from a backup, move away the one that is older.");
}
