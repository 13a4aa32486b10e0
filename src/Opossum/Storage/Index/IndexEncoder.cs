using Opossum.Storage.Log;

namespace Opossum.Storage.Index;

/// <summary>
/// Encodes events for the index: a frame per commit. The same events after the same index always give the same
/// bytes: names are numbered in order of appearance within a frame, and nothing else is included.
/// </summary>
internal sealed class IndexEncoder
{
    private readonly Dictionary<string, int> typeNumbers = new(StringComparer.Ordinal);
    private readonly Dictionary<Tag, int> tagNumbers = [];
    private readonly List<string> types = [];
    private readonly List<Tag> tags = [];
    private readonly ByteWriter entries = new();

    /// <summary>The frames, to be written at the end of those of the index.</summary>
    public ByteWriter Frames { get; } = new();

    /// <summary>Encodes whole commits that follow the index.</summary>
    /// <param name="events">The events of the commits.</param>
    /// <param name="lines">Their lines.</param>
    /// <param name="chain">The checksum of the index's last frame.</param>
    /// <returns>The checksum of the last frame.</returns>
    public uint Encode(IReadOnlyList<StoredEvent> events, EventLines lines, uint chain)
    {
        Frames.Clear();
        for (var at = 0; at < events.Count; at += events[at].Commit.Count)
            chain = EncodeCommit(events, lines, at, chain);
        return chain;
    }

    /// <summary>Releases the memory that an unusually large append took.</summary>
    public void Trim()
    {
        Frames.Trim();
        entries.Trim();
    }

    private uint EncodeCommit(IReadOnlyList<StoredEvent> events, EventLines lines, int start, uint chain)
    {
        typeNumbers.Clear();
        tagNumbers.Clear();
        types.Clear();
        tags.Clear();
        entries.Clear();
        var commit = events[start].Commit;
        for (var at = start; at < start + commit.Count; at++)
            EncodeEvent(events[at], lines.LengthOf(at));

        var record = Frames.OpenRecord();
        Frames.WriteVarint(commit.First);
        Frames.WriteVarint(commit.Count);
        Frames.WriteVarint(types.Count);
        foreach (var type in types)
            Frames.WriteText(type);
        Frames.WriteVarint(tags.Count);
        foreach (var tag in tags)
            Frames.WriteText(tag);
        Frames.WriteBytes(entries.Written);
        return Frames.CloseFrame(record, chain);
    }

    private void EncodeEvent(StoredEvent stored, int lineLength)
    {
        var content = stored.Content;
        entries.WriteVarint(NumberOf(content.Type, typeNumbers, types));
        entries.WriteVarint(content.Tags.Length);
        foreach (var tag in content.Tags)
            entries.WriteVarint(NumberOf(tag, tagNumbers, tags));
        entries.WriteVarint(lineLength);
    }

    private static int NumberOf<T>(T name, Dictionary<T, int> numbers, List<T> names)
        where T : notnull
    {
        if (numbers.TryGetValue(name, out var number))
            return number;
        number = names.Count;
        numbers.Add(name, number);
        names.Add(name);
        return number;
    }
}
