namespace Opossum.Testing.Races;

/// <summary>What a decision did in a run: a call to the store with its outcome, or a side effect.</summary>
internal sealed class RaceCall(int actor, RaceCallKind kind)
{
    public int Actor => actor;

    public RaceCallKind Kind => kind;

    public Query? Query { get; init; }

    public IReadOnlyList<NewEvent>? Events { get; init; }

    public AppendCondition? Condition { get; init; }

    public string? Effect { get; init; }

    public long Head { get; set; }

    /// <summary>The number of events that a read returned.</summary>
    public int Returned { get; set; }

    public AppendResult? Appended { get; set; }

    public AppendConditionFailedException? Conflict { get; set; }

    /// <summary>The store's refusal, other than a conflict.</summary>
    public Exception? Refusal { get; set; }

    /// <summary>
    /// The same in every repetition of a run, whatever values a decision makes up: the kinds of calls, the event types and the outcomes.
    /// </summary>
    public int Shape
    {
        get
        {
            var shape = HashCode.Combine(actor, kind, Head, Returned, Appended, Conflict?.ConflictingPosition);
            foreach (var item in (Query ?? Condition?.FailIfEventsMatch)?.Items ?? [])
            {
                foreach (var type in item.Types)
                    shape = HashCode.Combine(shape, type);
            }
            foreach (NewEvent? e in Events ?? [])
                shape = HashCode.Combine(shape, e?.Type, e?.Data?.GetType());
            return shape;
        }
    }
}
