using Opossum.FileSystem.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Projections;

/// <summary>A leader is interrupted at each of its file operations. Whatever is left, the next one comes to exact states, and what was read stays.</summary>
public sealed class ProjectionCrashTests(ITestOutputHelper output)
{
    private static readonly VolumeKind[] Kinds = [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

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
        var cases = scenarios.SelectMany(scenario => Kinds.SelectMany(kind => CasesOf(scenario, kind))).Where(each => !each.During).ToList();
        Cases.TryEach(Cases.Some(cases, 12), Kill, output);
    }

    private void CutEverywhere(ProjectionScenario scenario)
    {
        var cases = Kinds.SelectMany(kind => CasesOf(scenario, kind)).ToList();
        Cases.TryEach(Cases.Some(cases, 36), Cut, output, Cases.PowerCuts);
    }

    private static IEnumerable<CrashCase> CasesOf(ProjectionScenario scenario, VolumeKind kind)
    {
        var start = scenario.Start(kind);
        return scenario.Operations(start).SelectMany((operation, at) => Cases.CutsAround(operation).Select(during => new CrashCase(scenario, kind, start, at + 1, operation.ToString(), during)));
    }

    private static int Cut(CrashCase each)
    {
        var process = each.Scenario.Ready(each.Start);
        var before = process.ReadAll();
        var disk = process.Client.Disk;
        if (each.During)
            disk.CutDuring(each.Operation);
        else
            disk.CutAfter(each.Operation);
        Interrupt(() => each.Scenario.Play(process));
        var states = 0;
        foreach (var cut in PowerCut.Each(seeds: Cases.AreAll ? 3 : 1))
        {
            Explain($"{cut}", () => CheckAfter(disk.AfterPowerCut(cut), before, cut));
            states++;
        }
        return states;
    }

    private static void CheckAfter(SimulatedDisk disk, Dictionary<string, ProjectionEntry<Count>> before, PowerCut cut)
    {
        var process = new SteppedProjection(disk.Attach());
        var events = process.Events();
        process.CheckStates(events);
        var found = process.ReadAll();
        foreach (var (key, state) in before)
            Assert.True(found.TryGetValue(key, out var now) ? now.Position >= state.Position : events.Any(e => e.Type == "deleted" && e.Position > state.Position && e.Tags.Contains(new Tag(Counts.Key, key))), $"{key} was at {state.Position}, is at {now?.Position}");
        process.Run();
        process.CheckExact();
        // What it says is so, on the disk too.
        process = new SteppedProjection(disk.AfterPowerCut(cut with { Seed = cut.Seed + 1000 }).Attach());
        process.CheckStates(events);
        process.Append(Counts.Counted("a"), Counts.Deleted("e"));
        process.Run();
        process.CheckExact();
    }

    private static int Kill(CrashCase each)
    {
        var process = each.Scenario.Ready(each.Start);
        process.Client.KillAfter(each.Operation);
        Interrupt(() => each.Scenario.Play(process));
        var disk = process.Client.Disk;
        var next = new SteppedProjection(disk.Attach());
        next.CheckStates(next.Events());
        next.Run();
        next.CheckExact();
        PowerCut[] cuts = [new(PowerCutMode.LosesAll), new(PowerCutMode.Random, each.Operation), new(PowerCutMode.Random, each.Operation + 1), new(PowerCutMode.Tears, each.Operation)];
        foreach (var cut in cuts)
        {
            Explain($"{cut}", () =>
            {
                var after = new SteppedProjection(disk.AfterPowerCut(cut).Attach());
                after.CheckStates(after.Events());
                after.Run();
                after.CheckExact();
            });
        }
        next.Append(Counts.Counted("a"), Counts.Deleted("e"));
        next.Run();
        next.CheckExact();
        return cuts.Length;
    }

    private static void Interrupt(Action play)
    {
        try
        {
            play();
        }
        catch (Exception e) when (Attempt.End(e) is not null)
        {
            // The power is off, or the process is gone. Otherwise the last operation was carried out, and was the end.
        }
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

    private sealed record CrashCase(ProjectionScenario Scenario, VolumeKind Kind, SimulatedDisk Start, int Operation, string What, bool During)
    {
        public override string ToString() => $"{Scenario} on {Kind}, {(During ? "during" : "after")} operation {Operation} ({What})";
    }
}
