using System.Globalization;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage.Definitions;
using Opossum.Storage.Log;

namespace Opossum.Storage.Index;

/// <summary>
/// Encodes events for the index: a frame per commit. The same events after the same index always give the same
/// bytes: names are numbered in order of appearance within a frame, and nothing else is included.
/// </summary>
internal sealed class IndexEncoder
{
    private readonly NameTable types = new();
    private readonly NameTable tags = new();
    private readonly ByteWriter name = new();
    private readonly ByteWriter entries = new();

    /// <summary>The frames, to be written at the end of those of the index.</summary>
    public ByteWriter Frames { get; } = new();

    /// <summary>Encodes whole commits that follow the index.</summary>
    /// <param name="chain">The checksum of the index's last frame.</param>
    /// <param name="rules">The rules that give tags besides the events' own.</param>
    /// <returns>The checksum of the last frame.</returns>
    /// <exception cref="FileSystemException">The tags that the rules give make a frame too long.</exception>
    public uint Encode(IReadOnlyList<StoredEvent> events, EventLines lines, uint chain, TagRuleSet rules)
    {
        Frames.Clear();
        for (var at = 0; at < events.Count; at += events[at].Commit.Count)
            chain = EncodeCommit(events, lines, at, chain, rules);
        return chain;
    }

    /// <summary>Releases the memory that an unusually large append took.</summary>
    public void Trim()
    {
        Frames.Trim();
        entries.Trim();
    }

    private uint EncodeCommit(IReadOnlyList<StoredEvent> events, EventLines lines, int start, uint chain, TagRuleSet rules)
    {
        types.Clear();
        tags.Clear();
        entries.Clear();
        var commit = events[start].Commit;
        for (var at = start; at < start + commit.Count; at++)
            EncodeEvent(events[at].Content, rules.TagsOf(events[at].Content), lines.LengthOf(at));

        var record = Frames.OpenRecord();
        Frames.WriteVarint(commit.First);
        Frames.WriteVarint(commit.Count);
        WriteNames(types);
        WriteNames(tags);
        Frames.WriteBytes(entries.Written);
        if (Frames.LengthOf(record) > StoreLayout.FrameBytesMax - IndexFrame.HeaderLength)
            throw TooManyTags(commit, [.. events.Skip(start).Take(commit.Count).Select(static each => each.Content)], rules);
        return Frames.CloseFrame(record, chain);
    }

    private void EncodeEvent(PreparedEvent content, Tag[] eventTags, int lineLength)
    {
        name.Clear();
        name.WriteUtf8(content.Type);
        entries.WriteVarint(NumberIn(types));
        entries.WriteVarint(eventTags.Length);
        foreach (var tag in eventTags)
        {
            name.Clear();
            name.WriteUtf8(tag.Key);
            if (tag.HasValue)
            {
                name.WriteUtf8(":");
                name.WriteUtf8(tag.Value);
            }
            entries.WriteVarint(NumberIn(tags));
        }
        entries.WriteVarint(lineLength);
    }

    // Of an append whose own tags are too many this is not said: it is refused before it is queued.
    private static FileSystemException TooManyTags(CommitRange commit, PreparedEvent[] events, TagRuleSet rules) => new(FileError.TooLong, "index",
        string.Create(CultureInfo.InvariantCulture, $"the append at position {commit.First}"),
        "tag rules give its events more tags than an append can have, most of them the rule "
            + $"{rules.Rules.MaxBy(rule => events.Sum(each => TagRuleSet.Of([rule]).TagsOf(each.Type, [], each.Json).Length))}");

    private int NumberIn(NameTable names)
    {
        var number = names.Find(name.Written);
        return number >= 0 ? number : names.Add(name.Written);
    }

    private void WriteNames(NameTable names)
    {
        Frames.WriteVarint(names.Count);
        for (var number = 0; number < names.Count; number++)
        {
            var text = names.Text(number);
            Frames.WriteVarint(text.Length);
            Frames.WriteBytes(text);
        }
    }
}
