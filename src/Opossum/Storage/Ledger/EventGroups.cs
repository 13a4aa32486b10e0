using System.Buffers;
using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>
/// Finds groups whose events have no files of their own yet. On a network file system it asks the server by exact names: listings, and answers that a
/// name is missing, are stale there.
/// </summary>
internal sealed class EventGroups(StoreFolder folder, EventFiles eventFiles)
{
    private const int LengthAtFirst = 64 * 1024;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private EventGroup? found;

    /// <summary>
    /// Whether no group is left and none can be made, as a repair knows of a store that it holds: then no file is looked into for a missing event.
    /// </summary>
    public bool NoneIsLeft { get; set; }

    /// <summary>The canonical text of the event at a position that has no file; null when no group has it.</summary>
    public byte[]? FindLine(long position)
    {
        // What has been found once is not read again for each of its events.
        var group = Volatile.Read(ref found) is { } known && known.Has(position) ? known : Find(position);
        if (group is null)
            return null;
        Volatile.Write(ref found, group);
        return group.LineOf(position).ToArray();
    }

    /// <summary>The group of a position that has no file; null when there is none.</summary>
    public EventGroup? Find(long position)
    {
        if (NoneIsLeft)
            return null;
        for (var below = position - 1; below >= Math.Max(1, position - EventGroup.EventsMax + 1); below--)
        {
            // The events of a folder that is sealed had files.
            if (eventFiles.Sealed.IsKnown(folder.Layout.ShardOf(below)))
                return null;
            if (ReadFile(below) is not { } bytes)
                continue;
            var group = TryRead(bytes, below);
            if (group is null)
            {
                // A crash may have left a part of a file of the group's. Those that are whole say after which position the group begins.
                if (eventFiles.Read(bytes, below, out _) is not { } stored)
                    continue;
                group = Read(stored.Commit.After + 1);
            }
            return group?.Has(position) == true ? group : null;
        }
        return null;
    }

    /// <summary>The group in the file of its first position; null when that is missing, or no group.</summary>
    public EventGroup? Read(long first) => ReadFile(first) is { } bytes ? TryRead(bytes, first) : null;

    /// <summary>Finds the groups after a position, up to the first position that has neither a file nor a group.</summary>
    /// <param name="position">The position.</param>
    /// <param name="last">Where to end; null: nowhere.</param>
    /// <param name="proceed">Called for each file and group; throws to stop the search.</param>
    /// <param name="reached">The last position that has a file or a group.</param>
    public List<EventGroup> FindAfter(long position, long? last, Action proceed, out long reached)
    {
        var groups = new List<EventGroup>();
        for (reached = position; last is null || reached < last;)
        {
            var bytes = ReadFile(reached + 1);
            var group = bytes is null ? Find(reached + 1) : TryRead(bytes, reached + 1);
            if (bytes is null && group is null)
            {
                // Order matters: before the end of what is there is believed. The groups of folders that others have sealed had files, and those
                // after them are still to be found.
                var shard = folder.Layout.ShardOf(reached + 1);
                if (eventFiles.Sealed.LookAgain(shard))
                {
                    reached = Math.Min(folder.Layout.LastOf(shard), last ?? long.MaxValue);
                    continue;
                }
                // It may have got its file meanwhile, before its group was gone.
                if (ReadFile(reached + 1) is null)
                    break;
                continue;
            }
            proceed();
            if (group is not null)
                groups.Add(group);
            reached = group?.Last ?? reached + 1;
        }
        return groups;
    }

    /// <summary>The bytes of a position's file as the server has them; null when it is missing.</summary>
    public byte[]? ReadFile(long position)
    {
        var path = folder.Layout.EventFile(position);
        try
        {
            if (!folder.Volume.IsNetwork)
                return eventFiles.ReadRaw(path);
            using var file = fileSystem.OpenUncached(path);
            return file is null ? null : ReadWhole(file);
        }
        catch (FileSystemException e) when (e.OtherKind is not null || e.Error == FileError.NotAFolder)
        {
            // Something that is no file has the name.
            return [];
        }
    }

    private static byte[] ReadWhole(IUncachedFile file)
    {
        var rented = ArrayPool<byte>.Shared.Rent(LengthAtFirst);
        try
        {
            var length = 0;
            while (file.Read(rented.AsSpan(length), length) is var read and > 0)
            {
                length += read;
                if (length < rented.Length)
                    break;
                if (length > FileBytes.LengthMax)
                    return [];
                RentedBytes.Grow(ref rented, (int)Math.Min(2L * length, FileBytes.LengthMax + 1L));
            }
            return rented.AsSpan(0, length).ToArray();
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private static EventGroup? TryRead(byte[] file, long first) => EventGroup.TryRead(file) is { } group && group.First == first ? group : null;
}
