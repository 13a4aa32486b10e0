using Opossum.FileSystem;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Ledger;

/// <summary>Lists which positions have an event, and what else is in the folders of event files.</summary>
internal sealed class EventFileListing(StoreFolder folder, EventFiles eventFiles)
{
    // A listing is repeated if folders were sealed meanwhile.
    private const int ListingsMax = 100;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;

    private SealedFiles Sealed => eventFiles.Sealed;

    /// <summary>
    /// Lists the positions after the given one that have a file, or a line in a sealed file or the log, ascending. Skips names that are
    /// not those of event files.
    /// </summary>
    public List<long> After(long position)
    {
        // Order matters: listed after the files, an event that gets its file in between would be in neither list.
        var ahead = eventFiles.Ahead.ListAfter(position);
        var found = FilesAfter(position);
        return ahead.Count == 0 ? found : [.. found.Union(ahead).Order()];
    }

    /// <summary>
    /// The same; on a network file system, where a listing can be stale for seconds, the server is asked for the files after those listed.
    /// </summary>
    /// <param name="furtherMax">For how many positions it is asked at most; null: up to the first one that has no event.</param>
    /// <param name="proceed">Called for each file that it is asked for; throws to stop the search.</param>
    public List<long> AfterOnServer(long position, int? furtherMax, Action proceed)
    {
        var later = After(position);
        if (!folder.Volume.ViewMayBeStale)
            return later;
        var last = later.Count > 0 ? later[^1] : position;
        for (var end = last + furtherMax; end is null || last < end;)
        {
            if (eventFiles.IsOnServer(last + 1))
            {
                proceed();
                later.Add(++last);
                continue;
            }
            // Order matters: taken for the end, a folder that another machine has sealed would hide its events.
            var shard = layout.ShardOf(last + 1);
            if (!Sealed.LookAgain(shard))
                break;
            for (var reached = Math.Min(layout.LastOf(shard), end ?? long.MaxValue); last < reached;)
                later.Add(++last);
        }
        return later;
    }

    /// <summary>The last position that has an event; 0 when there is none.</summary>
    public long Newest()
    {
        // Before the files, as in After.
        var ahead = eventFiles.Ahead.ListAfter(0);
        return Math.Max(ahead.Count > 0 ? ahead[^1] : 0, NewestFile());
    }

    /// <summary>The last position that has a file of its own, or is in a sealed folder; 0 when there is none.</summary>
    public long NewestFile()
    {
        var names = fileSystem.GetKind(layout.Events) == EntryKind.Folder ? Names() : [];
        Sealed.Note(names);
        // The newest folder may have no file: it is created before those of the folder before it are all written.
        for (var at = names.Count - 1; at >= 0; at--)
        {
            if (TryParse(names[at], out var shard) && In(shard) is [.., var last])
                return last;
        }
        return 0;
    }

    /// <summary>The positions after one that have an event file in a folder, ascending; none when the folder does not exist.</summary>
    public List<long> FilesOf(long shard, long after = 0)
    {
        var found = new List<long>();
        foreach (var name in fileSystem.ListOwn(layout.ShardFolder(shard)))
        {
            if (StoreLayout.TryParseEventFileName(name, out var each) && each > after && layout.ShardOf(each) == shard)
                found.Add(each);
        }
        found.Sort();
        return found;
    }

    public HashSet<long> SealedFolders(out bool isUnfinished)
    {
        var (found, folders) = (new HashSet<long>(), new HashSet<long>());
        foreach (var name in Names())
        {
            if (layout.TryParseSealedFileName(name, out var shard))
                found.Add(shard);
            else if (layout.TryParseShard(name, out shard))
                folders.Add(shard);
        }
        isUnfinished = folders.Overlaps(found);
        return found;
    }

