namespace Opossum;

/// <summary>The range, direction and limit of a read. All options apply together: the read ends at the first bound it reaches.</summary>
public sealed record ReadOptions
{
    /// <summary>The default options: forwards from the first event, without limit.</summary>
    public static ReadOptions Default { get; } = new();

    /// <summary>
    /// The position at which the read starts, inclusive, in either direction. Null, the default: the first event
    /// forwards, the last event backwards. A position beyond the head is allowed: a forward read then returns nothing, a backward read everything.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative.</exception>
    public long? From
    {
        get;
        init
        {
            if (value is { } position)
                ArgumentOutOfRangeException.ThrowIfNegative(position, nameof(From));
            field = value;
        }
    }

    /// <summary>
    /// The position at which the read ends, inclusive, in either direction: the highest position forwards, the lowest backwards. Null, the
    /// default: the last event forwards, the first event backwards. A position beyond the head is allowed, and so is a position on the other side
    /// of <see cref="From"/>: the read then returns nothing.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative.</exception>
    public long? UpTo
    {
        get;
        init
        {
            if (value is { } position)
                ArgumentOutOfRangeException.ThrowIfNegative(position, nameof(UpTo));
            field = value;
        }
    }

    /// <summary>Whether to read from the highest position to the lowest. Default: false.</summary>
    public bool Backwards { get; init; }

    /// <summary>The maximum number of events. 0 reads none. Null, the default: no limit.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The limit is negative.</exception>
    public long? Limit
    {
        get;
        init
        {
            if (value is { } limit)
                ArgumentOutOfRangeException.ThrowIfNegative(limit, nameof(Limit));
            field = value;
        }
    }
}
