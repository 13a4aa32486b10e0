namespace Opossum.Testing.Races;

/// <summary>The order in which a run's decisions make their calls, while it is chosen.</summary>
internal sealed class RunningOrder(RaceRun run)
{
    private readonly List<int> choices = [];

    public IReadOnlyList<int> Choices => choices;

    /// <summary>The decision that made the last call; -1 before the first.</summary>
    public int Current => choices.Count == 0 ? -1 : choices[^1];

    /// <summary>The decisions that have not ended, as bits.</summary>
    public int Enabled => run.Enabled;

    public int Shape => run.Shape;

    public int ShapeBeforeLast { get; private set; }

    /// <summary>Makes the next call of a decision; false when it has ended.</summary>
    public bool TryStep(int actor)
    {
        if ((Enabled & (1 << actor)) == 0)
            return false;
        ShapeBeforeLast = run.Shape;
        choices.Add(actor);
        run.Step(actor);
        return true;
    }

    /// <summary>The current decision if it is among the candidates, or else the first of them.</summary>
    public int First(int candidates) =>
        Current >= 0 && (candidates & (1 << Current)) != 0 ? Current : int.TrailingZeroCount(candidates);

    /// <summary>1 when the current decision could go on and another one continues instead.</summary>
    public int SwitchesTo(int actor) => Current >= 0 && actor != Current && (Enabled & (1 << Current)) != 0 ? 1 : 0;

    /// <summary>Those of the decisions whose waiting call has the same effect before and after the given one's.</summary>
    public int IndependentOf(int actor, int decisions)
    {
        var independent = 0;
        for (var other = 0; other < run.Actors.Count; other++)
        {
            if (other != actor && (decisions & (1 << other)) != 0 && run.AreIndependent(actor, other))
                independent |= 1 << other;
        }
        return independent;
    }
}
