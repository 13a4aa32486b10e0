namespace Opossum;

/// <summary>Where a read begins, which way it goes and how far.</summary>
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
