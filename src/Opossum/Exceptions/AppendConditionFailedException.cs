namespace Opossum;

/// <summary>Thrown when an append's condition fails because a matching event exists. Nothing was appended.</summary>
/// <remarks>Read again, decide again and append with a new condition: the same append with the same condition always fails.</remarks>
public sealed class AppendConditionFailedException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="condition">The condition that failed.</param>
    /// <param name="conflictingPosition">The lowest position of a matching event.</param>
    /// <param name="head">The store's last position when the condition was checked.</param>
    public AppendConditionFailedException(AppendCondition condition, long conflictingPosition, long head)
        : base(Describe(condition, conflictingPosition, head))
    {
        Condition = condition;
        ConflictingPosition = conflictingPosition;
        Head = head;
    }

    /// <summary>The condition that failed.</summary>
    public AppendCondition Condition { get; }

    /// <summary>The lowest position after <see cref="AppendCondition.After"/> whose event matches.</summary>
    public long ConflictingPosition { get; }

    /// <summary>The store's last position when the condition was checked.</summary>
    public long Head { get; }

    /// <summary>False: events are never removed, so the same condition fails again. Read again and decide again.</summary>
    public override bool IsTransient => false;

    private static string Describe(AppendCondition condition, long conflictingPosition, long head)
    {
        ArgumentNullException.ThrowIfNull(condition);
        var after = condition.After is { } position ? $" after position {position}" : "";
        return $"Nothing was appended: the event at position {conflictingPosition} matches {condition.FailIfEventsMatch}{after}, which the "
            + $"append's condition forbids. The head is {head}. Read again and decide again.";
    }
}
