using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Text;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>The index in memory, replayed from the frames: the types and tags of each position, and the place of each packed copy.</summary>
/// <remarks>One writer at a time; readers need no lock for anything up to a head that they have read.</remarks>
internal sealed class IndexContents
{
    private readonly NameTable<string> types = new(text => text);
    private readonly ConcurrentDictionary<string, string> tagKeys = new(StringComparer.Ordinal);
    private readonly NameTable<Tag> tags;
    private readonly AppendOnlyList<PostingList> typePostings = new();
    private readonly AppendOnlyList<PostingList> tagPostings = new();
    private readonly AppendOnlyList<int> typeOfEvent = new();
    private readonly PackedEnds packedEnds = new();
    private int typesPublished;
    private int tagsPublished;
    private int head;

    public IndexContents() => tags = new NameTable<Tag>(ReadTag);

    /// <summary>The last position. After reading it, a reader sees everything up to it.</summary>
    public int Head => Volatile.Read(ref head);

    public int TypeCount => types.Count;

    public int TagCount => tags.Count;

    /// <summary>The offset at which the packed copy of the position begins.</summary>
    public long PackedStart(long position) => position == 1 ? PackedEvents.HeaderLength : packedEnds[(int)position - 2];

    /// <summary>The offset at which the packed copy of the position ends; for 0, the offset at which the first one begins.</summary>
    public long PackedEnd(long position) => position == 0 ? PackedEvents.HeaderLength : packedEnds[(int)position - 1];

    public string TypeName(int number) => types.Get(number);

    public Tag TagOf(int number) => tags.Get(number);

    /// <summary>The type's number, or -1.</summary>
    public int FindType(string type)
    {
        var lengthMax = Encoding.UTF8.GetMaxByteCount(type.Length);
        var text = lengthMax > 512 ? new byte[lengthMax] : stackalloc byte[512];
        return types.Find(text[..Encoding.UTF8.GetBytes(type, text)]);
    }

    /// <summary>The tag's number, or -1.</summary>
    public int FindTag(Tag tag)
    {
        var lengthMax = Encoding.UTF8.GetMaxByteCount(tag.Key.Length + 1 + tag.Value.Length);
        var rented = lengthMax > 512 ? ArrayPool<byte>.Shared.Rent(lengthMax) : null;
        var text = rented ?? stackalloc byte[512];
        var length = Encoding.UTF8.GetBytes(tag.Key, text);
        text[length++] = (byte)':';
        length += Encoding.UTF8.GetBytes(tag.Value, text[length..]);
        var number = tags.Find(text[..length]);
        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
        return number;
    }

    /// <summary>Adds the frames at the start of the bytes; returns the number of bytes in whole, valid frames that follow the index.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="length">The number of bytes to use.</param>
    /// <param name="frame">The frame reader; it is empty afterwards.</param>
    [MethodImpl(FirstCall.Optimized)]
    public int Add(byte[] bytes, int length, IndexFrame frame)
    {
        var place = 0;
        while (length - place > IndexFrame.HeaderLength)
        {
            var stated = BitConverter.ToUInt32(bytes, place);
            if (stated == 0 || stated > length - place - IndexFrame.HeaderLength)
                break;
            var end = place + IndexFrame.HeaderLength + (int)stated;
            if (!frame.TryRead(bytes, place, end, this))
                break;
            Add(frame);
            place = end;
        }
        return place;
    }

    /// <summary>Adds a frame that <see cref="IndexFrame.TryRead"/> has validated against this index.</summary>
    [MethodImpl(FirstCall.Optimized)]
    public void Add(IndexFrame frame)
    {
        // Order matters: a reader that finds a name uses its list at once, whichever head it reads to.
        foreach (var name in frame.NewTypes)
        {
            typePostings.Add(default);
            types.Add(frame.Text(name));
        }
        foreach (var name in frame.NewTags)
        {
            tagPostings.Add(default);
            tags.Add(frame.Text(name));
        }
        var position = head;
        var numbers = frame.TagNumbers;
        var end = PackedEnd(position);
        foreach (var entry in frame.Events)
        {
            position++;
            typeOfEvent.Add(entry.Type);
            typePostings[entry.Type].Add(position);
            for (var at = 0; at < entry.TagCount; at++)
                tagPostings[numbers[at]].Add(position);
            numbers = numbers[entry.TagCount..];
            end += entry.PackedLength;
            packedEnds.Add(end);
        }
        // Readers that enumerate all names, and not those of an event, use these counts.
        Volatile.Write(ref typesPublished, types.Count);
        Volatile.Write(ref tagsPublished, tags.Count);
        // Order matters: a reader that reads the head must find everything up to it.
        Volatile.Write(ref head, position);
    }

    /// <summary>
    /// The lowest position after <paramref name="after"/> that the query matches; <see cref="PositionCursor.None"/> when there is none.
    /// </summary>
    public int FirstMatch(Query query, long after)
    {
        var last = Head;
        if (after >= last)
            return PositionCursor.None;
        var from = (int)after + 1;
        if (query.IsAll)
            return from;
        var lowest = PositionCursor.None;
        foreach (var item in query.ItemSpan)
        {
            if (LastPossibleMatch(item) < from)
                continue;
            var found = ItemCursorFor(item, last)?.SeekForward(from) ?? PositionCursor.None;
            if (found != PositionCursor.None && (lowest == PositionCursor.None || found < lowest))
                lowest = found;
        }
        return lowest;
    }

