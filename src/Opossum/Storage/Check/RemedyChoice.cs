using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Check;

/// <summary>Chooses the remedy for an event file or an append by what is left of it: a copy in the index, an edited file, or nothing.</summary>
/// <param name="hasIndex">Whether the store has an index that can be opened.</param>
/// <param name="listed">The positions that have an event file, ascending.</param>
internal sealed class RemedyChoice(StoreFolder folder, bool hasIndex, EventFiles eventFiles, List<long> listed) : IDisposable
{
    // Loaded only when something is wrong: a sound store does not need it.
    private readonly Lazy<EventIndex?> index = new(() => hasIndex ? EventIndex.TryFollow(folder) : null);
    private readonly Lazy<long> durable = new(() => FindDurable(folder));
    private long proven;

    /// <summary>Records the positions that a valid event proves committed.</summary>
    public void Note(StoredEvent stored) => proven = Math.Max(proven, stored.Commit.After);

    /// <summary>Whether the index reaches the position.</summary>
    public bool IsNamed(long position) => index.Value is { } loaded && loaded.Head >= position;

    /// <summary>The remedy for positions whose files are missing, bad or not a whole append.</summary>
    public Remedy Of(long first, long last)
    {
        var there = ListedIn(first, last);
        if (there.Exists(position => eventFiles.ReadOrProblem(position).IsOutOfReach))
            return Remedy.MakeReadable;
        if (HasLines(first, last))
            return Remedy.RestoreFromIndex;
        if (first > proven && !IsStored(first))
        {
            // No append reported these as durable. The next process that opens the store sets them aside, except edited files.
            var edited = there.FindAll(position => eventFiles.FirstEdited([position]) is not null);
            if (edited.Count == 0)
                return Remedy.OpenStore;
            return edited.TrueForAll(IsAcceptable) ? Remedy.AcceptEditedFile : Remedy.RestoreFromFolder;
        }
        var bad = there.FindAll(position => eventFiles.ReadOrProblem(position).Stored is null);
        return there.Count == last - first + 1 && bad.Count > 0 && bad.TrueForAll(IsAcceptable)
            ? Remedy.AcceptEditedFile
            : Remedy.RestoreFromFolder;
    }

    /// <summary>The remedy where the folder of event files is missing: without an index nothing says what was in it.</summary>
    public Remedy OfLostFolder() => index.Value is null ? Remedy.RestoreFromFolder : Of(1, 1);

    public void Dispose()
    {
        if (index.IsValueCreated)
            index.Value?.Dispose();
    }

    // Whether the index proves it: it may name events that were appended without flushing, and that a power cut has taken.
    private bool IsStored(long position) => IsNamed(position) && position <= durable.Value;

    private static long FindDurable(StoreFolder folder)
    {
        try
        {
            return StoreLock.ReadDurable(folder.FileSystem, folder.Layout.LockFile) ?? long.MaxValue;
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            // The check names it.
            return long.MaxValue;
        }
    }

    private bool HasLines(long first, long last)
    {
        if (!IsNamed(last))
            return false;
        for (var position = first; position <= last; position++)
        {
            if (EventLine.ChecksumOf(index.Value!.ReadLine(position), position) is null)
                return false;
        }
        return true;
    }

    private StoredEvent? StoredAt(long position) =>
        IsNamed(position) ? EventLine.ReadStored(index.Value!.ReadLine(position), position) : null;

    private List<long> ListedIn(long first, long last)
    {
        var at = listed.BinarySearch(first);
        return [.. listed.Skip(at < 0 ? ~at : at).TakeWhile(position => position <= last)];
    }

    // Whether the file is this position's event except for its checksum and form. The remedy applies the same rule.
    private bool IsAcceptable(long position)
    {
        try
        {
            return eventFiles.ReadBytes(position) is { } bytes && EventFile.ReadEdited(bytes, position, out _) is { } edited
                && EditedEvent.FindAstray(edited, StoredAt(position), eventFiles) is null;
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            return false;
        }
    }
}
