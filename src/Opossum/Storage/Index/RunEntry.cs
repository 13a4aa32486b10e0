namespace Opossum.Storage.Index;

/// <summary>A name and its positions, on the way into a run. Used again for each name.</summary>
internal sealed class RunEntry
{
    private int[] positions = new int[16];

    /// <summary>The name's UTF-8 text.</summary>
    public byte[] Text { get; private set; } = [];

    /// <summary>The number of the type; -1 for a tag.</summary>
    public int TypeNumber { get; private set; }

    public ulong Hash { get; private set; }

    public int Count { get; private set; }

    public ReadOnlySpan<int> Positions => positions.AsSpan(0, Count);

    public void Begin(byte[] text, int typeNumber, ulong hash)
    {
        Text = text;
        TypeNumber = typeNumber;
        Hash = hash;
        Count = 0;
    }

    /// <summary>Room for further positions.</summary>
    public Span<int> Add(int count)
    {
        if (positions.Length - Count < count)
            Array.Resize(ref positions, Math.Max(Count + count, positions.Length * 2));
        Count += count;
        return positions.AsSpan(Count - count, count);
    }
}
