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

    [Fact]
    public void Power_cut_that_takes_events_which_were_not_flushed() => TryEverywhere(flush: false, _ => { });

    [Fact]
    public void Power_cut_that_takes_events_after_another_leader_wrote_smaller_groups()
    {
        var cases =
            kinds.Where(kind => kind is not (VolumeKind.Smb or VolumeKind.Nfs)).SelectMany(kind => CasesOf(ProjectionScenario.Updates, kind,
                flush: false)).ToList();
        Cases.TryEach(Cases.Some(cases, 80), TrySecondLeader, output, Cases.PowerCuts);
    }

    [Fact]
    public void Truncation_after_a_power_cut_that_brought_an_older_checkpoint_back() => TryEverywhere(flush: true, Truncate);

    [Fact]
    public void Restored_backup_after_a_power_cut_that_brought_an_older_checkpoint_back() => TryEverywhere(flush: true, RestoreBackup);

    private void TryEverywhere(bool flush, Action<Place> take)
    {
        // On a share every event is flushed.
        var cases =
            kinds.Where(kind => flush
                || kind is not (VolumeKind.Smb or VolumeKind.Nfs)).SelectMany(kind =>
                    scenarios.SelectMany(scenario => CasesOf(scenario, kind, flush))).ToList();
        Cases.TryEach(Cases.Some(cases, 120), each => Try(each, take), output, Cases.PowerCuts);
    }

    private static IEnumerable<LossCase> CasesOf(ProjectionScenario scenario, VolumeKind kind, bool flush)
    {
        var start = scenario.Start(kind);
        return scenario.Operations(start, flush).Select((operation, at) => new LossCase(scenario, kind, start, flush, at + 1, operation.ToString()));
    }

    private static int Try(LossCase each, Action<Place> take)
    {
        var process = each.Scenario.Ready(each.Start, each.Flush);
        var disk = process.Client.Disk;
        disk.CutAfter(each.Operation);
        Attempt.UntilTheEnd(() => each.Scenario.Play(process));
        var states = 0;
        foreach (var cut in Cases.EachPowerCut())
        {
            foreach (var others in (int[])[0, 3, 12])
            {
                try
                {
                    CheckAfter(disk.AfterPowerCut(cut), each.Operation + others, others, take);
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
    private static int TrySecondLeader(LossCase each)
    {
        var states = 0;
        for (var operations = 1; operations < 80; operations += 3)
        {
            var process = each.Scenario.Ready(each.Start, each.Flush);
            var disk = process.Client.Disk;
            process.Client.KillAfter(each.Operation);
            Attempt.UntilTheEnd(() => each.Scenario.Play(process));
            var second = new SteppedProjection(disk.Attach(), cachedStatesMax: 1, flush: false);
            disk.CutAfter(operations);
            Attempt.UntilTheEnd(second.Run);
            foreach (var mode in (PowerCutMode[])[PowerCutMode.LosesAll, PowerCutMode.Random])
            {
                try
                {
                    CheckAfter(disk.AfterPowerCut(new PowerCut(mode, each.Operation)), operations, others: operations % 2 * 12, static _ => { });
                }
                catch (Exception e)
                {
                    throw new InvalidOperationException($"{mode} after operation {operations} of the second leader: {e.Message}", e);
                }
                states++;
            }
        }
        return states;
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

    private sealed record LossCase(ProjectionScenario Scenario, VolumeKind Kind, SimulatedDisk Start, bool Flush, int Operation, string What)
    {
        public override string ToString() => $"{Scenario} on {Kind}, power off after operation {Operation} ({What})";
    }
}
