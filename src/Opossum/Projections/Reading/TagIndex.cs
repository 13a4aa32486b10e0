using Opossum.Projections.States;

namespace Opossum.Projections.Reading;

/// <summary>
/// The keys that may have each tag: the contents of the tag log, without entries found to be outdated. It returns every key that has a tag; a
/// returned key may no longer have the tag, which its state shows.
/// </summary>
internal sealed class TagIndex(ProjectionHost host)
{
    private readonly Lock gate = new();
    private readonly Dictionary<Tag, Dictionary<string, long>> keys = [];
    private readonly Dictionary<long, long> ends = [];

    /// <summary>Reads the log from the end of the last read.</summary>
    /// <returns>The first segment that could not be read up to its expected length, and why; null when there is none.</returns>
    public (string Path, TagLogGap Gap)? Follow(Generation generation, IReadOnlyList<TagSegment> segments)
    {
        lock (gate)
        {
            for (var at = 0; at < segments.Count; at++)
            {
                if (Follow(generation.TagLog(segments[at].Number), segments[at], isLast: at == segments.Count - 1) is var gap
                    && gap != TagLogGap.None)
                {
                    return (generation.TagLog(segments[at].Number), gap);
                }
            }
            return null;
        }
    }

    /// <summary>The keys that may have all of the tags, each with the position at which its state gained the rarest of them.</summary>
    public (Tag Tag, KeyValuePair<string, long>[] Keys) Find(Tag[] tags)
    {
        lock (gate)
        {
            var rarest = tags.MinBy(tag => keys.TryGetValue(tag, out var having) ? having.Count : 0);
            return (rarest, keys.TryGetValue(rarest, out var found) ? [.. found] : []);
        }
    }

    /// <summary>Notes that a state, as of a position, no longer has a tag that it gained at or before that position.</summary>
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
        if (TagLog.Read(host.FileSystem, path, from, isLast ? long.MaxValue : segment.Length, host.Sizes.TagLogBytesAtOnce, Add)
            is not var (end, isWhole))
        {
            return segment.Length > 0 ? TagLogGap.Missing : TagLogGap.None;
        }
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
