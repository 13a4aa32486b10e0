using Opossum.FileSystem;
using Opossum.Projections.States;

namespace Opossum.Projections.Reading;

/// <summary>
/// Which keys may have which tags: all that the tag log says, without what turned out to be past. A key that has a tag is always among
/// those it gives; one it gives may not have the tag, as its state tells.
/// </summary>
internal sealed class TagIndex(IFileSystem fileSystem)
{
    private readonly Lock gate = new();
    private readonly Dictionary<Tag, Dictionary<string, long>> keys = [];
    private readonly Dictionary<long, long> ends = [];

    /// <summary>Reads the log on from where it was read to.</summary>
    /// <param name="generation">Whose log.</param>
    /// <param name="segments">What it consists of, as the checkpoint says.</param>
    /// <returns>The first segment that could not be read as far as it should, and why; null when there is none.</returns>
    public (string Path, TagLogGap Gap)? Follow(Generation generation, IReadOnlyList<TagSegment> segments)
    {
        lock (gate)
        {
            for (var at = 0; at < segments.Count; at++)
            {
                if (Follow(generation.TagLog(segments[at].Number), segments[at], isLast: at == segments.Count - 1) is var gap && gap != TagLogGap.None)
                    return (generation.TagLog(segments[at].Number), gap);
            }
            return null;
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

    private TagLogGap Follow(string path, TagSegment segment, bool isLast)
    {
        var from = ends.GetValueOrDefault(segment.Number);
        if (TagLog.Read(fileSystem, path, from, isLast ? long.MaxValue : segment.Length, Add) is not var (end, isWhole))
            return segment.Length > 0 ? TagLogGap.Missing : TagLogGap.None;
        ends[segment.Number] = end;
        if (end < segment.Length)
            return TagLogGap.Damage;
        return isWhole ? TagLogGap.None : TagLogGap.Torn;
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
