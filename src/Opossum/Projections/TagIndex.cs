using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>
/// Which keys may have which tags: all that the tag log says, without what turned out to be past. A key that has a tag is always among
/// those it gives; one it gives may not have the tag, as its state tells.
/// </summary>
internal sealed class TagIndex(IFileSystem fileSystem)
{
    private readonly Lock gate = new();
    private readonly Dictionary<Tag, Dictionary<string, long>> keys = [];
    private readonly Dictionary<long, long> ends = [];

    /// <summary>Reads the log on from where it was read to; for a <see cref="PatientLook"/>.</summary>
    /// <exception cref="FileSystemException">
    /// The generation is not there any more, or a segment is not: a new leader moves the one, and merges the others into one that may not
    /// have been listed.
    /// </exception>
    public void Follow(Generation generation)
    {
        lock (gate)
        {
            foreach (var name in fileSystem.List(generation.Folder))
            {
                if (Generation.TryParseTagLog(name, out var term))
                    ends[term] = TagLog.Read(fileSystem, generation.TagLog(term), ends.GetValueOrDefault(term), Add) ?? throw PatientLook.Gone(generation.TagLog(term));
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
