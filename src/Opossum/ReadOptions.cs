namespace Opossum;

/// <summary>Where a read begins and ends, which way it goes and how far. All that is set counts: the read ends where the first of them ends it.</summary>
public sealed record ReadOptions
{
    /// <summary>Forwards from the first event, without limit.</summary>
    public static ReadOptions Default { get; } = new();

    /// <summary>
    /// The first position that may be read, itself included, in either direction. Null, the default: the first event
    /// forwards, the last one backwards. It may lie beyond the head: then nothing is read forwards, and everything backwards.
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
    /// The last position that may be read, itself included, in either direction: forwards the highest one, backwards the lowest one. Null, the
    /// default: the last event forwards, the first one backwards. It may lie beyond the head, and on the other side of <see cref="From"/>:
    /// then nothing is read.
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

    /// <summary>From the highest position to the lowest. Default: false.</summary>
    public bool Backwards { get; init; }

    /// <summary>At most so many events. 0 reads none. Null, the default: no limit.</summary>
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
