using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Reactions;

/// <summary>Files of a reaction that cannot be read or written: each holds up what it is about, and nothing else.</summary>
public sealed class UnreadableFilesTests
{
    private readonly SimulatedClock clock = new();
    private readonly SimulatedDisk disk;
    private readonly List<SteppedReaction.Begin> begins = [];
    private readonly HashSet<long> failing = [];

    public UnreadableFilesTests() => disk = new SimulatedDisk(VolumeKind.Ext4, clock);

    [Fact]
    public void Description_of_a_parked_event_that_cannot_be_read_keeps_no_leader_from_beginning_and_the_event_is_skipped()
    {
        failing.Add(1);
        var process = NewProcess();
        process.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("a"));
        process.Run();
        process.Stop();
        Refuse(OperationKind.Open, "/parked/0000000001.json");
        var next = NewProcess();
        next.Append(RecordingReaction.Placed("b"));
        next.Run();
        Assert.Equal([3], next.Sent());
        Assert.Equal([1], next.Parked);

        next.Request(LeaderRequest.Skip(1, "It is no mail."));
        next.CarryOutRequests();
        Assert.Equal([3, 2], next.Sent());
        Assert.Equal("It is no mail.", ParkedFile.ReadSkipped(next.Client, next.Layout, 1).SkipReason);
    }

    [Fact]
    public void Event_whose_description_cannot_be_written_holds_up_its_key_only_until_it_can_be()
    {
        failing.Add(1);
        var process = NewProcess();
        Refuse(OperationKind.CreateNew, "/parked/");
        process.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("a"), RecordingReaction.Placed("b"));
        for (var steps = 0; steps < 3; steps++)
            process.Step();
        Assert.Equal([3], process.Sent());
        Assert.Empty(process.Parked);

        disk.Mend();
        clock.Advance(TimeSpan.FromMinutes(2));
        process.Run();
        Assert.Equal([1], process.Parked);
        Assert.Equal([3], process.Sent());
    }

    [Fact]
    public void Skip_that_cannot_be_recorded_waits_until_it_can_be_and_other_events_are_handled()
    {
        failing.Add(1);
        var process = NewProcess();
        process.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("a"));
        process.Run();
        process.Request(LeaderRequest.Skip(1, "It is no mail."));
        Refuse(OperationKind.CreateNew, "/skipped/");
        process.CarryOutRequests();
        process.Append(RecordingReaction.Placed("b"));
        process.Run();
        Assert.Equal([3], process.Sent());
        Assert.Equal([1], process.Parked);

        disk.Mend();
        process.CarryOutRequests();
        Assert.Equal([3, 2], process.Sent());
        Assert.Empty(LeaderRequest.List(process.Client, process.Layout));
    }

    [Fact]
    public void Requests_that_cannot_be_listed_wait_until_they_can_be_and_other_events_are_handled()
    {
        failing.Add(1);
        var process = NewProcess();
        process.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("a"));
        process.Run();
        process.Request(LeaderRequest.Skip(1, "It is no mail."));
        Refuse(OperationKind.List, "/requests");
        process.CarryOutRequests();
        process.Append(RecordingReaction.Placed("b"));
        process.Run();
        Assert.Equal([3], process.Sent());
        Assert.Equal((0, true), (process.Stored.OpenRequests, process.Stored.Problem?.Error.Contains("/requests", StringComparison.Ordinal)));

        disk.Mend();
        process.CarryOutRequests();
        Assert.Equal([3, 2], process.Sent());
        Assert.Null(process.Stored.Problem);
    }

    [Fact]
    public void Descriptions_of_parked_events_that_cannot_be_listed_hold_up_nothing()
    {
        failing.Add(1);
        var process = NewProcess();
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Stop();
        Refuse(OperationKind.List, "/parked");
        var next = NewProcess();
        next.Append(RecordingReaction.Placed("b"));
        next.Run();
        Assert.Equal([2], next.Sent());

        failing.Clear();
        next.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, 1));
        next.CarryOutRequests();
        Assert.Equal([2, 1], next.Sent());
        Assert.Empty(next.Parked);
    }

    [Fact]
    public void Scheduled_events_that_cannot_be_listed_are_a_problem_of_the_status_and_keep_no_leader_from_beginning()
    {
        var process = NewProcess();
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Client.CreateFolder(process.Layout.Due);
        Refuse(OperationKind.List, "/due");
        Assert.Equal((1, 0, true),
            (process.Stored.Position, process.Stored.Scheduled, process.Stored.Problem?.Error.Contains("/due", StringComparison.Ordinal)));

        process.Stop();
        var live = process.Layout.Folder(ReactionLayout.Live, process.Layout.List(process.Client, ReactionLayout.Live)[^1]);
        process.Client.List(live).ForEach(name => process.Client.Delete(FilePath.Join(live, name)));
        var next = NewProcess();
        next.Run();
        Assert.NotNull(next.Halted);

        disk.Mend();
        Assert.Null(next.Stored.Problem);
    }

    [Fact]
    public void Events_of_a_key_wait_until_it_can_be_looked_up_which_were_skipped_and_other_events_are_handled()
    {
        failing.Add(1);
        var process = NewProcess();
        process.Append(RecordingReaction.Placed("a"), RecordingReaction.Placed("a"));
        process.Run();
        failing.Clear();
        process.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.Retry, 1));
        Refuse(OperationKind.GetKind, "/skipped/");
        process.CarryOutRequests();
        process.Append(RecordingReaction.Placed("b"));
        process.Run();
        Assert.Equal([1, 4], process.Sent());

        disk.Mend();
        clock.Advance(TimeSpan.FromMinutes(1));
        process.Run();
        Assert.Equal([1, 4, 2], process.Sent());
    }

    [Fact]
    public void Retry_of_an_event_that_cannot_be_read_for_now_waits_until_it_can_be()
    {
        failing.Add(1);
        var process = NewProcess();
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        failing.Clear();
        process.Request(new LeaderRequest(Guid.NewGuid(), RequestKind.Retry, 1));
        Refuse(OperationKind.Read, "/Log/");
        Refuse(OperationKind.Open, "/Events/");
        process.CarryOutRequests();
        Assert.Equal([1], process.Parked);

        disk.Mend();
        process.CarryOutRequests();
        Assert.Equal([1], process.Sent());
    }

    private SteppedReaction NewProcess() => new(disk.Attach(), begins, context =>
    {
        if (failing.Contains(context.Event.Position))
            throw new InvalidOperationException("no mail server");
    }, retries: 0);

    private void Refuse(OperationKind kind, string path) => disk.Fail(new Fault
    {
        When = each => each.Kind == kind && each.Path.Contains(path, StringComparison.Ordinal),
        Error = FileError.AccessDenied,
        Lasts = true,
    });
}
