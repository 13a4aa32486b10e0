using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Projections;

/// <summary>
/// A leader is interrupted at each of its file operations. Whatever is left, the next one comes to exact states, and what was read stays.
/// </summary>
public sealed class ProjectionCrashTests(ITestOutputHelper output)
{
    private static readonly VolumeKind[] kinds =
        [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

    [Fact]
    public void Power_cut_during_the_first_build_costs_nothing() => CutEverywhere(ProjectionScenario.FirstBuild);

    [Fact]
    public void Power_cut_during_an_update_costs_nothing() => CutEverywhere(ProjectionScenario.Update);

    [Fact]
    public void Power_cut_while_taking_over_costs_nothing() => CutEverywhere(ProjectionScenario.TakeOver);

    [Fact]
    public void Power_cut_during_a_rebuild_costs_nothing() => CutEverywhere(ProjectionScenario.Rebuild);

    [Fact]
    public void Power_cut_while_states_change_one_by_one_costs_nothing() => CutEverywhere(ProjectionScenario.OneByOne);

    [Fact]
    public void Killed_leader_is_followed_by_one_that_makes_sure_of_what_it_finds()
    {
        ProjectionScenario[] scenarios = [.. ProjectionScenario.All, ProjectionScenario.OneByOne];
        var cases =
            scenarios.SelectMany(scenario => kinds.SelectMany(kind => CasesOf(scenario, kind))).Where(each => !each.During
                && !each.IsAtTheEnd).ToList();
        Cases.TryEach(Cases.Some(cases, 24), Kill, output);
    }

    private void CutEverywhere(ProjectionScenario scenario)
    {
        var cases = kinds.SelectMany(kind => CasesOf(scenario, kind)).ToList();
        // The ends are few, and the longest promise: each is tried.
        Cases.TryEach([.. Cases.Some(cases.Where(static each => !each.IsAtTheEnd), 72), .. cases.Where(static each => each.IsAtTheEnd)], Cut, output,
            Cases.PowerCuts);
    }

    private static IEnumerable<CrashCase> CasesOf(ProjectionScenario scenario, VolumeKind kind)
    {
        var start = scenario.Start(kind);
        var operations = scenario.Operations(start);
        return operations.SelectMany((operation,
            at) => Cases.CutsAround(operation).Select(during => new CrashCase(scenario, kind, start, at + 1, operation.ToString(), during)))
            .Append(new CrashCase(scenario, kind, start, operations.Count, "the end", During: false, IsAtTheEnd: true));
    }

    private static int Cut(CrashCase each)
    {
        var process = each.Scenario.Ready(each.Start);
        var before = process.ReadAll();
        var disk = process.Client.Disk;
        if (each.IsAtTheEnd)
        {
            each.Scenario.Play(process);
            // What was waited for stays.
            before = process.ReadAll();
        }
        else if (each.During)
        {
            disk.CutDuring(each.Operation);
        }
        else
        {
            disk.CutAfter(each.Operation);
        }
        if (!each.IsAtTheEnd)
            Attempt.UntilTheEnd(() => each.Scenario.Play(process));
        var states = 0;
        foreach (var cut in Cases.EachPowerCut())
        {
            Explain($"{cut}", () => ProjectionScenario.CheckAfter(disk, before, cut));
            states++;
        }
        return states;
    }

    private static int Kill(CrashCase each)
    {
        var process = each.Scenario.Ready(each.Start);
        process.Client.KillAfter(each.Operation);
        Attempt.UntilTheEnd(() => each.Scenario.Play(process));
        var disk = process.Client.Disk;
        var next = new SteppedProjection(disk.Attach());
        next.CheckStates(next.Events());
        next.Run();
        next.CheckExact();
        PowerCut[] cuts =
            [new(PowerCutMode.LosesAll), new(PowerCutMode.Random, each.Operation), new(PowerCutMode.Random, each.Operation + 1),
                new(PowerCutMode.Tears, each.Operation)];
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

    private sealed record CrashCase(ProjectionScenario Scenario, VolumeKind Kind, SimulatedDisk Start, int Operation, string What, bool During,
        bool IsAtTheEnd = false)
    {
        public override string ToString() => $"{Scenario} on {Kind}, {(During ? "during" : "after")} operation {Operation} ({What})";
    }
}
