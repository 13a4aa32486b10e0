namespace Opossum;

/// <summary>The options of an export.</summary>
public sealed record ExportOptions
{
    /// <summary>The events to export. Default: <see cref="Query.All"/>.</summary>
    public Query Query { get; init; } = Query.All;

    /// <summary>The position after which the export starts. Default: 0, from the first event.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative.</exception>
    public long After { get; init => field = NotNegative(value, nameof(After)); }

    /// <summary>The last position to export. Null, the default: the head.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative.</exception>
    public long? UpTo { get; init => field = value is { } position ? NotNegative(position, nameof(UpTo)) : null; }

    private static long NotNegative(long position, string name)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position, name);
        return position;
    }
}
