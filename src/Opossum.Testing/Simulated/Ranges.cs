namespace Opossum.Testing.Simulated;

/// <summary>Parts of a file, each from its first byte to its exclusive end.</summary>
internal sealed class Ranges
{
    private List<(int Start, int End)> parts = [];

    public bool IsEmpty => parts.Count == 0;

    public void Add(int start, int end)
    {
        if (start < end)
            parts.Add((start, end));
    }

    public void Subtract(int start, int end)
    {
        if (parts.Count == 0)
            return;

        List<(int, int)> left = [];
        foreach (var part in parts)
        {
            if (part.Start < Math.Min(part.End, start))
                left.Add((part.Start, Math.Min(part.End, start)));

            if (Math.Max(part.Start, end) < part.End)
                left.Add((Math.Max(part.Start, end), part.End));
        }

        parts = left;
    }

    /// <summary>The parts of these ranges between start and end.</summary>
    public IEnumerable<(int Start, int End)> Within(int start, int end) => parts
        .Select(part => (Start: Math.Max(part.Start, start), End: Math.Min(part.End, end)))
        .Where(part => part.Start < part.End);
}
