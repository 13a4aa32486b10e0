using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// The newest part of the index, in memory, replayed from the frames: the types and tags of each position, and the place of each line.
/// </summary>
/// <remarks>One writer at a time; readers need no lock for anything up to a head that they have read.</remarks>
internal sealed class IndexTail : IIndexPart
{
    private readonly NameTable types = new();
    private readonly NameTable tags = new();
    private readonly AppendOnlyList<PostingList> typePostings = new();
    private readonly AppendOnlyList<PostingList> tagPostings = new();
    private readonly AppendOnlyList<int> typeOfEvent = new();
    private readonly AppendOnlyList<long> lineEnds = new();
    private readonly int basis;
    private readonly long lineBasis;
    private int[] tailNumbers = new int[16];
    private int typesPublished;
    private int tagsPublished;
    private int head;

    /// <param name="basis">The last position before the tail.</param>
    /// <param name="lineBasis">The offset at which the line of that position ends.</param>
    /// <param name="chain">The checksum of the frame before the tail; of the first frame, that of the file's header.</param>
    public IndexTail(int basis, long lineBasis, uint chain)
    {
        this.basis = basis;
        this.lineBasis = lineBasis;
        head = basis;
        Chain = chain;
    }

    public int Basis => basis;

    /// <summary>The last position. After reading it, a reader sees everything up to it.</summary>
    public int Head => Volatile.Read(ref head);

    public int Count => Head - basis;

    /// <summary>The checksum of the last frame, for the writer.</summary>
    public uint Chain { get; private set; }

    public int TypeAt(int position) => typeOfEvent[position - basis - 1];

    /// <summary>The offset at which the line of the position ends; for the basis, the offset at which the first one begins.</summary>
    public long LineEnd(long position) => position == basis ? lineBasis : lineEnds[(int)position - basis - 1];

    public int FindType(string type)
    {
        var lengthMax = Encoding.UTF8.GetMaxByteCount(type.Length);
        var text = lengthMax > 512 ? new byte[lengthMax] : stackalloc byte[512];
        return types.Find(text[..Encoding.UTF8.GetBytes(type, text)]);
    }

    public int FindTag(Tag tag)
    {
        var lengthMax = Encoding.UTF8.GetMaxByteCount(tag.Key.Length + 1 + tag.Value.Length);
        var rented = lengthMax > 512 ? ArrayPool<byte>.Shared.Rent(lengthMax) : null;
        var text = rented ?? stackalloc byte[512];
        var length = Encoding.UTF8.GetBytes(tag.Key, text);
        if (tag.HasValue)
        {
            text[length++] = (byte)':';
            length += Encoding.UTF8.GetBytes(tag.Value, text[length..]);
        }
        var number = tags.Find(text[..length]);
        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
        return number;
    }

