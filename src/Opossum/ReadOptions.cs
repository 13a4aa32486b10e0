namespace Opossum;

/// <summary>
/// The range, direction and limit of a read: the events after <see cref="After"/>, up to <see cref="UpTo"/>, in either direction.
/// </summary>
public sealed record ReadOptions
{
    /// <summary>The default options: forwards from the first event, without limit.</summary>
    internal static ReadOptions Default { get; } = new();

    /// <summary>
    /// The position after which events are read: the first one that can be is the next. 0, the default: from the first event. A position beyond
    /// the head is allowed: nothing is read.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative.</exception>
    public long After
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value, nameof(After));
            field = value;
        }
    }

    /// <summary>
    /// The last position that is read. Null, the default: up to the head. A position beyond the head is allowed, and so is one that is not after
    /// <see cref="After"/>: nothing is read.
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

    /// <summary>
    /// Whether to read from the highest position to the lowest: the same events, in reverse. Default: false.
    /// </summary>
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
