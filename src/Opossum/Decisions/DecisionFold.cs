namespace Opossum.Decisions;

/// <summary>One projection while a decision model is built, whatever its state.</summary>
internal abstract class DecisionFold
{
    public abstract QueryItem Item { get; }

    public abstract bool ReadsLastOnly { get; }

    /// <summary>Applies the event if it counts.</summary>
    public abstract void Apply(SequencedEvent e);

    public static DecisionFold<TState> Of<TState>(DecisionProjection<TState> projection)
    {
        ArgumentNullException.ThrowIfNull(projection);
        return new DecisionFold<TState>(projection);
    }
}

/// <summary>One projection while a decision model is built, and its state so far.</summary>
internal sealed class DecisionFold<TState>(DecisionProjection<TState> projection) : DecisionFold
{
    public TState State { get; private set; } = projection.InitialState;

    public override QueryItem Item { get; } = projection.Item;

    public override bool ReadsLastOnly => projection.ReadsLastOnly;

    public override void Apply(SequencedEvent e)
    {
        if (projection.Matches(e))
            State = projection.Apply(State, e);
    }
}
