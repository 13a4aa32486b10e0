using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>A process ends in the middle of its work; others go on with what it left, and what they are told is durable.</summary>
public sealed class KilledProcessTests(ITestOutputHelper output)
{
    private static readonly VolumeKind[] kinds =
        [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

    private static readonly VolumeKind[] networkKinds = [VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

    [Fact]
    public void Others_that_have_the_store_open_go_on() =>
        KillEverywhere(othersAreOpen: true, Scenarios.LoneAppends, Scenarios.Groups, Scenarios.MultiEventAppend, Scenarios.RunsOfOne);

    [Fact]
    public void Others_that_open_the_store_later_go_on() =>
        KillEverywhere(othersAreOpen: false, Scenarios.LoneAppends, Scenarios.Groups, Scenarios.MultiEventAppend, Scenarios.Creation,
            Scenarios.Rebuild, Scenarios.RunsOfOne, FaultScenarios.Opening);

    [Fact]
    public void Others_go_on_with_the_journal_of_a_process_that_ended()
    {
        KillEverywhere(othersAreOpen: true, Scenarios.Journal, Scenarios.JournalInTurns);
        KillEverywhere(othersAreOpen: false, Scenarios.Journal, Scenarios.JournalInTurns);
        KillEverywhere(othersAreOpen: true, networkKinds, Scenarios.GroupsInFiles);
        KillEverywhere(othersAreOpen: false, networkKinds, Scenarios.GroupsInFiles);
    }

    [Fact]
    public void Process_that_began_a_new_folder_of_events_may_end_there()
    {
        var start = Scenarios.LoneShardChange.Start(VolumeKind.Posix);
        Cases.TryEach(Cases.Some(KillsOf(Scenarios.LoneShardChange, VolumeKind.Posix, start, othersAreOpen: false), 3), Kill, output);
    }

    private void KillEverywhere(bool othersAreOpen, params Scenario[] scenarios) => KillEverywhere(othersAreOpen, kinds, scenarios);

    private void KillEverywhere(bool othersAreOpen, VolumeKind[] onKinds, params Scenario[] scenarios)
    {
        var cases = new List<KillCase>();
        foreach (var scenario in scenarios)
        {
            foreach (var kind in onKinds)
                cases.AddRange(KillsOf(scenario, kind, scenario.Start(kind), othersAreOpen));
        }
        Cases.TryEach(Cases.Some(cases, 4), Kill, output);
    }

    private static IEnumerable<KillCase> KillsOf(Scenario scenario, VolumeKind kind, (SimulatedDisk, History) start, bool othersAreOpen)
    {
        var (disk, history) = scenario.Copy(start);
        disk.Trace = [];
        scenario.Play(disk.Attach(), history);
        return disk.Trace.Where(each => each.Changes).Select((operation, at) => new KillCase(scenario, kind, start, at
            + 1, operation.ToString(), othersAreOpen));
    }

    private static int Kill(KillCase each)
    {
        var (disk, history) = each.Scenario.Copy(each.Start);
        var other = each.OthersAreOpen ? SteppedStore.Open(disk.Attach()) : null;
        var client = disk.Attach();
        client.KillAfter(each.Operation);
        Attempt.UntilTheEnd(() => each.Scenario.Play(client, history));
        Assert.True(client.IsKilled);
        other ??= SteppedStore.Open(disk.Attach());
        Attempt[] group = [history.New(2), history.NewUnique("b")];
        other.Append(group);
        try
        {
            Assert.Equal(Answer.Stored, group[0].Answer);
            Assert.Equal(other.Head, other.ReadAll().Count);
            var from = each.Scenario.From;
            foreach (var cut in (PowerCut[])[new(PowerCutMode.LosesAll), new(PowerCutMode.Random, each.Operation)])
                Promises.Check(disk.AfterPowerCut(cut), history, from, deep: from == 1);
            Promises.Check(disk, history, from, deep: from == 1);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"{e.Message}{Environment.NewLine}{history}", e);
        }
        return 3;
    }

    private sealed record KillCase(Scenario Scenario, VolumeKind Kind, (SimulatedDisk, History) Start, int Operation, string What, bool OthersAreOpen)
    {
        public override string ToString() =>
            $"{Scenario} on {Kind}, killed after operation {Operation} ({What}){(OthersAreOpen ? ", others have it open" : "")}";
    }
}
