using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Repair;

namespace Opossum.Tests.Projections;

/// <summary>
/// A power cut, a truncation or a backup takes events that states have counted already, and others get their positions. The states may be ahead
/// of the checkpoint that is left, and that one may fit: all the same, each state comes out as the events that are there make it.
/// </summary>
public sealed class LostEventsTests(ITestOutputHelper output)
{
    private static readonly VolumeKind[] kinds = [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs];

    private static readonly ProjectionScenario[] scenarios = [ProjectionScenario.Updates, ProjectionScenario.RebuildOfUpdates];

    // What takes events; on a share every event is flushed.
    private static readonly Loss[] losses =
    [
        new("a power cut that takes events which were not flushed", VolumeKinds.Local, Flush: false, static _ => { }),
        new("a truncation after a power cut that brought an older checkpoint back", kinds, Flush: true, Truncate),
        new("a restored backup after a power cut that brought an older checkpoint back", kinds, Flush: true, RestoreBackup),
    ];

    [Fact]
    public void States_come_out_as_the_events_that_are_left_make_them()
    {
        var groups =
            from loss in losses
            from kind in loss.Kinds
            from scenario in scenarios
            select new CaseGroup<LossCase>(() => CasesOf(loss, scenario, kind));
        Cases.TryEach(groups, Try, output, Cases.PowerCuts, share: 0.5);
    }

    [Fact]
    public void Power_cut_takes_events_after_another_leader_wrote_smaller_groups() => Cases.TryEach(
        VolumeKinds.Local.Select(static kind => new CaseGroup<LossCase>(() => CasesOf(losses[0], ProjectionScenario.Updates, kind))
            .With([.. Enumerable.Range(0, 27).Select(static at => 1 + 3 * at)], static (each, operations) => (Case: each, Operations: operations))),
        static each => TrySecondLeader(each.Case, each.Operations), output, Cases.PowerCuts, share: 0.5);

    // One process appends without flushing, another one keeps the states. As a process reads them that may not write: nobody has looked at them yet.
    [Fact]
    public void No_state_is_ahead_of_the_events_that_a_power_cut_has_left() => Cases.TryEach(
        VolumeKinds.Local.Select(static kind => new CaseGroup<(VolumeKind Kind, Cut Cut)>(() =>
        {
            var disk = new SimulatedDisk(kind, new SimulatedClock()) { Trace = [] };
            AppendBesideALeader(disk);
            return [.. Cut.Each(disk.Trace).Select(cut => (kind, cut))];
        })),
        static each => TryBesideALeader(each.Kind, each.Cut), output, Cases.PowerCuts);