    /// <summary>The paths of everything that is not part of a store.</summary>
    public IEnumerable<string> FindStrangers()
    {
        foreach (var name in folder.HasEvents ? fileSystem.List(layout.Events) : [])
        {
            var path = FilePath.Join(layout.Events, name);
            if (layout.TryParseShardStaging(name, out _) || layout.IsSealedFileStaging(name)
                || layout.TryParseSealedFileName(name, out _))
            {
                continue;
            }
            if (!layout.TryParseShard(name, out var shard) || IsNoFolder(path))
            {
                yield return path;
                continue;
            }
            foreach (var file in fileSystem.ListIfThere(path))
            {
                if ((!StoreLayout.TryParseEventFileName(file, out var position) || layout.ShardOf(position) != shard)
                    && !IsLeftover(file))
                {
                    yield return FilePath.Join(path, file);
                }
            }
        }
    }

    /// <summary>Whether a name in a folder of event files is a staging name.</summary>
    public static bool IsLeftover(string name) => StoreLayout.IsEventFileStaging(name) || StoreLayout.IsTakenBackFile(name);

    /// <summary>Deletes what lies under staging names, which failed appends, interrupted repairs, sealings and unsealings have left.</summary>
    public void DeleteLeftovers(StoreLock.Held held)
    {
        held.AssertIsHeld();
        DeleteSealingLeftovers();
        foreach (var shard in fileSystem.List(layout.Events).Where(name => layout.TryParseShard(name, out _)))
        {
            var folderOfShard = FilePath.Join(layout.Events, shard);
            var left = fileSystem.List(folderOfShard).FindAll(IsLeftover);
            left.ForEach(name => fileSystem.Delete(FilePath.Join(folderOfShard, name)));
            if (left.Count > 0)
                fileSystem.FlushFolder(folderOfShard);
        }
    }

    /// <summary>Deletes what interrupted sealings and unsealings have left.</summary>
    public void DeleteSealingLeftovers()
    {
        foreach (var name in fileSystem.List(layout.Events))
        {
            if (layout.IsSealedFileStaging(name))
                fileSystem.Delete(FilePath.Join(layout.Events, name));
            else if (layout.TryParseShardStaging(name, out _))
                fileSystem.RemoveFolder(FilePath.Join(layout.Events, name));
        }
    }

    // Folders that are sealed or unsealed meanwhile are listed again: some of the files would be missing. The newest one never is.
    private List<long> FilesAfter(long position)
    {
        var names = Names();
        for (var listings = 1; ; listings++)
        {
            Sealed.Note(names);
            var found = FilesAfter(position, names, out var folders);
            if (folders <= 1)
                return found;
            var again = Names();
            if (listings == ListingsMax || again.SequenceEqual(names))
                return found;
            names = again;
        }
    }

    // A folder that is missing has been sealed since the names were listed.
    private bool IsNoFolder(string path) => fileSystem.GetKind(path) switch
    {
        EntryKind.Folder => false,
        EntryKind.Missing => fileSystem.IsLink(path),
        _ => true,
    };

    private List<string> Names()
    {
        var names = fileSystem.List(layout.Events);
        names.Sort(StringComparer.Ordinal);
        return names;
    }

    // In the order of their names, in which the two of a folder that is being sealed follow each other.
    private List<long> FilesAfter(long position, List<string> names, out int folders)
    {
        var (found, firstShard, last) = (new List<long>(), layout.ShardOf(position + 1), -1L);
        folders = 0;
        foreach (var name in names)
        {
            if (!TryParse(name, out var shard) || shard < firstShard || shard == last)
                continue;
            last = shard;
            folders++;
            found.AddRange(In(shard, position));
        }
        return found;
    }

    private bool TryParse(string name, out long shard) => layout.TryParseShard(name, out shard) || layout.TryParseSealedFileName(name, out shard);

    private List<long> In(long shard, long after = 0)
    {
        using var sealedFile = Sealed.Use(shard);
        return sealedFile is null ? FilesOf(shard, after) : [.. sealedFile.Positions().Where(each => each > after)];
    }
}
