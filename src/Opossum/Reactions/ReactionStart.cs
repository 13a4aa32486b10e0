using System.Globalization;

namespace Opossum;

/// <summary>Where a reaction begins when it is started for the first time on a store. Later starts continue where it is.</summary>
public sealed class ReactionStart
{
    private ReactionStart(long? position, DateTimeOffset? time)
    {
        Position = position;
        FirstTime = time;
    }

    /// <summary>After the head that the store has when the reaction is started: it handles only events that are appended from then on.</summary>
    public static ReactionStart Head { get; } = new(null, null);

    /// <summary>At the first event of the store.</summary>
    public static ReactionStart Beginning { get; } = new(0, null);

    /// <summary>The position after which it begins; null: another start.</summary>
    internal long? Position { get; }

    /// <summary>The time at which it begins; null: another start.</summary>
    internal DateTimeOffset? FirstTime { get; }

    /// <summary>After a position: the next event is the first that can be handled.</summary>
    /// <param name="position">The position, from 0 to the store's head; the reaction waits if the store is shorter.</param>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative.</exception>
    public static ReactionStart After(long position)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        return new ReactionStart(position, null);
    }

    /// <summary>
    /// At a time: it handles the events whose <see cref="SequencedEvent.Timestamp"/> is not before it. Older events are never handled, also not those
    /// that are imported later with their own times; this counts at every start of the reaction, also on a store on which it has begun before. A
    /// damaged event between older ones counts as older.
    /// </summary>
    /// <param name="time">The time.</param>
    public static ReactionStart Time(DateTimeOffset time) => new(null, time);

    /// <inheritdoc/>
    public override string ToString() => this switch
    {
        { Position: { } position } => string.Create(CultureInfo.InvariantCulture, $"after position {position}"),
        { FirstTime: { } time } => $"at {time.UtcDateTime:O}",
        _ => "after the head",
    };
}
