namespace Opossum.Testing.Races;

/// <summary>One run of all decisions, in one interleaving.</summary>
internal sealed class RaceRun
{
    // A decision that retries forever, such as one with the same condition again, ends the run.
    private const int CallsMax = 1_000;

    private readonly List<RaceCall> calls = [];
    private readonly RaceActor[] actors;
    private int shape;
    private int shapedCount;

    public RaceRun(IReadOnlyList<RaceDecision> decisions, WindowStore window, TestClock clock, bool checksPurity)
    {
        Clock = clock;
        ChecksPurity = checksPurity;
        actors = [.. decisions.Select((decision, index) => new RaceActor(index, decision, this))];
        foreach (var actor in actors)
            actor.Start(window);
    }

    public TestClock Clock { get; }

    public bool ChecksPurity { get; }

    /// <summary>What is wrong with a decision projection; null: nothing was found.</summary>
    public string? Impurity { get; set; }

    public IReadOnlyList<RaceActor> Actors => actors;

    /// <summary>What the decisions did so far, in order.</summary>
    public IReadOnlyList<RaceCall> Calls => calls;

    /// <summary>The decisions that have not ended, as bits.</summary>
    public int Enabled
    {
        get
        {
            var enabled = 0;
            foreach (var actor in actors)
                enabled |= actor.Next is null ? 0 : 1 << actor.Index;
            return enabled;
        }
    }

    /// <summary>The shape of the run so far, which is the same when it is repeated.</summary>
    public int Shape
    {
        get
        {
            for (; shapedCount < calls.Count; shapedCount++)
                shape = HashCode.Combine(shape, calls[shapedCount].Shape);
            return shape;
        }
    }

    public void Note(RaceCall call)
    {
        lock (calls)
            calls.Add(call);
    }

    public void Step(int actor)
    {
        if (calls.Count >= CallsMax)
        {
            throw new TestFailedException($"\"{actors[actor].Name}\" has not ended after {CallsMax} calls of all decisions. After a conflict it must "
                + "read again, decide again and append with a new condition.");
        }

        actors[actor].Step();
    }

    /// <summary>Whether two calls that wait now have the same effects in either order.</summary>
    public bool AreIndependent(int first, int second) => IsRead(actors[first].Next) && IsRead(actors[second].Next);

    private static bool IsRead(RaceCall? call) => call is { Kind: RaceCallKind.Read or RaceCallKind.ReadHead };
}
