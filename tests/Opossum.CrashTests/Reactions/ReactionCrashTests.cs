using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Begin = Opossum.Tests.Reactions.SteppedReaction.Begin;

namespace Opossum.Tests.Reactions;

/// <summary>
/// A leader is interrupted at each of its file operations. The next one handles what is left, tells what may have been handled, and appends nothing
/// twice.
/// </summary>
public sealed class ReactionCrashTests(ITestOutputHelper output)
{
    private static readonly Scenario[] scenarios =
    [
        new("the first start", static _ => { }, static process => process.Run()),
        new("further events", static process => process.Run(), static process =>
        {
            process.Append(RecordingReaction.Paid("a"));
            process.Append(RecordingReaction.Paid("b"), RecordingReaction.Paid("a"));
            process.Run();
        }),
        new("a take-over", static process => Die(process), static process => process.Run()),
    ];

    internal static CrashScenario[] CrashScenarios { get; } = [.. scenarios.Select(Crash)];

    [Fact]
    public void Power_cut_at_each_operation_loses_nothing_and_repeats_no_append() =>
        Cases.TryEach(CrashCut.Groups(CrashScenarios, VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);

    [Fact]
    public void Kill_at_each_operation_loses_nothing_and_repeats_no_append() =>
        Cases.TryEach(Groups(Interruption.Kill), Kill, output, share: 0.25);

    [Fact]
    public void Former_leader_that_goes_on_after_a_halt_at_each_operation_hands_out_nothing_as_new() =>
        Cases.TryEach(Groups(Interruption.Halt), Halt, output, share: 0.5);

    [Fact]
    public void Former_leader_that_goes_on_at_each_operation_of_a_take_over_hands_out_nothing_as_new()
    {
        var isOver = false;
        for (var at = 1; !isOver; at++)
        {
            var begins = new List<Begin>();
            var former = new SteppedReaction(Start(VolumeKind.Ext4).Attach(), begins);
            former.Run();
            former.Client.LoseConnection();
            var next = new SteppedReaction(former.Client.Disk.Attach(), begins);
            var operations = 0;
            next.Client.BeforeOperation = _ =>
            {
                if (++operations == at)
                    GoOn(former);
            };
            next.Run();
            Assert.True(next.Leads);
            isOver = operations < at;
            next.Client.BeforeOperation = null;
            next.Run();
            next.CheckExact();
        }
    }

    // Without its folder it would begin again.
    [Theory]
    [InlineData(SteppedReaction.Root)]
    [InlineData(SteppedReaction.Root + "/Reactions")]
    public void Reaction_whose_folder_another_process_made_and_did_not_flush_is_not_lost_in_a_power_cut(string above)
    {
        var disk = Start(VolumeKind.Posix);
        var first = new SteppedReaction(disk.Attach(), []);
        first.Client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.FlushFolder && operation.Path == above)
                first.Client.Kill();
        };
        Die(first);
        var begins = new List<Begin>();
        new SteppedReaction(disk.Attach(), begins).Run();

