using System.Text;
using Opossum.Storage.Log;

namespace Opossum.Storage.Index;

/// <summary>The index: runs, which do not change, and after them the tail, which grows with each commit.</summary>
/// <remarks>One writer at a time; readers need no lock for anything up to a head that they have read.</remarks>
/// <param name="runs">The runs, which follow each other from position 1 on.</param>
internal sealed class IndexContents(IndexRun[] runs, IndexTail tail, NameHash hash) : ILinePlaces
{
    private static readonly Query forgotten = Query.FromEventTypes(PersonForgotten.Name);

    /// <summary>An empty index.</summary>
    /// <param name="chain">The checksum in the header of the index file.</param>
    public IndexContents(uint chain = 0)
        : this([], new IndexTail(0, 0, chain), default)
    {
    }

    public IndexRun[] Runs => runs;

    public IndexTail Tail => tail;

    /// <summary>The last position. After reading it, a reader sees everything up to it.</summary>
    public int Head => tail.Head;

    /// <summary>The checksum of the last frame, for the writer.</summary>
    public uint Chain => tail.Chain;

    /// <inheritdoc/>
    public long LineStart(long position) => LineEnd(position - 1);

    /// <inheritdoc/>
    public long LineEnd(long position) =>
        position >= tail.Basis ? tail.LineEnd(position) : RunOf((int)position).LineEnd((int)position);

    public bool HasType(string type)
    {
        if (tail.FindType(type) >= 0)
            return true;
        if (runs.Length == 0)
            return false;
        var name = RunName.OfType(type, hash);
        return Array.Exists(runs, run => run.Has(name));
    }

    /// <inheritdoc cref="IndexTail.Add(byte[], int, IndexFrame)"/>
    public int Add(byte[] bytes, int length, IndexFrame frame) => tail.Add(bytes, length, frame);

    /// <summary>
    /// The lowest position after <paramref name="after"/> that the query matches; <see cref="PositionCursor.None"/> when there is none.
    /// </summary>
    public int FirstMatch(Query query, long after)
    {
        if (after >= Head)
            return PositionCursor.None;
        var from = (int)after + 1;
        if (query.IsAll)
            return from;
        // Most conditions are about events that were appended lately.
        return from > tail.Basis ? tail.FirstMatch(query, from) : Find(query, Head, from, backwards: false).Next();
    }

    public bool HasForgottenAfter(long position) => FirstMatch(forgotten, position) > 0;

    public PositionCursor Find(Query query, int head, int from, bool backwards) => query.IsAll
        ? new PositionCursor(head, from, backwards)
        : new PositionCursor([.. runs, tail], [.. SoughtItems(query)], head, from, backwards);

    /// <summary>How much of the index up to the head is in runs.</summary>
    public IndexStatus Status(int head)
    {
        var bytes = 0L;
        foreach (var run in runs)
            bytes += run.Header.PageCount * (long)RunPage.Length;
        return new IndexStatus
        {
            Runs = runs.Length,
            EventsInRuns = tail.Basis,
            RunBytes = bytes,
            EventsReplayed = head - tail.Basis,
        };
    }

    /// <summary>The event types up to the head with the most events, and how many types there are.</summary>
    public (EventTypeCount[] Listed, int Total) CountTypes(int head, int listedMax)
    {
        var types = new Dictionary<string, NameUse>(StringComparer.Ordinal);
        foreach (var run in runs)
        {
            foreach (var (text, events) in RunTables.ReadTypes(run))
                NameUse.Of(Encoding.UTF8.GetString(text), types).Events += events;
        }
        tail.CountTypes(head, types);
        var most = NameUse.MostFirst(types);
        var listed = new EventTypeCount[Math.Min(most.Count, listedMax)];
        for (var at = 0; at < listed.Length; at++)
            listed[at] = new EventTypeCount { EventType = most[at].Name, Events = most[at].Events };
        return (listed, most.Count);
    }

    /// <summary>The tag keys up to the head that events carry most often, and how many keys there are.</summary>
    public (TagKeyCount[] Listed, int Total) CountTagKeys(int head, int listedMax)
    {
        var keys = new Dictionary<string, NameUse>(StringComparer.Ordinal);
        tail.CountTags(head, keys);
        foreach (var use in keys.Values)
            use.Events = tail.CountEvents(use.TailTags, head);
        AddKeysOfRuns(keys);
        var most = NameUse.MostFirst(keys);
        var listed = new TagKeyCount[Math.Min(most.Count, listedMax)];
        for (var at = 0; at < listed.Length; at++)
        {
            listed[at] = new TagKeyCount
            {
                Key = most[at].Name,
                Events = most[at].Events,
                Values = most[at].Tags + CountNew(most[at].TailTags),
            };
        }
        return (listed, most.Count);
    }

    // A tag that events of several runs carry counts once.
    private void AddKeysOfRuns(Dictionary<string, NameUse> keys)
    {
        foreach (var run in runs)
        {
            foreach (var key in RunTables.ReadKeys(run))
            {
                var use = NameUse.Of(key.Name, keys);
                use.Events += key.Events;
                if (runs.Length == 1)
                    use.Tags = key.Tags;
            }
        }
        if (runs.Length <= 1)
            return;
        var keysByText = keys.GetAlternateLookup<ReadOnlySpan<char>>();
        Span<char> text = stackalloc char[Tag.MaxKeyLength];
        foreach (var scans in RunScan.Merge(runs))
        {
            if (scans[0].Place.TypeNumber >= 0)
                continue;
            var tag = scans[0].Text;
            var length = IndexFrame.KeyLength(tag);
            if (length < 1 || !keysByText.TryGetValue(text[..Encoding.UTF8.GetChars(tag.AsSpan(0, length), text)], out var use))
                throw scans[0].Run.Forged();
            use.Tags++;
        }
    }

    // The number of the tail's tags that no run has.
    private int CountNew(List<int> tailTags)
    {
        if (runs.Length == 0)
            return tailTags.Count;
        var count = 0;
        foreach (var number in tailTags)
        {
            var text = tail.TagText(number).ToArray();
            var name = new RunName(text, IsType: false, hash.Of(text, isType: false));
            if (!Array.Exists(runs, run => run.Has(name)))
                count++;
        }
        return count;
    }

    public IndexRun RunOf(int position)
    {
        var (low, high) = (0, runs.Length - 1);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (runs[middle].Last < position)
                low = middle + 1;
            else
                high = middle;
        }
        return runs[low];
    }

    private List<SoughtItem> SoughtItems(Query query)
    {
        var items = new List<SoughtItem>(query.ItemSpan.Length);
        foreach (var item in query.ItemSpan)
            items.Add(new SoughtItem(item, hash));
        return items;
    }
}
