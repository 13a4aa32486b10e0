using Opossum.Testing.Given;

namespace Opossum.Testing.Races;

/// <summary>
/// Explores the interleavings of a race by running each from the start (stateless search). Those with the fewest switches between decisions come
/// first, so the first fault is found in a simple one. Of interleavings that differ only in the order of neighbouring reads, one runs (sleep sets).
/// </summary>
internal sealed class RaceSearch : IDisposable
{
    // Purity does not depend on the interleaving alone, so a part of the runs shows it.
    private const int PurityRuns = 100;

    private readonly RaceSetting setting;
    private readonly IReadOnlyList<RaceDecision> decisions;
    private readonly RaceStores stores;
    private readonly PriorityQueue<Branch, (int Switches, int Number)> branches = new();
    // For each decision, why it threw first; null: it never did.
    private readonly string?[] errors;
    private int runs;
    private int branchCount;
    private long calls;
    private bool hasAppended;
    // The decisions that have ended at least once without an error of their own, as bits.
    private int working;
    private int firstShape;
    private int[] firstOrder = [];

    private RaceSearch(RaceSetting setting, IReadOnlyList<RaceDecision> decisions)
    {
        this.setting = setting;
        this.decisions = decisions;
        stores = new RaceStores(setting);
        errors = new string?[decisions.Count];
    }

    public static RaceReport Run(RaceSetting setting, IReadOnlyList<RaceDecision> decisions, int interleavingsMax, int seed,
        CancellationToken cancellationToken)
    {
        using var search = new RaceSearch(setting, decisions);
        if (search.Explore(interleavingsMax, seed, cancellationToken) is { } found)
            throw new TestFailedException(new RaceShrinking(setting, interleavingsMax, seed, cancellationToken).Describe(found, decisions));
        return new RaceReport
        {
            Interleavings = search.runs,
            IsExhaustive = search.branches.Count == 0,
            Calls = search.calls,
            Seed = seed,
        };
    }

    /// <summary>Explores without a report; returns the first fault that was found.</summary>
    public static FaultyRun? Find(RaceSetting setting, IReadOnlyList<RaceDecision> decisions, int interleavingsMax, int seed,
        CancellationToken cancellationToken)
    {
        using var search = new RaceSearch(setting, decisions);
        return search.Explore(interleavingsMax, seed, cancellationToken);
    }

    /// <summary>Repeats one interleaving; null when the decisions have no such calls now, or nothing is wrong.</summary>
    public static FaultyRun? Repeat(RaceSetting setting, IReadOnlyList<RaceDecision> decisions, int[] order)
    {
        using var search = new RaceSearch(setting, decisions);
        var window = search.stores.Next(setting.Given);
        var run = new RaceRun(decisions, window, setting.Given.Clock, checksPurity: true);
        foreach (var actor in order)
        {
            if ((run.Enabled & (1 << actor)) == 0)
                return null;
            run.Step(actor);
        }
        return run.Enabled == 0 && RaceJudge.FindFault(run, window, setting) is { } fault ? Faulty(run, window, fault, order) : null;
    }

    public void Dispose() => stores.Dispose();