    /// <summary>Adds the frames at the start of the bytes; returns the number of bytes in whole, valid frames that follow the index.</summary>
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
            if (!frame.TryRead(bytes, place, end, head, Chain))
                break;
            Add(frame);
            place = end;
        }
        return place;
    }

    /// <summary>Adds a frame that <see cref="IndexFrame.TryRead"/> has validated against this tail.</summary>
    [MethodImpl(FirstCall.Optimized)]
    public void Add(IndexFrame frame)
    {
        var typeCount = frame.Types.Length;
        var nameCount = typeCount + frame.Tags.Length;
        if (tailNumbers.Length < nameCount)
            tailNumbers = new int[Math.Max(nameCount, tailNumbers.Length * 2)];
        for (var at = 0; at < nameCount; at++)
        {
            if (at < typeCount)
                tailNumbers[at] = FindOrAdd(types, typePostings, frame.Text(frame.Types[at]));
            else
                tailNumbers[at] = FindOrAdd(tags, tagPostings, frame.Text(frame.Tags[at - typeCount]));
        }
        var position = head;
        var numbers = frame.TagNumbers;
        var end = LineEnd(position);
        foreach (var entry in frame.Events)
        {
            position++;
            var type = tailNumbers[entry.Type];
            typeOfEvent.Add(type);
            typePostings[type].Add(position);
            for (var at = 0; at < entry.TagCount; at++)
                tagPostings[tailNumbers[typeCount + numbers[at]]].Add(position);
            numbers = numbers[entry.TagCount..];
            end += entry.LineLength;
            lineEnds.Add(end);
        }
        Chain = frame.Checksum;
        // Readers that enumerate all names, and not those of an event, use these counts.
        Volatile.Write(ref typesPublished, types.Count);
        Volatile.Write(ref tagsPublished, tags.Count);
        // Order matters: written before the lists, the head would let a reader miss an event up to it.
        Volatile.Write(ref head, position);
    }

    public int TagCount => tags.Count;

    /// <summary>The types and the number of their events, in the order of their numbers.</summary>
    public List<(byte[] Text, int Events)> ReadTypes()
    {
        var read = new List<(byte[] Text, int Events)>(types.Count);
        for (var number = 0; number < types.Count; number++)
            read.Add((types.Text(number).ToArray(), PositionsOfType(number).Length));
        return read;
    }

    public ReadOnlySpan<byte> TypeText(int number) => types.Text(number);

    public ReadOnlySpan<byte> TagText(int number) => tags.Text(number);

    public ReadOnlySpan<int> PositionsOfType(int number) => typePostings[number].UpTo(int.MaxValue).All;

    public ReadOnlySpan<int> PositionsOfTag(int number) => tagPostings[number].UpTo(int.MaxValue).All;

    /// <summary>The lowest position at or above another that the query matches; <see cref="PositionCursor.None"/> when there is none.</summary>
    public int FirstMatch(Query query, int from)
    {
        var last = Head;
        var lowest = PositionCursor.None;
        foreach (var item in query.ItemSpan)
        {
            if (LastPossibleMatch(item) < from)
                continue;
            var found = CursorFor(item, last)?.Seek(from, backwards: false) ?? PositionCursor.None;
            if (found != PositionCursor.None && (lowest == PositionCursor.None || found < lowest))
                lowest = found;
        }
        return lowest;
    }

    public ItemCursor? CursorFor(SoughtItem item, int head) => CursorFor(item.Item, head);

    /// <summary>Does nothing: the tail is in memory.</summary>
    public bool Prefetch(SoughtItem item) => true;

    public void CountTypes(int head, Dictionary<string, NameUse> uses)
    {
        for (var number = 0; number < Volatile.Read(ref typesPublished); number++)
        {
            if (typePostings[number].UpTo(head).Count is > 0 and var events)
                NameUse.Of(Encoding.UTF8.GetString(types.Text(number)), uses).Events += events;
        }
    }

    /// <summary>Adds the tags of events up to the head to the uses of their keys.</summary>
    public void CountTags(int head, Dictionary<string, NameUse> keys)
    {
        var keysByText = keys.GetAlternateLookup<ReadOnlySpan<char>>();
        Span<char> text = stackalloc char[Tag.MaxKeyLength];
        for (var number = 0; number < Volatile.Read(ref tagsPublished); number++)
        {
            var uses = tagPostings[number].UpTo(head).Count;
            if (uses == 0)
                continue;
            // Creating an object for every tag would keep them all in memory.
            var name = tags.Text(number);
            var key = text[..Encoding.UTF8.GetChars(name[..IndexFrame.KeyLength(name)], text)];
            if (!keysByText.TryGetValue(key, out var use))
                keysByText[key] = use = new NameUse(key.ToString());
            use.Events += uses;
            use.TailTags.Add(number);
        }
    }

    /// <summary>The number of events up to the head that carry any of the tags. An event may carry several.</summary>
    public int CountEvents(List<int> tagNumbers, int head)
    {
        if (tagNumbers.Count == 1)
            return tagPostings[tagNumbers[0]].UpTo(head).Count;
        var carry = new System.Collections.BitArray(head - basis + 1);
        var events = 0;
        foreach (var number in tagNumbers)
        {
            foreach (var position in tagPostings[number].UpTo(head).All)
            {
                if (carry[position - basis])
                    continue;
                carry[position - basis] = true;
                events++;
            }
        }
        return events;
    }

    private static int FindOrAdd(NameTable names, AppendOnlyList<PostingList> postings, ReadOnlySpan<byte> text)
    {
        var number = names.Find(text);
        if (number >= 0)
            return number;
        // The list before the name: a reader that finds the name uses the list at once, up to any head.
        postings.Add(default);
        return names.Add(text);
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
    private ItemCursor? CursorFor(QueryItem item, int head)
    {
        var tagNumbers = item.TagSpan;
        var tagPositions = new ArrayPostings[tagNumbers.Length];
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
            return new ItemCursor(tagPositions, [], [.. typeNumbers], this);
        return new ItemCursor([], [.. typeNumbers.Select(number => typePostings[number].UpTo(head))], [], this);
    }
}
