using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>Chooses what mends an event file or an append, by what is left of it: a copy in the index, a file that was edited, or nothing.</summary>
internal sealed class RemedyChoice(IFileSystem fileSystem, StoreLayout layout, Volume volume, Guid? indexId, EventFiles eventFiles) : IDisposable
{
    // Loaded when something is wrong: a store that is whole needs no second look.
    private readonly Lazy<EventIndex?> index = new(() => indexId is { } id ? EventIndex.TryFollow(fileSystem, layout, volume, id) : null);
    private long proven;

    /// <summary>Notes what a valid event proves to have been committed.</summary>
    public void Note(StoredEvent stored) => proven = Math.Max(proven, stored.Commit.After);

    /// <summary>Whether the index names events behind the position.</summary>
    public bool IsNamed(long position) => index.Value is { } loaded && loaded.Head >= position;

    /// <summary>What mends the positions, whose files are missing, bad or no whole append.</summary>
    public StoreRemedy Of(long first, long last)
    {
        // Nobody was ever told that it is stored: the next who opens the store sets it aside.
        if (first > proven && !IsNamed(first))
            return StoreRemedy.OpenStore;
        if (HasCopies(first, last))
            return StoreRemedy.RestoreFromIndex;
        return first == last && IsEdited(first) ? StoreRemedy.AcceptEditedFile : StoreRemedy.RestoreFromFolder;
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

    private bool IsEdited(long position)
    {
        try
        {
            return eventFiles.ReadOrProblem(position).Stored is null && eventFiles.ReadBytes(layout.EventFile(position)) is { } bytes && EventFile.ReadEdited(bytes, position, out _) is not null;
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            return false;
        }
    }
}
