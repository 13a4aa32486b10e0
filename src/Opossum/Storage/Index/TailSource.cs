namespace Opossum.Storage.Index;

/// <summary>A run made of a tail.</summary>
internal sealed class TailSource : IRunSource
{
    private readonly IndexTail tail;
    private readonly NameHash hash;

    /// <param name="tail">The tail; nothing is added to it meanwhile.</param>
    /// <param name="frames">The frames of the tail's events.</param>
    /// <param name="length">The number of positions of the smallest runs.</param>
    /// <param name="fan">The number of runs that become one.</param>
    public TailSource(IndexTail tail, FrameRange frames, Guid storeId, int length, int fan)
    {
        this.tail = tail;
        hash = new NameHash(storeId);
        Types = tail.ReadTypes();
        var keys = new Dictionary<string, NameUse>(StringComparer.Ordinal);
        tail.CountTags(tail.Head, keys);
        foreach (var use in keys.Values)
            use.Events = tail.CountEvents(use.TailTags, tail.Head);
        Keys = [.. keys.Values.OrderBy(static use => use.Name, StringComparer.Ordinal)];
        Header = new RunHeader
        {
            StoreId = storeId,
            Basis = tail.Basis,
            Last = tail.Head,
            Length = length,
            Fan = fan,
            FrameStart = frames.Start,
            LastFrame = frames.Last,
            FrameEnd = frames.End,
            ChainBefore = frames.ChainBefore,
            Chain = tail.Chain,
            LineStart = tail.LineEnd(tail.Basis),
            LineEnd = tail.LineEnd(tail.Head),
            TypeCount = Types.Count,
            TypeTableLength = RunTables.LengthOfTypes(Types),
            KeyTableLength = RunTables.LengthOfKeys(Keys),
            NameCount = Types.Count + tail.TagCount,
        };
    }

    public RunHeader Header { get; }

    public IReadOnlyList<(byte[] Text, int Events)> Types { get; }

    public IReadOnlyList<NameUse> Keys { get; }

    public IEnumerable<(int Type, long LineEnd)> Events()
    {
        for (var position = tail.Basis + 1; position <= tail.Head; position++)
            yield return (tail.TypeAt(position), tail.LineEnd(position));
    }

    public IEnumerable<RunEntry> Names()
    {
        var order = new (ulong Hash, int Number, bool IsType)[Header.NameCount];
        for (var number = 0; number < Types.Count; number++)
            order[number] = (hash.Of(tail.TypeText(number), isType: true), number, true);
        for (var number = 0; number < tail.TagCount; number++)
            order[Types.Count + number] = (hash.Of(tail.TagText(number), isType: false), number, false);
        Array.Sort(order, Compare);
        var entry = new RunEntry();
        foreach (var (hashed, number, isType) in order)
        {
            entry.Begin((isType ? tail.TypeText(number) : tail.TagText(number)).ToArray(), isType ? number : -1, hashed);
            var positions = isType ? tail.PositionsOfType(number) : tail.PositionsOfTag(number);
            positions.CopyTo(entry.Add(positions.Length));
            yield return entry;
        }
    }

    private int Compare((ulong Hash, int Number, bool IsType) left, (ulong Hash, int Number, bool IsType) right)
    {
        var byHash = left.Hash.CompareTo(right.Hash);
        if (byHash != 0)
            return byHash;
        return RunOrder.CompareTexts(left.IsType, TextOf(left), right.IsType, TextOf(right));
    }

    private ReadOnlySpan<byte> TextOf((ulong Hash, int Number, bool IsType) name) =>
        name.IsType ? tail.TypeText(name.Number) : tail.TagText(name.Number);
}
