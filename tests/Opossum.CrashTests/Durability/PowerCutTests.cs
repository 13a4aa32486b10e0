using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>The power is cut after or during each operation of a scenario: what was acknowledged is there, and nothing else is.</summary>
public sealed class PowerCutTests(ITestOutputHelper output)
{
    private static readonly PowerCut[] firstCuts =
        [new(PowerCutMode.KeepsAll), new(PowerCutMode.ZeroesBytes), new(PowerCutMode.LosesNames), new(PowerCutMode.Tears, 1)];
    private static readonly PowerCut[] secondCuts = [.. PowerCut.Each(seeds: 1, from: Seed.Value + 1)];

    [Fact]
    public void Appends_are_there_as_a_whole_or_not_at_all() => CutEverywhere(
        (Scenarios.LoneAppends, VolumeKinds.All),
        (Scenarios.Groups, VolumeKinds.All),
        (Scenarios.GroupsBesideForeignDirtyBytes, [VolumeKind.Ext4, VolumeKind.Btrfs]),
        (Scenarios.GroupsWhereOnlyTheWholeIsFlushed, [VolumeKind.Posix]),
        (Scenarios.MultiEventAppend, VolumeKinds.All),
        (Scenarios.LargeAppend, VolumeKinds.All),
        (Scenarios.GroupBeyondOpenFiles, [VolumeKind.Ext4]),
        (Scenarios.TwoProcesses, VolumeKinds.All),
        (Scenarios.PeersThatCrash, VolumeKinds.All),
        (Scenarios.PeerThatCrashesBeforeItsFlush, VolumeKinds.All),
        (Scenarios.SetAside, VolumeKinds.Local),
        (Scenarios.TakenBack, [VolumeKind.Btrfs]),
        (Scenarios.ShardChange, VolumeKinds.Local),
        (Scenarios.LoneShardChange, VolumeKinds.Local));

    [Fact]
    public void Appends_to_the_journal_survive() => CutEverywhere(
        (Scenarios.Journal, VolumeKinds.Local),
        (Scenarios.JournalInTurns, VolumeKinds.Local),
        (Scenarios.JournalOfTwo, VolumeKinds.Local),
        (Scenarios.JournalOfOne, VolumeKinds.Local),
        (Scenarios.JournalOfDead, VolumeKinds.Local));

    [Fact]
    public void Appends_without_flushing_are_lost_as_a_whole_from_the_end() => CutEverywhere(
        share: 0.5,
        (Scenarios.Unflushed, VolumeKinds.Local),
        (Scenarios.FlushedBehindUnflushed, VolumeKinds.Local));

    [Fact]
    public void What_openings_and_background_work_write_survives() => CutEverywhere(
        (Scenarios.Creation, VolumeKinds.All),
        (Scenarios.CreationThatOthersFinish, VolumeKinds.All),
        (Scenarios.UnflushedCreation, VolumeKinds.Local),
        (Scenarios.Rebuild, VolumeKinds.All),
        (Scenarios.LongRebuild, VolumeKinds.Local),
        (Scenarios.Runs, VolumeKinds.All),
        (FaultScenarios.Opening, VolumeKinds.All));

    [Fact]
    public void Recovery_can_itself_be_cut_off()
    {
        (Scenario, VolumeKind[])[] all =
        [
            (Scenarios.Groups, VolumeKinds.All), (Scenarios.MultiEventAppend, VolumeKinds.All), (Scenarios.LoneAppends, VolumeKinds.All),
            (Scenarios.PeersThatCrash, VolumeKinds.All),
            (Scenarios.Rebuild, VolumeKinds.All), (Scenarios.Creation, VolumeKinds.All), (FaultScenarios.Opening, VolumeKinds.All),
        ];
        Cases.TryEach(
            On(all, static on => Cut.Each(on.Operations).SelectMany(_ => firstCuts, (cut, powerCut) => new RecoveryCase(on, cut, powerCut)),
                static each => each.Cut),
            CutRecovery, output, Cases.PowerCuts, share: 0.25);
    }