    // Who skips it, skips the position.
    [Fact]
    public void No_fault_is_ahead_of_the_events_that_a_power_cut_has_left() => Assert.All(VolumeKinds.Local, static kind =>
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        var appender = new SteppedProjection(disk.Attach(), flush: false);
        appender.Append(Counts.Counted("a"));
        var leader = new SteppedProjection(disk.Attach(), flush: false);
        leader.Run();
        appender.Append(Counts.Touched("nobody"));
        leader.Run();
        Assert.Equal(2, (leader.Term.Live ?? leader.Term.Rebuild)!.Fault!.Position);

        var after = disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll));

        var events = new SteppedProjection(after.Attach()).Events();
        Assert.Equal(2, events.Count);
    });

    private static int TryBesideALeader(VolumeKind kind, Cut cut)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        cut.Prepare(disk);
        Attempt.UntilTheEnd(() => AppendBesideALeader(disk));
        var states = 0;
        foreach (var mode in Cases.PowerCutsAt(cut.Operation))
        {
            var after = disk.AfterPowerCut(mode);
            // Recovery says which events are left.
            var events = new SteppedProjection(after.Attach()).Events();
            var reader = new SteppedProjection(after.Attach(), readOnly: true);
            Assert.All(reader.ReadAll().Values, state => Assert.InRange(state.Position, 1, events.Count));
            reader.CheckStates(events);
            states++;
        }
        return states;
    }

    private static void AppendBesideALeader(SimulatedDisk disk)
    {
        var appender = new SteppedProjection(disk.Attach(), flush: false);
        appender.Append(NewEvent.FromJson("other", "{}"));
        var leader = new SteppedProjection(disk.Attach(), flush: false);
        for (var round = 0; round < 3; round++)
        {
            appender.Append(Counts.Counted("a", $"k{round}"), Counts.Counted("b"));
            leader.Run();
        }
    }

    private static List<LossCase> CasesOf(Loss loss, ProjectionScenario scenario, VolumeKind kind)
    {
        var start = scenario.Start(kind);
        return [.. scenario.Operations(start, loss.Flush).Select((operation, at) =>
            new LossCase(loss, scenario, kind, start, at + 1, operation.ToString()))];
    }

    private static int Try(LossCase each)
    {
        var process = each.Scenario.Ready(each.Start, each.Loss.Flush);
        var disk = process.Client.Disk;
        disk.CutAfter(each.Operation);
        Attempt.UntilTheEnd(() => each.Scenario.Play(process));
        var states = 0;
        foreach (var cut in Cases.PowerCutsAt(each.Operation))
        {
            foreach (var others in (int[])[0, 3, 12])
            {
                try
                {
                    CheckAfter(disk.AfterPowerCut(cut), each.Operation + others, others, each.Loss.Take);
                }
                catch (Exception e)
                {
                    throw new InvalidOperationException($"{cut}, {others} others: {e.Message}", e);
                }
                states++;
            }
        }
        return states;
    }

    // The first leader is killed with states ahead of its checkpoint; the second one has counted some of their events when the power goes.
    private static int TrySecondLeader(LossCase each, int operations)
    {
        var process = each.Scenario.Ready(each.Start, each.Loss.Flush);
        var disk = process.Client.Disk;
        process.Client.KillAfter(each.Operation);
        Attempt.UntilTheEnd(() => each.Scenario.Play(process));
        var second = new SteppedProjection(disk.Attach(), cachedStatesMax: 1, flush: false);
        disk.CutAfter(operations);
        Attempt.UntilTheEnd(second.Run);
        PowerCutMode[] modes = [PowerCutMode.LosesAll, PowerCutMode.Random];
        foreach (var mode in modes)
        {
            try
            {
                CheckAfter(disk.AfterPowerCut(new PowerCut(mode, each.Operation)), operations, others: operations % 2 * 12, static _ => { });
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"{mode}: {e.Message}", e);
            }
        }
        return modes.Length;
    }

    private static void CheckAfter(SimulatedDisk disk, int seed, int others, Action<Place> take)
    {
        // Recovery says which events are left.
        var head = new SteppedProjection(disk.Attach()).Events().Count;
        take(new Place(disk, new Random(seed).Next(ProjectionScenario.FirstCount, head + 1)));
        var process = new SteppedProjection(disk.Attach());
        for (var at = 0; at < others; at++)
            process.Append(at % 5 == 4 ? Counts.Deleted("a") : Counts.Counted("a", $"z{at}"));
        process.CheckStatus(process.Events());
        process.Run();
        process.CheckExact();
        process.Append(Counts.Counted("a"), Counts.Deleted("e"));
        process.Run();
        process.CheckExact();
    }

    private static void Truncate(Place place) => StorePlace.On(place.Disk).Repair(Remedies.Truncate(place.After));

    // As a backup has it: the event files alone, up to some append.
    private static void RestoreBackup(Place place)
    {
        var store = StorePlace.On(place.Disk);
        foreach (var path in store.Snapshot(store.Layout.Index).Keys.Where(path => path != store.Layout.Index))
            store.Delete(path);
        for (var position = place.After + 1; store.Exists(store.Layout.EventFile(position)); position++)
            store.Delete(store.Layout.EventFile(position));
    }

    /// <summary>What is left, and the last event that is to stay.</summary>
    private sealed record Place(SimulatedDisk Disk, int After);

    private sealed record Loss(string Name, VolumeKind[] Kinds, bool Flush, Action<Place> Take);

    private sealed record LossCase(Loss Loss, ProjectionScenario Scenario, VolumeKind Kind, SimulatedDisk Start, int Operation, string What)
    {
        public override string ToString() => $"{Loss.Name}: {Scenario} on {Kind}, power off after operation {Operation} ({What})";
    }
}
