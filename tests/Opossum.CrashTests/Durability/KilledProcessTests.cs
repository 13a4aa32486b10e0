using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>A process ends in the middle of its work; others go on with what it left, and what they are told is durable.</summary>
public sealed class KilledProcessTests(ITestOutputHelper output)
{
    [Fact]
    public void Others_go_on_whether_they_have_the_store_open_or_open_it_later() => KillEverywhere(
        [.. Groups(true, VolumeKinds.All, Scenarios.LoneAppends, Scenarios.Groups, Scenarios.MultiEventAppend, Scenarios.RunsOfOne),
            .. Groups(false, VolumeKinds.All, Scenarios.LoneAppends, Scenarios.Groups, Scenarios.MultiEventAppend, Scenarios.Creation,
                Scenarios.Rebuild, Scenarios.RunsOfOne, FaultScenarios.Opening),
            .. Groups(false, [VolumeKind.Posix], Scenarios.LoneShardChange)]);

    [Fact]
    public void Others_go_on_with_the_journal_of_a_process_that_ended() => KillEverywhere(
        [.. Groups(true, VolumeKinds.Local, Scenarios.Journal, Scenarios.JournalInTurns),
            .. Groups(false, VolumeKinds.Local, Scenarios.Journal, Scenarios.JournalInTurns)]);

    private void KillEverywhere(CaseGroup<KillCase>[] groups) => Cases.TryEach(groups, Kill, output, share: 0.5);

    private static IEnumerable<CaseGroup<KillCase>> Groups(bool othersAreOpen, VolumeKind[] onKinds, params Scenario[] scenarios) =>
        from scenario in scenarios
        from kind in onKinds
        select new CaseGroup<KillCase>(() =>
        {
            var prepared = scenario.On(kind);
            return [.. prepared.Operations.Select((operation, at) => new KillCase(prepared, at + 1, operation.ToString(), othersAreOpen))];
        });

    private static int Kill(KillCase each)
    {
        var (disk, history) = each.On.Begin();
        var other = each.OthersAreOpen ? SteppedStore.Open(disk.Attach()) : null;
        var client = disk.Attach();
        client.KillAfter(each.Operation);
        Attempt.UntilTheEnd(() => each.On.Scenario.Play(client, history));
        Assert.True(client.IsKilled);
        try
        {
            CheckCopies(disk, history);
            other ??= SteppedStore.Open(disk.Attach());
            Attempt[] group = [history.New(2), history.NewUnique("b")];
            other.Append(group);
            Assert.Equal(Answer.Stored, group[0].Answer);
            Assert.Equal(other.Head, other.ReadAll().Count);
            foreach (var cut in (PowerCut[])[new(PowerCutMode.LosesAll), new(PowerCutMode.Random, each.Operation)])
                Promises.Check(disk.AfterPowerCut(cut), history);
            Promises.Check(disk, history);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"{e.Message}{Environment.NewLine}{history}", e);
        }
        return 5;
    }

    // Who copies a folder may leave out the lock file, and the index too, which is derived.
    private static void CheckCopies(SimulatedDisk disk, History history)
    {
        var layout = SteppedStore.LayoutOn(disk);
        foreach (var indexFile in (string?[])[null, layout.IndexFile])
        {
            var copy = disk.Copy();
            using var files = copy.Attach();
            files.Delete(layout.LockFile);
            if (indexFile is not null)
                files.Delete(indexFile);
            Promises.Check(copy, history);
        }
    }

    private sealed record KillCase(ScenarioOnDisk On, int Operation, string What, bool OthersAreOpen)
    {
        public override string ToString() => $"{On}, killed after operation {Operation} ({What}){(OthersAreOpen ? ", others have it open" : "")}";
    }
}
