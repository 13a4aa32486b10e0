using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Begin = Opossum.Tests.Reactions.SteppedReaction.Begin;

namespace Opossum.Tests.Reactions;

/// <summary>Events that are appended when their time has come: once, late rather than never, unless what they wait for has happened.</summary>
public sealed class ScheduleTests(ITestOutputHelper output)
{
    private static readonly TimeSpan patience = TimeSpan.FromMinutes(15);

    [Fact]
    public void Event_is_appended_when_its_time_has_come_and_not_before()
    {
        var process = NewProcess(NewDisk(VolumeKind.Ext4));
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        Pass(process, patience - TimeSpan.FromTicks(1));
        Assert.Empty(TimedOut(process));
        Pass(process, TimeSpan.FromTicks(1));
        Assert.Equal(["a"], TimedOut(process));
        Assert.Empty(DueFiles(process));
    }

    [Fact]
    public void Event_is_not_appended_when_what_it_waits_for_has_happened()
    {
        var process = NewProcess(NewDisk(VolumeKind.Ext4));
        process.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        process.Run();
        process.Append(RecordingReaction.Paid("a"));
        Pass(process, patience);
        Assert.Equal(["b"], TimedOut(process));
        Assert.Empty(DueFiles(process));
    }

    [Fact]
    public void Event_whose_time_came_while_nobody_ran_is_appended_by_the_next_leader_once()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        var first = NewProcess(disk);
        first.Append(RecordingReaction.Placed("a"));
        first.Run();
        first.Stop();
        ((SimulatedClock)disk.Clock).Advance(TimeSpan.FromDays(400));
        var next = NewProcess(disk);
        next.Run();
        next.Run();
        Assert.Equal(["a"], TimedOut(next));
    }

    [Fact]
    public void Time_that_has_passed_appends_at_once()
    {
        var process = NewProcess(NewDisk(VolumeKind.Ext4), TimeSpan.FromDays(-1));
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        Assert.Equal(["a"], TimedOut(process));
    }

    [Fact]
    public void Handling_again_schedules_nothing_that_was_appended()
    {
        var process = NewProcess(NewDisk(VolumeKind.Ext4));
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        Pass(process, patience);
        process.Ask(static term => term.TryHandleAgainAsync(1, CancellationToken.None).AsTask());
        process.Run();
        Pass(process, patience);
        Assert.Equal(["a"], TimedOut(process));
        Assert.Empty(DueFiles(process));
    }

    [Fact]
    public void Event_that_is_not_allowed_is_refused_when_it_is_scheduled()
    {
        var process = NewProcess(NewDisk(VolumeKind.Ext4), patience, static () => NewEvent.FromJson("timed-out", "{}", new Tag("$mine", "1")));
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        Assert.Equal([1], process.Parked);
        Assert.Empty(DueFiles(process));
    }

    [Theory]
    [InlineData("cut")]
    [InlineData("edited")]
    [InlineData("renamed")]
    [InlineData("unknown")]
    public void File_that_is_damaged_edited_or_unknown_is_left_and_the_others_are_appended(string damage)
    {
        var disk = NewDisk(VolumeKind.Ext4);
        var first = NewProcess(disk);
        first.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        first.Run();
        first.Stop();
        var files = disk.Attach();
        var name = DueFiles(first).First(name => Bytes(name).AsSpan().IndexOf("order:a"u8) >= 0);
        var path = FilePath.Join(first.Layout.Due, name);
        var bytes = Bytes(name);
        switch (damage)
        {
            case "cut":
                DurableFile.Replace(files, path, path + ".x", bytes.AsSpan(0, bytes.Length / 2));
                break;
            case "edited":
                bytes[bytes.AsSpan().IndexOf("timed-out"u8)] = (byte)'T';
                DurableFile.Replace(files, path, path + ".x", bytes);
                break;
            case "renamed":
                files.Delete(path);
                DurableFile.Replace(files, FilePath.Join(first.Layout.Due, string.Concat("0000000000000000001", name.AsSpan(19))),
                    path + ".x", bytes);
                break;
            default:
                files.Delete(path);
                DurableFile.Replace(files, FilePath.Join(first.Layout.Due, "note.txt"), path + ".x", bytes);
                break;
        }
        var next = NewProcess(disk);
        next.Run();
        Pass(next, patience);
        Assert.Equal(["b"], TimedOut(next));
        Assert.Single(DueFiles(next));

        byte[] Bytes(string fileName) => SmallFile.Read(files, FilePath.Join(first.Layout.Due, fileName), 10_000)!;
    }

    [Fact]
    public void Former_leader_that_schedules_after_a_halt_appends_nothing_twice()
    {
        var disk = NewDisk(VolumeKind.Smb);
        var begins = new List<Begin>();
        var former = NewProcess(disk, patience, begins: begins);
        var next = NewProcess(disk, patience, begins: begins);
        former.Append(RecordingReaction.Placed("a"));
        var isHalted = false;
        former.Client.BeforeOperation = operation =>
        {
            if (isHalted || !operation.Changes || !operation.ToString().Contains("/due/", StringComparison.Ordinal))
                return;
            isHalted = true;
            former.Client.LoseConnection();
            next.Run();
            Assert.True(next.Leads);
            Pass(next, patience);
        };
        try
        {
            former.Run();
        }
        catch (Exception e) when (e is LeadershipLostException or StoreFaultedException or StoreIOException or FileSystemException)
        {
            // It has noticed.
        }
        Assert.True(isHalted);
        Pass(next, TimeSpan.FromMinutes(2));
        Pass(next, patience);
        Assert.Equal(["a"], TimedOut(next));
        Assert.Empty(DueFiles(next));
    }

    internal static CrashScenario Crash { get; } = new("scheduled events", static kind =>
    {
        var start = Start(kind);
        return () =>
        {
            var process = NewProcess(start.Copy());
            return CrashRun.Of(process.Client.Disk, () => Play(process), static (left, _, _) => Check(left));
        };
    });

    [Fact]
    public void Power_cut_at_each_operation_appends_it_once() =>
        Cases.TryEach(CrashCut.Groups([Crash], VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);

    [Fact]
    public void Kill_at_each_operation_appends_it_once() =>
        Cases.TryEach(VolumeKinds.All.Select(static kind => new CaseGroup<Killed>(() => CasesOf(kind))), Kill, output, share: 0.25);

    private static SimulatedDisk Start(VolumeKind kind)
    {
        var disk = NewDisk(kind);
        var first = NewProcess(disk);
        first.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        first.Stop();
        return disk.Copy();
    }

    private static List<Killed> CasesOf(VolumeKind kind)
    {
        var start = Start(kind);
        var process = NewProcess(start.Copy());
        process.Client.Disk.Trace = [];
        Play(process);
        return [.. Cut.AfterEach(process.Client.Disk.Trace).Select(cut => new Killed(kind, start, cut))];
    }

    private static int Kill(Killed each)
    {
        var process = NewProcess(each.Start.Copy());
        process.Client.KillAfter(each.Cut.Operation);
        Attempt.UntilTheEnd(() => Play(process));
        Check(process.Client.Disk);
        return 1;
    }

    private static void Check(SimulatedDisk disk)
    {
        var next = NewProcess(disk);
        next.Run();
        Pass(next, patience);
        Pass(next, patience);
        Assert.Equal(["a", "b"], TimedOut(next).Order());
        Assert.Empty(DueFiles(next));
    }

    private static void Play(SteppedReaction process)
    {
        process.Run();
        Pass(process, patience);
    }

    private static void Pass(SteppedReaction process, TimeSpan time)
    {
        ((SimulatedClock)process.Client.Disk.Clock).Advance(time);
        process.Run();
    }

    private static SimulatedDisk NewDisk(VolumeKind kind) => new(kind, new SimulatedClock());

    private static SteppedReaction NewProcess(SimulatedDisk disk, TimeSpan? after = null, Func<NewEvent>? newEvent = null,
        List<Begin>? begins = null) =>
        new(disk.Attach(), begins ?? [], context =>
        {
            if (context.Event.Type != "placed")
                return;
            var order = context.Event.Tags[0];
            context.ScheduleAsync(context.Event.Timestamp + (after ?? patience),
                newEvent?.Invoke() ?? NewEvent.FromJson("timed-out", """{"by":"us"}""", order),
                Query.FromItems(new QueryItem { Types = ["paid"], Tags = [order] })).GetAwaiter().GetResult();
        }, retries: 0);

    private static List<string> TimedOut(SteppedReaction process) =>
        [.. process.Store.ReadAllAsync().GetAwaiter().GetResult().Where(static e => e.Type == "timed-out").Select(static e => e.Tags[0].Value)];

    private static List<string> DueFiles(SteppedReaction process)
    {
        var files = process.Client.Disk.Attach();
        return files.GetKind(process.Layout.Due) == EntryKind.Folder
            ? [.. files.List(process.Layout.Due).Where(static name => name.EndsWith(".json", StringComparison.Ordinal) || name == "note.txt").Order()]
            : [];
    }

    private sealed record Killed(VolumeKind Kind, SimulatedDisk Start, Cut Cut)
    {
        public override string ToString() => $"{Kind}, killed instead of {Cut}";
    }
}