    /// <summary>The positions up to the head that the query matches.</summary>
    public PositionCursor Find(Query query, int head, int from, bool backwards)
    {
        if (query.IsAll)
            return new PositionCursor(null, head, from, backwards);
        var cursors = new List<ItemCursor>(query.ItemSpan.Length);
        foreach (var item in query.ItemSpan)
        {
            if (ItemCursorFor(item, head) is { } cursor)
                cursors.Add(cursor);
        }
        return new PositionCursor([.. cursors], head, from, backwards);
    }

    /// <summary>The event types up to the head with the most events, and how many types there are.</summary>
    public (EventTypeCount[] Listed, int Total) CountTypes(int head, int listedMax)
    {
        var uses = new List<NameUse>();
        for (var number = 0; number < Volatile.Read(ref typesPublished); number++)
        {
            if (typePostings[number].UpTo(head).Count is var events and > 0)
                uses.Add(new NameUse(types.Get(number)) { Uses = events });
        }
        uses.Sort(NameUse.MostFirst);
        var listed = new EventTypeCount[Math.Min(uses.Count, listedMax)];
        for (var at = 0; at < listed.Length; at++)
            listed[at] = new EventTypeCount(uses[at].Name, uses[at].Uses);
        return (listed, uses.Count);
    }

    /// <summary>The tag keys up to the head that events carry most often, and how many keys there are.</summary>
    public (TagKeyCount[] Listed, int Total) CountTagKeys(int head, int listedMax)
    {
        var keys = new Dictionary<string, NameUse>(StringComparer.Ordinal);
        var keysByText = keys.GetAlternateLookup<ReadOnlySpan<char>>();
        Span<char> text = stackalloc char[Tag.MaxKeyLength];
        for (var number = 0; number < Volatile.Read(ref tagsPublished); number++)
        {
            var uses = tagPostings[number].UpTo(head).Count;
            if (uses == 0)
                continue;
            // Creating an object for every tag would keep them all in memory.
            var name = tags.Text(number);
            var key = text[..Encoding.UTF8.GetChars(name[..name.IndexOf((byte)':')], text)];
            if (!keysByText.TryGetValue(key, out var use))
                keysByText[key] = use = new NameUse(key.ToString());
            use.Uses += uses;
            use.Tags.Add(number);
        }
        var most = new List<NameUse>(keys.Values);
        most.Sort(NameUse.MostFirst);
        if (most.Count > listedMax)
            most.RemoveRange(listedMax, most.Count - listedMax);
        foreach (var use in most)
            use.Uses = CountEvents(use, head);
        most.Sort(NameUse.MostFirst);
        var listed = new TagKeyCount[most.Count];
        for (var at = 0; at < listed.Length; at++)
            listed[at] = new TagKeyCount(most[at].Name, most[at].Uses, most[at].Tags.Count);
        return (listed, keys.Count);
    }

    // An event may carry several tags of a key.
    private long CountEvents(NameUse use, int head)
    {
        if (use.Tags.Count == 1)
            return use.Uses;
        var carry = new System.Collections.BitArray(head + 1);
        var events = 0L;
        foreach (var number in use.Tags)
        {
            foreach (var position in tagPostings[number].UpTo(head).All)
            {
                if (carry[position])
                    continue;
                carry[position] = true;
                events++;
            }
        }
        return events;
    }

    // No event after this position matches; for a single tag this is exact.
    private int LastPossibleMatch(QueryItem item)
    {
        var last = int.MaxValue;
        foreach (var tag in item.TagSpan)
        {
            var number = FindTag(tag);
            last = Math.Min(last, number < 0 ? 0 : tagPostings[number].Last);
        }
        if (item.EventTypeSpan.Length == 0)
            return last;
        var lastOfTypes = 0;
        foreach (var type in item.EventTypeSpan)
        {
            var number = FindType(type);
            lastOfTypes = Math.Max(lastOfTypes, number < 0 ? 0 : typePostings[number].Last);
        }
        return Math.Min(last, lastOfTypes);
    }

    // Null: nothing can match.
    private ItemCursor? ItemCursorFor(QueryItem item, int head)
    {
        var tagNumbers = item.TagSpan;
        var tagPositions = new Postings[tagNumbers.Length];
        for (var at = 0; at < tagPositions.Length; at++)
        {
            var number = FindTag(tagNumbers[at]);
            if (number < 0)
                return null;
            tagPositions[at] = tagPostings[number].UpTo(head);
        }
        Array.Sort(tagPositions, static (left, right) => left.Count.CompareTo(right.Count));
        var typeNumbers = new List<int>(item.EventTypeSpan.Length);
        foreach (var type in item.EventTypeSpan)
        {
            var number = FindType(type);
            if (number >= 0)
                typeNumbers.Add(number);
        }
        if (item.EventTypeSpan.Length > 0 && typeNumbers.Count == 0)
            return null;
        if (tagPositions.Length > 0)
            return new ItemCursor(tagPositions, [], [.. typeNumbers], typeOfEvent);
        return new ItemCursor([], [.. typeNumbers.Select(number => typePostings[number].UpTo(head))], [], typeOfEvent);
    }

    // Many tags share a key, which is kept once.
    private Tag ReadTag(string text)
    {
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        var key = text[..colon];
        return Tag.Trusted(tagKeys.GetOrAdd(key, key), text[(colon + 1)..]);
    }
}
