using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>
/// Which keys may have which tags: all that the tag log says, without what turned out to be past. A key that has a tag is always among
/// those it gives; one it gives may not have the tag, as its state tells.
/// </summary>
internal sealed class TagIndex(IFileSystem fileSystem)
{
    private const int TriesMax = 30_000;

    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(1);

    private readonly Lock gate = new();
    private readonly Dictionary<Tag, Dictionary<string, long>> keys = [];
    private readonly Dictionary<long, long> ends = [];

    /// <summary>Reads the log on from where it was read to.</summary>
    /// <exception cref="FileSystemException">The generation is not there any more.</exception>
    public void Follow(Generation generation)
    {
        lock (gate)
        {
            for (var tries = 1; !TryFollow(generation); tries++)
            {
                if (tries == TriesMax)
                    throw new FileSystemException(FileError.Other, "read", generation.Folder, "a segment of the tag log that is listed there is not to be found");
                fileSystem.Pause(pause);
            }
        }
    }

    /// <summary>The keys that may have all of the tags, each with the position of the state that gained the rarest of them.</summary>
    public (Tag Tag, KeyValuePair<string, long>[] Keys) Find(Tag[] tags)
    {
        lock (gate)
        {
            var rarest = tags.MinBy(tag => keys.TryGetValue(tag, out var having) ? having.Count : 0);
            return (rarest, keys.TryGetValue(rarest, out var found) ? [.. found] : []);
        }
    }

    /// <summary>Notes that a state of a position no longer has a tag that it gained before, or at, that position.</summary>
    public void Forget(Tag tag, string key, long position)
    {
        lock (gate)
        {
            if (keys.TryGetValue(tag, out var having) && having.TryGetValue(key, out var gained) && gained <= position)
                having.Remove(key);
        }
    }

    // False: a segment was listed and then gone, as they are when a new leader moves the generation or merges the segments into one that
    // may not have been listed.
    private bool TryFollow(Generation generation)
    {
        var isWhole = true;
        foreach (var name in fileSystem.List(generation.Folder))
        {
            if (!Generation.TryParseTagLog(name, out var term))
                continue;
            if (TagLog.Read(fileSystem, generation.TagLog(term), ends.GetValueOrDefault(term), Add) is { } end)
                ends[term] = end;
            else
                isWhole = false;
        }
        return isWhole;
    }

    private void Add(string key, long position, Tag[] tags)
    {
        foreach (var tag in tags)
        {
            if (!keys.TryGetValue(tag, out var having))
                keys.Add(tag, having = new Dictionary<string, long>(StringComparer.Ordinal));
            having[key] = Math.Max(position, having.GetValueOrDefault(key));
        }
    }
}