    private FaultyRun? Explore(int interleavingsMax, int seed, CancellationToken cancellationToken)
    {
        branches.Enqueue(new Branch([], 0, 0, 0), (0, 0));
        var systematicMax = interleavingsMax - (interleavingsMax / 4);
        while (runs < interleavingsMax && (runs < systematicMax || !IsLarge(interleavingsMax)) && branches.TryDequeue(out var branch, out _))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (RunOnce(order => Follow(branch, order)) is { } faulty)
                return faulty;
        }
        var random = new Random(seed);
        while (branches.Count > 0 && runs < interleavingsMax)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (RunOnce(order => Wander(order, random)) is { } faulty)
                return faulty;
        }
        // Twice, because a decision may change something back and forth.
        return CheckRepetition() ?? CheckRepetition() ?? CheckThatAllWork();
    }

    // Whether more interleavings are known than may run, so that a part of them is left to chance.
    private bool IsLarge(int interleavingsMax) => runs + branches.Count > interleavingsMax;

    private FaultyRun? RunOnce(Func<RunningOrder, RaceFault?> choose)
    {
        var window = stores.Next(setting.Given);
        var run = new RaceRun(decisions, window, setting.Given.Clock, checksPurity: runs < PurityRuns);
        var order = new RunningOrder(run);
        var fault = choose(order);
        runs++;
        calls += order.Choices.Count;
        hasAppended |= run.Calls.Any(static call => call.Appended is not null);
        foreach (var actor in run.Actors)
        {
            if (actor.Error is { } error and not AppendConditionFailedException)
                errors[actor.Index] ??= $"{error.GetType()}: {error.Message}";
            else
                working |= 1 << actor.Index;
        }
        fault ??= RaceJudge.FindFault(run, window, setting);
        if (runs == 1)
            (firstOrder, firstShape) = ([.. order.Choices], run.Shape);
        return fault is null ? null : Faulty(run, window, fault, [.. order.Choices]);
    }

    // Takes the branch's choices, then lets each decision run to its end; every other choice on the way becomes a branch.
    private RaceFault? Follow(Branch branch, RunningOrder order)
    {
        foreach (var actor in branch.Choices)
        {
            if (!order.TryStep(actor))
                return NotRepeatable();
        }
        if (branch.Choices.Length > 0 && order.ShapeBeforeLast != branch.Shape)
            return NotRepeatable();
        var (sleeping, switches) = (branch.Sleeping, branch.Switches);
        while (order.Enabled != 0)
        {
            var candidates = order.Enabled & ~sleeping;
            var isRedundant = candidates == 0;
            var first = order.First(isRedundant ? order.Enabled : candidates);
            var explored = 1 << first;
            for (var other = 0; other < decisions.Count && !isRedundant; other++)
            {
                if (other == first || (candidates & (1 << other)) == 0)
                    continue;
                AddBranch(order, other, order.IndependentOf(other, sleeping | explored), switches + order.SwitchesTo(other));
                explored |= 1 << other;
            }
            // The rest of a redundant run equals runs that other branches make; it continues only so that the decisions end.
            sleeping = isRedundant ? ~0 : order.IndependentOf(first, sleeping);
            switches += order.SwitchesTo(first);
            order.TryStep(first);
        }
        return null;
    }

    private void AddBranch(RunningOrder order, int actor, int sleeping, int switches)
    {
        var branch = new Branch([.. order.Choices.Append(actor)], sleeping, switches, order.Shape);
        branches.Enqueue(branch, (switches, branchCount++));
    }

    private static RaceFault? Wander(RunningOrder order, Random random)
    {
        while (order.Enabled is var enabled and not 0)
        {
            // Drops a random number of the lowest bits: each decision is as likely as another.
            for (var skipped = random.Next(int.PopCount(enabled)); skipped > 0; skipped--)
                enabled &= enabled - 1;
            order.TryStep(int.TrailingZeroCount(enabled));
        }
        return null;
    }

    // What a decision leaves outside the store shows when the first interleaving runs again after all others.
    private FaultyRun? CheckRepetition()
    {
        var window = stores.Next(setting.Given);
        var run = new RaceRun(decisions, window, setting.Given.Clock, checksPurity: false);
        var order = new RunningOrder(run);
        var isSame = firstOrder.All(order.TryStep) && order.Enabled == 0 && run.Shape == firstShape;
        Wander(order, new Random(0));
        return isSame ? null : Faulty(run, window, NotRepeatable(), [.. order.Choices]);
    }

    private FaultyRun? CheckThatAllWork()
    {
        var failing = Enumerable.Range(0, decisions.Count).Where(at => hasAppended ? (working & (1 << at)) == 0 : errors[at] is not null)
            .Select(at => $"\"{decisions[at].Name}\" threw {errors[at]}").ToList();
        if (hasAppended && failing.Count == 0)
            return null;
        var text = hasAppended
            ? $"A decision threw in every interleaving, so it was not tried.\n{string.Join('\n', failing)}\n"
                + "One that is meant to throw each time must catch the exception itself."
            : "No decision appended anything in any interleaving, so no rule was tried. "
                + (failing.Count == 0 ? "Are the given events those that the decisions need?" : string.Join("; ", failing));
        return new FaultyRun(new RaceFault("empty", text, CanShrink: false), [], [], []);
    }

    private static FaultyRun Faulty(RaceRun run, WindowStore window, RaceFault fault, int[] order) =>
        new(fault, order, [.. RaceText.Lines(run)], [.. EventsOf(window)]);

    private static IEnumerable<string> EventsOf(WindowStore window) =>
        window.ReadAsync(Query.All).ToBlockingEnumerable().Select(static e => EventText.Of(e));

    private static RaceFault NotRepeatable() => new("not repeatable",
        "A decision did not repeat: after the same calls with the same outcomes it made other calls. It depends on something besides the store, such "
        + "as a variable that an earlier run changed, random numbers or the system's clock. Create what it changes inside the decision.",
        CanShrink: false);

    /// <summary>A prefix to run, whose last choice differs from the runs before.</summary>
    /// <param name="Choices">The decisions in the order of their calls.</param>
    /// <param name="Sleeping">The decisions whose next call need not come next: another branch has it earlier, with the same effect.</param>
    /// <param name="Switches">How often it changes from a decision that could go on to another.</param>
    /// <param name="Shape">The shape of the run before the last choice.</param>
    private sealed record Branch(int[] Choices, int Sleeping, int Switches, int Shape);
}
