namespace Opossum;

/// <summary>An append's condition did not hold: a matching event exists. Nothing was appended.</summary>
/// <remarks>Read again, decide again, append again: the same append with the same condition fails for ever.</remarks>
public sealed class AppendConditionFailedException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="condition">The condition that failed.</param>
    /// <param name="conflictingPosition">The lowest position whose event matches.</param>
    /// <param name="head">The last position when the condition was judged.</param>
    public AppendConditionFailedException(AppendCondition condition, long conflictingPosition, long head)
        : base(Describe(condition, conflictingPosition, head))
    {
        Condition = condition;
        ConflictingPosition = conflictingPosition;
        Head = head;
    }

    /// <summary>The condition that failed.</summary>
    public AppendCondition Condition { get; }

    /// <summary>The lowest position behind <see cref="AppendCondition.After"/> whose event matches.</summary>
    public long ConflictingPosition { get; }

    /// <summary>The last position when the condition was judged.</summary>
    public long Head { get; }

    /// <summary>False: events stay, so the same condition fails again. Read anew and decide anew.</summary>
    public override bool IsTransient => false;

    private static string Describe(AppendCondition condition, long conflictingPosition, long head)
    {
        ArgumentNullException.ThrowIfNull(condition);
        var after = condition.After is { } position ? $" after position {position}" : "";
        return $"Nothing was appended: the event at position {conflictingPosition} matches {condition.FailIfEventsMatch}{after}, which the append's condition forbids. The head is {head}. Read again and decide again.";
    }
}
