using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Reactions;

/// <summary>
/// A leader is interrupted at each of its file operations while it schedules events, appends those that are due, and removes those that are
/// cancelled. Each is appended once, or never if it is cancelled, and no file is left.
/// </summary>
public sealed class DueCrashTests(ITestOutputHelper output)
{
    private static readonly TimeSpan wait = TimeSpan.FromHours(1);

    internal static CrashScenario Crash { get; } = new("scheduled and cancelled events", static kind =>
    {
        var start = Start(kind);
        return () =>
        {
            var process = NewProcess(start.Copy());
            return CrashRun.Of(process.Client.Disk, () => Play(process), static (left, _, _) => CheckNext(left));
        };
    });

    [Fact]
    public void Power_cut_at_each_operation_leaves_each_event_to_be_appended_once() =>
        Cases.TryEach(CrashCut.Groups([Crash], VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);

    [Fact]
    public void Kill_at_each_operation_leaves_each_event_to_be_appended_once() => Cases.TryEach(
        VolumeKinds.All.Select(static kind => new CaseGroup<CrashCase>(() => CasesOf(kind, Interruption.Kill))), Kill, output, share: 0.25);

    [Fact]
    public void Former_leader_that_goes_on_after_a_halt_at_each_operation_appends_nothing_twice() => Cases.TryEach(
        VolumeKinds.All.Select(static kind => new CaseGroup<CrashCase>(() => CasesOf(kind, Interruption.Halt))), Halt, output, share: 0.5);

    private static List<CrashCase> CasesOf(VolumeKind kind, Interruption how)
    {
        var start = Start(kind);
        var process = NewProcess(start.Copy());
        process.Client.Disk.Trace = [];
        Play(process);
        var cuts = Cut.AfterEach(process.Client.Disk.Trace).Select(cut => new CrashCase(kind, start, cut, how)).ToList();
        Check(process);
        return cuts;
    }

    private static int Kill(CrashCase each)
    {
        var process = NewProcess(each.Start.Copy());
        process.Client.KillAfter(each.Cut.Operation);
        Attempt.UntilTheEnd(() => Play(process));
        CheckNext(process.Client.Disk);
        return 1;
    }

    private static int Halt(CrashCase each)
    {
        var former = NewProcess(each.Start.Copy());
        var next = NewProcess(former.Client.Disk);
        var operations = 0;
        former.Client.BeforeOperation = operation =>
        {
            if (!operation.Changes || ++operations != each.Cut.Operation)
                return;
            former.Client.LoseConnection();
            Play(next);
        };
        try
        {
            Play(former);
        }
        catch (Exception e) when (e is LeadershipLostException or StoreFaultedException
            or FileSystemException { Error: FileError.NotFound or FileError.HandleLost })
        {
            // It has noticed.
        }
        // The next leader looks for what others have added after some minutes.
        Play(next);
        Check(next);
        return 1;
    }

    private static void CheckNext(SimulatedDisk disk)
    {
        var next = NewProcess(disk);
        Play(next);
        Check(next);
    }

    // An order that is not paid expires; of the orders a and b, b is paid.
    private static SimulatedDisk Start(VolumeKind kind)
    {
        var process = NewProcess(new SimulatedDisk(kind, new SimulatedClock()));
        // Paid before it is handled: the time may have come before the next leader's first step.
        process.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("b"), RecordingReaction.Paid("b"));
        process.Stop();
        return process.Client.Disk.Copy();
    }

    private static void Play(SteppedReaction process)
    {
        process.Run();
        ((SimulatedClock)process.Client.Disk.Clock).Advance(wait);
        process.Run();
    }

    private static void Check(SteppedReaction process)
    {
        var expired = Assert.Single(Stored(process), static e => e.Type == "expired");
        Assert.Contains(new Tag("order", "a"), expired.Tags);
        Assert.Empty(process.Client.List(process.Layout.Due));
    }

    private static List<SequencedEvent> Stored(SteppedReaction process) => process.Store.ReadAllAsync().GetAwaiter().GetResult();

    private static SteppedReaction NewProcess(SimulatedDisk disk) => new(disk.Attach(), [], static context =>
    {
        if (context.Event.Type != "placed")
            return;
        var order = context.Event.Tags[0];
        context.ScheduleAsync(context.Event.Timestamp + wait, NewEvent.FromJson("expired", "{}", order),
            Query.FromItems(new QueryItem { Types = ["paid"], Tags = [order] })).GetAwaiter().GetResult();
    });

    private sealed record CrashCase(VolumeKind Kind, SimulatedDisk Start, Cut Cut, Interruption How)
    {
        public override string ToString() => $"{How} on {Kind}, {Cut}";
    }
}