        Assert.NotEmpty(begins);
        CheckNext(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), begins);
    }

    // Events would be handled again once more.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Request_that_was_carried_out_does_not_come_back_with_a_power_cut(bool mayBeWritten)
    {
        foreach (var kind in VolumeKinds.All)
        {
            var disk = Start(kind);
            var client = disk.Attach();
            var process = new SteppedReaction(client, []);
            process.Run();
            process.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, 1));
            client.BeforeOperation = operation =>
            {
                if (!mayBeWritten && operation.Kind == OperationKind.Write && FilePath.FolderOf(operation.Path) == process.Layout.Requests)
                    throw new FileSystemException(FileError.AccessDenied, "write", operation.Path, "it is another user's");
            };
            process.CarryOutRequests();
            foreach (var cut in PowerCut.Each(seeds: 4))
            {
                var next = new SteppedReaction(disk.AfterPowerCut(cut).Attach(), []);
                foreach (var id in LeaderRequest.List(next.Client, next.Layout))
                {
                    Assert.True(!LeaderRequest.IsOpen(next.Client, next.Layout, id) || LeaderRequest.Read(next.Client, next.Layout, id) is null,
                        $"{kind}, {cut}");
                }
                next.Run();
                next.CarryOutRequests();

                Assert.Empty(LeaderRequest.List(next.Client, next.Layout));
            }
        }
    }

    [Fact]
    public void Request_before_the_first_leader_is_durable()
    {
        foreach (var kind in VolumeKinds.All)
        {
            var disk = Start(kind);
            var process = new SteppedReaction(disk.Attach(), []);
            var request = new LeaderRequest(Guid.NewGuid(), RequestKind.Retry);
            process.Request(request);

            Assert.Equal([request.Id], LeaderRequest.List(disk.AfterPowerCut(new(PowerCutMode.LosesAll)).Attach(), process.Layout));
        }
    }

    // A reaction whose checkpoint is at an event that the store no longer has halts.
    [Fact]
    public void No_checkpoint_is_ahead_of_the_events_that_a_power_cut_has_left()
    {
        var groups = from kind in VolumeKinds.Local
                     from start in (ReactionStart[])[ReactionStart.Beginning, ReactionStart.Head]
                     select new CaseGroup<(VolumeKind Kind, ReactionStart Start, Cut Cut)>(() =>
                     {
                         var disk = new SimulatedDisk(kind, new SimulatedClock()) { Trace = [] };
                         AppendUnflushedBesideALeader(disk, start);
                         return [.. Cut.Each(disk.Trace).Select(cut => (kind, start, cut))];
                     });
        Cases.TryEach(groups, static each => TryUnflushed(each.Kind, each.Start, each.Cut), output, Cases.PowerCuts, share: 0.25);
    }

    private static int TryUnflushed(VolumeKind kind, ReactionStart start, Cut cut)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        cut.Prepare(disk);
        Attempt.UntilTheEnd(() => AppendUnflushedBesideALeader(disk, start));
        var states = 0;
        foreach (var mode in Cases.PowerCutsAt(cut.Operation))
        {
            var next = new SteppedReaction(disk.AfterPowerCut(mode).Attach(), [], start: start);
            next.Run();
            Assert.Null(next.Halted);
            states++;
        }
        return states;
    }

    private static void AppendUnflushedBesideALeader(SimulatedDisk disk, ReactionStart start)
    {
        var appender = new SteppedReaction(disk.Attach(), [], flush: false);
        appender.Append(NewEvent.FromJson("other", "{}"));
        var leader = new SteppedReaction(disk.Attach(), [], start: start, flush: false);
        for (var round = 0; round < 3; round++)
        {
            leader.Run();
            appender.Append(RecordingReaction.Placed("a"), NewEvent.FromJson("other", "{}"));
        }
        leader.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, Promises.Read(leader.Store, Query.All).Count + 1));
        leader.CarryOutRequests();
    }

    private static IEnumerable<CaseGroup<CrashCase>> Groups(Interruption how) =>
        from scenario in scenarios
        from kind in VolumeKinds.All
        select new CaseGroup<CrashCase>(() => CasesOf(scenario, kind, how));

    private static CrashScenario Crash(Scenario scenario) => new($"reaction: {scenario.Name}", kind =>
    {
        var start = Start(kind);
        return () =>
        {
            var (process, begins) = Ready(scenario, start);
            return CrashRun.Of(process.Client.Disk, () => scenario.Play(process), (left, _, _) => CheckNext(left, [.. begins]));
        };
    });

    private static List<CrashCase> CasesOf(Scenario scenario, VolumeKind kind, Interruption how)
    {
        var start = Start(kind);
        var (process, _) = Ready(scenario, start);
        process.Client.Disk.Trace = [];
        scenario.Play(process);
        return [.. Cut.AfterEach(process.Client.Disk.Trace).Select(cut => new CrashCase(scenario, kind, start, cut, how))];
    }

    private static int Kill(CrashCase each)
    {
        var (process, begins) = Ready(each.Scenario, each.Start);
        process.Client.KillAfter(each.Cut.Operation);
        Attempt.UntilTheEnd(() => each.Scenario.Play(process));
        CheckNext(process.Client.Disk, begins);
        return 1;
    }

    private static int Halt(CrashCase each)
    {
        var (former, begins) = Ready(each.Scenario, each.Start);
        var disk = former.Client.Disk;
        var next = new SteppedReaction(disk.Attach(), begins);
        var operations = 0;
        former.Client.BeforeOperation = operation =>
        {
            if (!operation.Changes || ++operations != each.Cut.Operation)
                return;
            former.Client.LoseConnection();
            next.Append(RecordingReaction.Paid("b"));
            next.Run();
            Assert.True(next.Leads);
        };
        GoOn(former, () => each.Scenario.Play(former));
        next.Run();
        next.CheckExact();
        return 1;
    }

    // As long as it believes to lead, it does what there is to do.
    private static void GoOn(SteppedReaction former, Action? before = null)
    {
        try
        {
            before?.Invoke();
            former.Append(RecordingReaction.Paid("a"));
            former.Run();
        }
        catch (Exception e) when (e is LeadershipLostException or StoreFaultedException
            or FileSystemException { Error: FileError.NotFound or FileError.HandleLost })
        {
            // It has noticed.
        }
    }

    private static void CheckNext(SimulatedDisk disk, List<Begin> begins)
    {
        var next = new SteppedReaction(disk.Attach(), begins);
        next.Run();
        Assert.True(next.Leads);
        Assert.Null(next.Halted);
        next.Append(RecordingReaction.Paid("b"));
        next.Run();
        next.CheckExact();
    }

    private static SimulatedDisk Start(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        var first = new SteppedReaction(disk.Attach(), []);
        first.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        first.Append(RecordingReaction.Paid("a"), RecordingReaction.Placed("c"));
        first.Store.Dispose();
        return disk.Copy();
    }

    // A process that is about to do it, on a disk of its own, and what was begun before.
    private static (SteppedReaction Process, List<Begin> Begins) Ready(Scenario scenario, SimulatedDisk start)
    {
        var disk = start.Copy();
        var begins = new List<Begin>();
        var process = new SteppedReaction(disk.Attach(), begins);
        if (scenario.Name == "a take-over")
        {
            var dying = disk.Attach();
            scenario.Prepare(new SteppedReaction(dying, begins, context =>
            {
                if (context.Event.Position == 2)
                    dying.Kill();
            }));
        }
        else
        {
            scenario.Prepare(process);
        }
        return (process, begins);
    }

    private static void Die(SteppedReaction process) => Attempt.UntilTheEnd(process.Run);

    private sealed record Scenario(string Name, Action<SteppedReaction> Prepare, Action<SteppedReaction> Play);

    private sealed record CrashCase(Scenario Scenario, VolumeKind Kind, SimulatedDisk Start, Cut Cut, Interruption How)
    {
        public override string ToString() => $"{How} of {Scenario.Name} on {Kind}, {Cut}";
    }
}
