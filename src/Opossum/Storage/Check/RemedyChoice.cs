using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Check;

/// <summary>Chooses what mends an event file or an append, by what is left of it: a copy in the index, a file that was edited, or nothing.</summary>
/// <param name="folder">Where the store is.</param>
/// <param name="hasIndex">Whether its index can be looked for.</param>
/// <param name="eventFiles">The event files.</param>
/// <param name="listed">The positions that have one, ascending.</param>
internal sealed class RemedyChoice(StoreFolder folder, bool hasIndex, EventFiles eventFiles, List<long> listed) : IDisposable
{
    // Loaded when something is wrong: a store that is whole needs no second look.
    private readonly Lazy<EventIndex?> index = new(() => hasIndex ? EventIndex.TryFollow(folder) : null);
    private long proven;

    /// <summary>Notes what a valid event proves to have been committed.</summary>
    public void Note(StoredEvent stored) => proven = Math.Max(proven, stored.Commit.After);

    /// <summary>Whether the index names events behind the position.</summary>
    public bool IsNamed(long position) => index.Value is { } loaded && loaded.Head >= position;

    /// <summary>What mends the positions, whose files are missing, bad or no whole append.</summary>
    public StoreRemedy Of(long first, long last)
    {
        var there = ListedIn(first, last);
        if (there.Exists(position => eventFiles.ReadOrProblem(position).IsOutOfReach))
            return StoreRemedy.MakeReadable;
        if (first > proven && !IsNamed(first))
        {
            // Nobody was ever told that it is stored: the next process that opens the store sets it aside, but never what was edited.
            var edited = there.FindAll(position => eventFiles.FirstEdited([position]) is not null);
            if (edited.Count == 0)
                return StoreRemedy.OpenStore;
            return edited.TrueForAll(IsAcceptable) ? StoreRemedy.AcceptEditedFile : StoreRemedy.RestoreFromFolder;
        }
        if (HasCopies(first, last))
            return StoreRemedy.RestoreFromIndex;
        var bad = there.FindAll(position => eventFiles.ReadOrProblem(position).Stored is null);
        return there.Count == last - first + 1 && bad.Count > 0 && bad.TrueForAll(IsAcceptable) ? StoreRemedy.AcceptEditedFile : StoreRemedy.RestoreFromFolder;
    }

    public void Dispose()
    {
        if (index.IsValueCreated)
            index.Value?.Dispose();
    }

    private bool HasCopies(long first, long last)
    {
        if (!IsNamed(last))
            return false;
        for (var position = first; position <= last; position++)
        {
            if (PackedEvents.FileChecksum(index.Value!.ReadPacked(position), position) is null)
                return false;
        }
        return true;
    }

    private List<long> ListedIn(long first, long last)
    {
        var at = listed.BinarySearch(first);
        return [.. listed.Skip(at < 0 ? ~at : at).TakeWhile(position => position <= last)];
    }

    // Whether the file is an event except for its checksum and form.
    private bool IsAcceptable(long position)
    {
        try
        {
            return eventFiles.ReadBytes(position) is { } bytes && EventFile.ReadEdited(bytes, position, out _) is not null;
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            return false;
        }
    }
}