    // A second cut that brought back the old index file, but not the lines that it names, left a store that refused to open.
    [Fact]
    public void Index_that_was_replaced_after_a_power_cut_does_not_come_back_with_the_next_one()
    {
        var on = Scenarios.Unflushed.On(VolumeKind.Posix);
        var cases = Cut.Each(on.Operations).Where(static each => each.What.Contains("types-and-tags.idx", StringComparison.Ordinal))
            .SelectMany(static _ => Enumerable.Range(0, 100), static (cut, seed) => (Cut: cut, Seed: seed));
        Cases.TryEach([.. cases], each =>
        {
            var (disk, history) = Play(on, each.Cut);
            var after = disk.AfterPowerCut(new PowerCut(PowerCutMode.Random, each.Seed));
            var ids = Promises.Check(after, history, deep: false);
            Promises.CheckStill(after.AfterPowerCut(new PowerCut(PowerCutMode.Random, each.Seed + 1)), ids);
            return 2;
        }, output, Cases.PowerCuts, share: 0.25);
    }

    private void CutEverywhere(params (Scenario, VolumeKind[])[] scenarios) => CutEverywhere(1, scenarios);

    private void CutEverywhere(double share, params (Scenario, VolumeKind[])[] scenarios) => Cases.TryEach(
        On(scenarios, static on => Cut.Each(on.Operations).Select(cut => new CutCase(on, cut))), CutOnce, output, Cases.PowerCuts, share: share);

    private static IEnumerable<CaseGroup<T>> On<T>((Scenario Scenario, VolumeKind[] Kinds)[] scenarios,
        Func<ScenarioOnDisk, IEnumerable<T>> casesOf, Func<T, object>? kindOf = null) =>
        from each in scenarios
        from kind in each.Kinds
        select new CaseGroup<T>(() => [.. casesOf(each.Scenario.On(kind))], each.Scenario.Every) { KindOf = kindOf };

    private static int CutOnce(CutCase each)
    {
        var (disk, history) = Play(each.On, each.Cut);
        var states = 0;
        foreach (var powerCut in Cases.PowerCutsAt(each.Cut.Operation))
        {
            Explain(() => Promises.CheckAfter(disk, powerCut, history, each.On.Scenario), $"{powerCut}", disk, history);
            states++;
        }
        return states;
    }

    // The power is cut, comes back, and is cut again after or during each operation of the recovery and of the append after it.
    private static int CutRecovery(RecoveryCase each)
    {
        var (disk, history) = Play(each.On, each.Cut);
        var left = disk.AfterPowerCut(each.PowerCut);
        var recovery = new ScenarioOnDisk(new Scenario("recovery", (client, tried) => SteppedStore.Open(client).Append(tried.New(2))),
            each.On.Kind, (left, history));
        var states = 0;
        foreach (var cut in Cut.Each(recovery.Operations))
        {
            var (again, tried) = Play(recovery, cut);
            var secondCut = secondCuts[states++ % secondCuts.Length];
            Explain(() => Promises.CheckAfter(again, secondCut, tried, recovery.Scenario), $"{cut}, {secondCut}", again, tried);
        }
        return states;
    }

    private static (SimulatedDisk Disk, History History) Play(ScenarioOnDisk on, Cut cut)
    {
        var (disk, history) = on.Begin();
        cut.Prepare(disk);
        Attempt.UntilTheEnd(() => on.Scenario.Play(disk.Attach(), history));
        Assert.True(disk.IsOff);
        return (disk, history);
    }

    private static void Explain(Action check, string what, SimulatedDisk disk, History history)
    {
        try
        {
            check();
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"{what}: {e.Message}{Environment.NewLine}{history}{Environment.NewLine}not flushed: "
                + $"{string.Join("; ", disk.Journal.Pending.Select(each => $"{each.FromName} -> {each.ToName}"))}", e);
        }
    }

    private sealed record CutCase(ScenarioOnDisk On, Cut Cut)
    {
        public override string ToString() => $"{On}, {Cut}";
    }

    private sealed record RecoveryCase(ScenarioOnDisk On, Cut Cut, PowerCut PowerCut)
    {
        public override string ToString() => $"recovery of {On}, {Cut}, {PowerCut}";
    }
}
