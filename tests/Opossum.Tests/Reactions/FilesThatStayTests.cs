using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;
using Opossum.Reactions.Files;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Projections;

namespace Opossum.Tests.Reactions;

/// <summary>Files that a leader cannot remove, as those that another user has made: what they ask for is done once all the same.</summary>
public sealed class FilesThatStayTests
{
    // A file that is not what it should be, or stays.
    private const int FileProblem = 135;

    private readonly SimulatedClock clock = new();
    private readonly SimulatedDisk disk;
    private readonly List<SteppedReaction.Begin> begins = [];

    public FilesThatStayTests() => disk = new SimulatedDisk(VolumeKind.Ext4, clock);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Events_are_handled_again_once_when_the_request_cannot_be_removed(bool isRecordRefused)
    {
        var process = new SteppedReaction(disk.Attach(), begins);
        process.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        process.Run();
        if (!isRecordRefused)
            Refuse("/requests/");
        process.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, 2));
        if (isRecordRefused)
        {
            disk.Fail(new Fault
            {
                When = static each => each.Kind == OperationKind.CreateNew && each.Path.EndsWith(".done", StringComparison.Ordinal),
                Error = FileError.DiskFull,
                Lasts = true,
            });
        }
        for (var looks = 0; looks < 3; looks++)
            process.CarryOutRequests();
        process.Stop();
        disk.Mend();
        var next = new SteppedReaction(disk.Attach(), begins);
        next.Run();
        next.CarryOutRequests();
        Assert.Equal([1L, 2, 2], begins.Select(static each => each.Position));
        Assert.Empty(LeaderRequest.List(next.Client, next.Layout));
        Assert.Empty(next.Client.List(next.Layout.Requests));
        Assert.DoesNotContain(next.Client.List(next.Layout.Root), static name => name.EndsWith(".done", StringComparison.Ordinal));
    }

    // On such a disk what is not flushed itself may come back, whatever else is flushed later.
    [Fact]
    public void Request_that_a_power_cut_brings_back_is_done()
    {
        var posix = new SimulatedDisk(VolumeKind.Posix, clock);
        var process = new SteppedReaction(posix.Attach(), begins);
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, 1));
        process.CarryOutRequests();
        posix.Cut();
        foreach (var cut in PowerCut.Each(seeds: 10))
        {
            var next = new SteppedReaction(posix.AfterPowerCut(cut).Attach(), begins);
            next.Run();
            next.CarryOutRequests();
            Assert.Equal([1L, 1], begins.Select(static each => each.Position));
        }
    }

    [Fact]
    public void First_request_of_a_reaction_survives_a_power_cut()
    {
        var posix = new SimulatedDisk(VolumeKind.Posix, clock);
        var process = new SteppedReaction(posix.Attach(), begins);
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, 1));
        posix.Cut();
        var next = new SteppedReaction(posix.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)).Attach(), begins);
        next.Run();
        next.CarryOutRequests();
        Assert.Equal([1L, 1], begins.Select(static each => each.Position));
    }

    [Fact]
    public void Record_that_a_request_is_done_may_stay()
    {
        var process = new SteppedReaction(disk.Attach(), begins);
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, 1));
        Refuse(".done");
        process.CarryOutRequests();
        process.Stop();
        var next = new SteppedReaction(disk.Attach(), begins);
        next.Append(RecordingReaction.Placed("b"));
        next.Run();
        next.CarryOutRequests();
        Assert.Equal([1L, 1, 3], begins.Select(static each => each.Position));
    }

    [Fact]
    public void Reaction_goes_on_when_the_file_of_an_event_that_was_parked_stays()
    {
        var fails = true;
        var process = new SteppedReaction(disk.Attach(), begins, _ => ThrowIf(fails), retries: 0);
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        Assert.Equal([1], process.Parked);
        fails = false;
        Refuse("/parked/");
        process.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.Retry, 1));
        process.CarryOutRequests();
        process.Append(RecordingReaction.Placed("b"));
        process.Run();
        process.Stop();
        var next = new SteppedReaction(disk.Attach(), begins);
        next.Run();
        Assert.Empty(next.Parked);
        Assert.Equal([1, 3], next.Sent());
    }

    [Fact]
    public void Scheduled_event_whose_file_stays_is_appended_once_and_others_after_it()
    {
        using var logs = new Logs();
        var process = new SteppedReaction(disk.Attach(), begins, static context => Schedule(context), logs: logs);
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        Refuse("/due/");
        clock.Advance(TimeSpan.FromHours(2));
        process.Run();
        process.Append(RecordingReaction.Placed("b"));
        process.Run();
        clock.Advance(TimeSpan.FromHours(2));
        process.Run();
        Assert.Equal(2, logs.Lines.Count(static each => each.Id == FileProblem && each.Text.Contains("Remove the file.", StringComparison.Ordinal)
            && each.Text.Contains("/due/", StringComparison.Ordinal)));
        process.Stop();
        var next = new SteppedReaction(disk.Attach(), begins);
        next.Run();
        Assert.Equal(2, Promises.Read(next.Store, Query.All).Count(static e => e.Type == "due"));
    }

    [Fact]
    public void Reaction_runs_although_the_folder_of_a_former_leader_stays()
    {
        var process = new SteppedReaction(disk.Attach(), begins);
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Stop();
        var former = disk.Attach();
        var old = process.Layout.Folder(ReactionLayout.Old, 1);
        former.CreateFolder(old);
        former.CreateNew(FilePath.Join(old, "file"))!.Dispose();
        Refuse($"{old}/");
        var next = new SteppedReaction(disk.Attach(), begins);
        next.Append(RecordingReaction.Placed("b"));
        next.Run();
        Assert.Equal([1, 3], next.Sent());
        next.Stop();
        disk.Mend();
        new SteppedReaction(disk.Attach(), begins).Run();
        Assert.Equal(EntryKind.Missing, former.GetKind(old));
    }

    [Fact]
    public void Projection_is_rebuilt_once_when_the_request_cannot_be_removed()
    {
        var process = new SteppedProjection(disk.Attach());
        process.Append(Counts.Counted("a"));
        process.Run();
        Refuse("/requests/");
        process.RequestRebuild();
        process.Run();
        var rebuilt = process.Live.Folder;
        process.Run();
        Assert.Equal(rebuilt, process.Live.Folder);
        process.Client.Kill();
        var next = new SteppedProjection(disk.Attach());
        next.Run();
        Assert.Equal(GenerationModelId(process, next.Live), GenerationModelId(process, next.Live));
        Assert.Empty(LeaderRequest.List(next.Client, next.Layout));
        next.CheckExact();
    }

    private static Guid GenerationModelId(SteppedProjection process, Generation generation) =>
        GenerationModel.Read(process.Client.Disk.Attach(), generation)!.Id;

    private static void Schedule(ReactionContext context) =>
        context.ScheduleAsync(context.Event.Timestamp.AddHours(1), NewEvent.FromJson("due", "{}")).GetAwaiter().GetResult();

    private static void ThrowIf(bool fails)
    {
        if (fails)
            throw new InvalidOperationException("It fails.");
    }

    private void Refuse(string folder) => disk.Fail(new Fault
    {
        When = each => each.Kind == OperationKind.Delete && each.Path.Contains(folder, StringComparison.Ordinal),
        Error = FileError.AccessDenied,
        Lasts = true,
    });
}
