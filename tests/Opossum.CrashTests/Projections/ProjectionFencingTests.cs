using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Projections;

/// <summary>A leader halts, its lock is lost, another takes the lead; then the first one continues as if nothing had happened.</summary>
public sealed class ProjectionFencingTests(ITestOutputHelper output)
{
    [Fact]
    public void Former_leader_that_goes_on_overwrites_nothing()
    {
        var groups =
            from scenario in ProjectionScenario.All
            from kind in VolumeKinds.All
            select new CaseGroup<FenceCase>(() => CasesOf(scenario, kind));
        Cases.TryEach(groups, Halt, output);
    }

    [Fact]
    public void Leader_keeps_others_from_leading()
    {
        var disk = ProjectionScenario.FirstBuild.Start(VolumeKind.Ext4);
        var first = new SteppedProjection(disk.Attach());
        var second = new SteppedProjection(disk.Attach());
        first.Run();
        second.Run();
        Assert.True(first.Leads);
        Assert.False(second.Leads);
        first.Client.Kill();
        second.Run();
        Assert.True(second.Leads);
        second.CheckExact();
    }

    [Fact]
    public void Leader_whose_lock_file_is_another_by_now_leads_no_more()
    {
        var disk = ProjectionScenario.FirstBuild.Start(VolumeKind.Ext4);
        var first = new SteppedProjection(disk.Attach());
        first.Run();
        disk.Attach().Delete(first.Layout.LockFile);
        var events = first.Events();
        first.Append(Counts.Counted("a"));
        Assert.Throws<LeadershipLostException>(first.Run);
        first.CheckStatus(events);
        first.RunAgain();
        first.CheckExact();
    }

    [Fact]
    public void Former_leader_that_goes_on_closes_no_request_that_the_next_one_has_not_carried_out()
    {
        var disk = ProjectionScenario.FirstBuild.Start(VolumeKind.Nfs);
        var former = new SteppedProjection(disk.Attach());
        var next = new SteppedProjection(disk.Attach());
        former.Run();
        former.Append(Counts.Touched("none"));
        former.Run();
        var position = former.Status().Fault!.Position;
        var request = LeaderRequest.Skip(position, "a test");
        request.Write(next.Client, next.Layout);
        former.Client.BeforeOperation = operation =>
        {
            if (next.Leads || operation.Kind != OperationKind.CreateNew
                || !operation.Path.StartsWith(former.Layout.Skipped, StringComparison.Ordinal))
            {
                return;
            }
            former.Client.LoseConnection();
            // It tries the event again before it skips it.
            next.Run();
        };

        Assert.Throws<LeadershipLostException>(former.Run);

        Assert.True(next.Leads);
        Assert.True(LeaderRequest.IsOpen(next.Client, next.Layout, request.Id));
        next.Run();
        Assert.False(LeaderRequest.IsOpen(next.Client, next.Layout, request.Id));
        Assert.Null(next.Status().Fault);
    }

    private static List<FenceCase> CasesOf(ProjectionScenario scenario, VolumeKind kind)
    {
        var start = scenario.Start(kind);
        return [.. scenario.Operations(start).Select((operation, at) => new FenceCase(scenario, kind, start, at + 1, operation.ToString()))];
    }

    private static int Halt(FenceCase each)
    {
        var former = each.Scenario.Ready(each.Start);
        var disk = former.Client.Disk;
        var next = new SteppedProjection(disk.Attach());
        var operations = 0;
        var states = new SortedDictionary<string, string>();
        former.Client.BeforeOperation = operation =>
        {
            if (!operation.Changes || ++operations != each.Operation)
                return;
            former.Client.LoseConnection();
            next.Append(Counts.Counted("a", "b"), Counts.Deleted("e"), Counts.Counted("new"));
            next.Run();
            Assert.True(next.Leads);
            next.CheckExact();
            states = StatesOf(disk, next);
        };
        try
        {
            each.Scenario.Play(former);
            // As long as it believes to lead, it does what there is to do.
            former.Append(Counts.Counted("c"));
            former.Run();
        }
        catch (Exception e) when (e is LeadershipLostException or FileSystemException { Error: FileError.NotFound or FileError.HandleLost })
        {
            // It has noticed.
        }
        Assert.True(operations >= each.Operation);
        Assert.Equal(states, StatesOf(disk, next));
        next.RunAgain();
        next.CheckExact();
        next.Append(Counts.Counted("a"), Counts.Deleted("b"));
        next.RunAgain();
        next.CheckExact();
        var third = new SteppedProjection(disk.Attach());
        next.Client.Kill();
        third.Run();
        Assert.True(third.Leads);
        third.CheckExact();
        return 3;
    }

    private static SortedDictionary<string, string> StatesOf(SimulatedDisk disk, SteppedProjection process)
    {
        using var place = StorePlace.On(disk);
        var live = Generations.Newest(Generations.List(process.Client, process.Layout), GenerationKind.Live)!;
        return new SortedDictionary<string, string>(place.Snapshot(live.States).ToDictionary(file => file.Key,
            file => file.Value is { } bytes ? Convert.ToHexString(bytes) : ""));
    }

    private sealed record FenceCase(ProjectionScenario Scenario, VolumeKind Kind, SimulatedDisk Start, int Operation, string What)
    {
        public override string ToString() => $"{Scenario} on {Kind}, halted before operation {Operation} ({What})";
    }
}
