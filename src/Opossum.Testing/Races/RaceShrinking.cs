using Opossum.Testing.Given;

namespace Opossum.Testing.Races;

/// <summary>Makes a fault as small as it stays the same fault: fewer decisions, then fewer given events; and describes it.</summary>
internal sealed class RaceShrinking(RaceSetting setting, int interleavingsMax, int seed, CancellationToken cancellationToken)
{
    // More given events than this are not left out one by one.
    private const int GivenMax = 100;

    private bool isAtEnd;

    public string Describe(FaultyRun found, IReadOnlyList<RaceDecision> decisions)
    {
        var (smallest, given) = (found, setting.Given);
        if (found.Fault.CanShrink)
        {
            var (smaller, needed) = WithFewerDecisions(found, decisions);
            (smallest, given) = WithFewerEvents(smaller, needed);
        }
        return EventText.List($"{smallest.Fault.Text}\nGiven", smallest.Events.Take(given.Count)) + "\n"
            + EventText.List("When", smallest.Lines) + "\n"
            + EventText.List("Then", smallest.Events.Skip(given.Count));
    }

    private (FaultyRun Run, IReadOnlyList<RaceDecision> Decisions) WithFewerDecisions(FaultyRun found, IReadOnlyList<RaceDecision> decisions)
    {
        var subsets = Enumerable.Range(1, (1 << decisions.Count) - 2).OrderBy(static bits => int.PopCount(bits));
        foreach (var bits in subsets)
        {
            var fewer = decisions.Where((_, at) => (bits & (1 << at)) != 0).ToList();
            if (Try(() => RaceSearch.Find(setting, fewer, interleavingsMax, seed, cancellationToken)) is { } run && run.Fault.Key == found.Fault.Key)
                return (run, fewer);
        }
        return (found, decisions);
    }

    // An event is left out only if the same calls break the same rule without it.
    private (FaultyRun Run, GivenEvents Given) WithFewerEvents(FaultyRun found, IReadOnlyList<RaceDecision> decisions)
    {
        var (run, given) = (found, setting.Given);
        for (var index = given.Count - 1; index >= 0 && setting.Given.Count <= GivenMax; index--)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var fewer = given.Without(index);
            if (Try(() => RaceSearch.Repeat(setting with { Given = fewer }, decisions, run.Order)) is { } repeated
                && repeated.Fault.Key == found.Fault.Key && repeated.Lines.Length == run.Lines.Length)
            {
                (run, given) = (repeated, fewer);
            }
        }
        return (run, given);
    }

    // With less, a decision may never end. That is another fault than the one that was found, and takes long to see: no more is tried.
    private FaultyRun? Try(Func<FaultyRun?> run)
    {
        try
        {
            return isAtEnd ? null : run();
        }
        catch (TestFailedException)
        {
            isAtEnd = true;
            return null;
        }
    }
}
