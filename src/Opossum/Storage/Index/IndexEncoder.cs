using System.Text;

namespace Opossum.Storage.Index;

/// <summary>
/// Encodes events for the index: a packed copy per event and a frame per commit. The same events after the same index always give the same
/// bytes: names are numbered in order of appearance, and nothing else is included.
/// </summary>
internal sealed class IndexEncoder
{
    private readonly Dictionary<string, int> newTypes = new(StringComparer.Ordinal);
    private readonly Dictionary<Tag, int> newTags = [];
    private readonly List<string> frameTypes = [];
    private readonly List<Tag> frameTags = [];
    private readonly ByteWriter entries = new();

    /// <summary>The packed copies, to be written at the end of those of the index.</summary>
    public ByteWriter Packed { get; } = new();

    /// <summary>The frames, to be written at the end of those of the index.</summary>
    public ByteWriter Frames { get; } = new();

    /// <summary>Encodes whole commits that follow the index.</summary>
    public void Encode(IReadOnlyList<StoredEvent> events, IndexContents index)
    {
        newTypes.Clear();
        newTags.Clear();
        Packed.Clear();
        Frames.Clear();
        for (var at = 0; at < events.Count; at += events[at].Commit.Count)
            EncodeCommit(events, at, index);
    }

    /// <summary>Releases the memory that an unusually large append took.</summary>
    public void Trim()
    {
        Packed.Trim();
        Frames.Trim();
        entries.Trim();
    }

    /// <summary>Encodes the packed copy of an event that the index already has.</summary>
    public ReadOnlySpan<byte> EncodePacked(StoredEvent stored, IndexContents index)
    {
        Packed.Clear();
        entries.Clear();
        EncodeEvent(stored, index);
        return Packed.Written;
    }

    private void EncodeCommit(IReadOnlyList<StoredEvent> events, int start, IndexContents index)
    {
        frameTypes.Clear();
        frameTags.Clear();
        entries.Clear();
        var commit = events[start].Commit;
        for (var at = start; at < start + commit.Count; at++)
            EncodeEvent(events[at], index);

        var record = Frames.OpenRecord();
        Frames.WriteVarint(commit.First);
        Frames.WriteVarint(commit.Count);
        Frames.WriteVarint(frameTypes.Count);
        foreach (var type in frameTypes)
            WriteText(type);
        Frames.WriteVarint(frameTags.Count);
        foreach (var tag in frameTags)
            WriteText(tag.ToString());
        Frames.WriteBytes(entries.Written);
        Frames.CloseRecord(record);
    }

    private void EncodeEvent(StoredEvent stored, IndexContents index)
    {
        var content = stored.Content;
        var start = Packed.Length;
        PackedEvents.WriteEnvelope(Packed, stored);
        var type = TypeNumber(content.Type, index);
        Packed.WriteVarint(type);
        entries.WriteVarint(type);
        Packed.WriteVarint(content.Tags.Length);
        entries.WriteVarint(content.Tags.Length);
        foreach (var tag in content.Tags)
        {
            var number = TagNumber(tag, index);
            Packed.WriteVarint(number);
            entries.WriteVarint(number);
        }
        PackedEvents.WriteContent(Packed, content);
        Packed.CloseRecord(start);
        entries.WriteVarint(Packed.Length - start);
    }

    private int TypeNumber(string type, IndexContents index)
    {
        var number = index.FindType(type);
        if (number >= 0 || newTypes.TryGetValue(type, out number))
            return number;
        number = index.TypeCount + newTypes.Count;
        newTypes.Add(type, number);
        frameTypes.Add(type);
        return number;
    }

    private int TagNumber(Tag tag, IndexContents index)
    {
        var number = index.FindTag(tag);
        if (number >= 0 || newTags.TryGetValue(tag, out number))
            return number;
        number = index.TagCount + newTags.Count;
        newTags.Add(tag, number);
        frameTags.Add(tag);
        return number;
    }

    private void WriteText(string text)
    {
        var utf8 = Encoding.UTF8.GetBytes(text);
        Frames.WriteVarint(utf8.Length);
        Frames.WriteBytes(utf8);
    }
}
