using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Projections;

/// <summary>
/// A leader is interrupted at each of its file operations. Whatever is left, the next one comes to exact states, and what was read stays.
/// </summary>
public sealed class ProjectionCrashTests(ITestOutputHelper output)
{
    private static readonly ProjectionScenario[] scenarios = [.. ProjectionScenario.All, ProjectionScenario.OneByOne];

    [Fact]
    public void Power_cut_or_kill_at_each_operation_costs_nothing() => Cases.TryEach(Groups(static (start, operations) =>
        from cut in Cut.Each(operations)
        from how in cut.During ? (Interruption[])[Interruption.PowerCut] : [Interruption.PowerCut, Interruption.Kill]
        select new CrashCase(start, cut, how)),
        static each => each.How == Interruption.Kill ? Kill(each) : CutOnce(each), output, Cases.PowerCuts, share: 0.75);

    // What was waited for stays: the ends are few, and the longest promise.
    [Fact]
    public void Power_cut_at_the_end_costs_nothing() => Cases.TryEach(Groups(static (start, operations) =>
        [new CrashCase(start, new Cut(operations.Count, During: false, "the end"), Interruption.PowerCut, IsAtTheEnd: true)]), CutOnce, output,
        Cases.PowerCuts, share: 0.25);

    private static IEnumerable<CaseGroup<CrashCase>> Groups(
        Func<(ProjectionScenario, VolumeKind, SimulatedDisk), List<SimulatedOperation>, IEnumerable<CrashCase>> casesOf) =>
        from scenario in scenarios
        from kind in VolumeKinds.All
        select new CaseGroup<CrashCase>(() =>
        {
            var start = scenario.Start(kind);
            return [.. casesOf((scenario, kind, start), scenario.Operations(start))];
        });

    private static int CutOnce(CrashCase each)
    {
        var process = each.On.Scenario.Ready(each.On.Start);
        var before = process.ReadAll();
        var disk = process.Client.Disk;
        if (each.IsAtTheEnd)
        {
            each.On.Scenario.Play(process);
            // What was waited for stays.
            before = process.ReadAll();
        }
        else
        {
            each.Cut.Prepare(disk);
            Attempt.UntilTheEnd(() => each.On.Scenario.Play(process));
        }
        var states = 0;
        foreach (var cut in Cases.PowerCutsAt(each.Cut.Operation))
        {
            Explain($"{cut}", () => ProjectionScenario.CheckAfter(disk, before, cut));
            states++;
        }
        return states;
    }

    private static int Kill(CrashCase each)
    {
        var process = each.On.Scenario.Ready(each.On.Start);
        process.Client.KillAfter(each.Cut.Operation);
        Attempt.UntilTheEnd(() => each.On.Scenario.Play(process));
        var disk = process.Client.Disk;
        var next = new SteppedProjection(disk.Attach());
        next.CheckStates(next.Events());
        next.Run();
        next.CheckExact();
        PowerCut[] cuts =
            [new(PowerCutMode.LosesAll), new(PowerCutMode.Random, each.Cut.Operation), new(PowerCutMode.Random, each.Cut.Operation + 1),
                new(PowerCutMode.Tears, each.Cut.Operation)];
        foreach (var cut in cuts)
            Explain($"{cut}", () => ProjectionScenario.CheckAfter(disk, cut));
        next.Append(Counts.Counted("a"), Counts.Deleted("e"));
        next.Run();
        next.CheckExact();
        return cuts.Length;
    }

    private static void Explain(string what, Action check)
    {
        try
        {
            check();
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"{what}: {e.Message}", e);
        }
    }

    private sealed record CrashCase((ProjectionScenario Scenario, VolumeKind Kind, SimulatedDisk Start) On, Cut Cut, Interruption How,
        bool IsAtTheEnd = false)
    {
        public override string ToString() => $"{How} of {On.Scenario} on {On.Kind}, {Cut}";
    }
}
