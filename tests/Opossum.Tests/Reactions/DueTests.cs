using System.Text;
using Opossum.FileSystem;
using Opossum.Reactions;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Reactions;

/// <summary>Events that a reaction appends when their time has come.</summary>
public sealed class DueTests : IDisposable
{
    // A file that is not what it should be.
    private const int FileProblem = 135;

    private readonly SimulatedClock clock = new();
    private readonly Logs logs = new();
    private readonly SimulatedDisk disk;

    public DueTests() => disk = new SimulatedDisk(VolumeKind.Ext4, clock);

    public void Dispose() => logs.Dispose();

    private List<string> Problems => [.. logs.Lines.Where(static each => each.Id == FileProblem).Select(static each => each.Text)];

    [Fact]
    public void Event_waits_for_its_time_in_a_readable_file_and_is_appended_by_the_next_leader_in_the_order_of_times()
    {
        var first = NewProcess(static context =>
        {
            Schedule(context, context.Event.Timestamp.AddHours(2), "second");
            Schedule(context, context.Event.Timestamp.AddHours(1).ToOffset(TimeSpan.FromHours(9)), "first");
            Schedule(context, DateTimeOffset.MaxValue, "never");
        });
        first.Append(RecordingReaction.Placed("a"));
        first.Run();
        clock.Advance(TimeSpan.FromMinutes(59));
        first.Run();
        Assert.Empty(Appended(first));
        Assert.Equal(3, first.Client.List(first.Layout.Due).Count);
        first.Stop();

        clock.Advance(TimeSpan.FromDays(30));
        var next = NewProcess(static _ => { });
        next.Run();
        Assert.Equal(["first", "second"], Appended(next));
        Assert.Single(next.Client.List(next.Layout.Due));
    }

    [Fact]
    public void Past_time_means_at_once_and_a_repeated_handling_appends_once()
    {
        var fails = true;
        var process = NewProcess(context =>
        {
            Schedule(context, DateTimeOffset.MinValue, "now");
            if (context.Attempt == 1 && fails)
                throw new InvalidOperationException("It fails.");
        });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Run();
        fails = false;
        Assert.Equal(["now"], Appended(process));
        Assert.Empty(process.Client.List(process.Layout.Due));
    }

    [Fact]
    public void Clock_that_is_set_back_delays_and_one_that_is_set_forward_does_not()
    {
        var process = NewProcess(static context => Schedule(context, context.Event.Timestamp.AddHours(1), "due"));
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        clock.Advance(TimeSpan.FromDays(-1));
        process.Run();
        Assert.Empty(Appended(process));
        clock.Advance(TimeSpan.FromDays(2));
        process.Run();
        Assert.Equal(["due"], Appended(process));
    }

    [Fact]
    public void Event_that_the_append_would_refuse_is_refused_by_the_call()
    {
        var errors = new List<Exception>();
        var process = NewProcess(context =>
        {
            errors.Add(Record.Exception(() => Schedule(context, DateTimeOffset.MaxValue, new NewEvent(new Unregistered())))!);
            errors.Add(Record.Exception(() => Schedule(context, DateTimeOffset.MaxValue, NewEvent.FromJson("due", "{")))!);
        });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        Assert.All(errors, static error => Assert.IsType<ArgumentException>(error));
        Assert.Equal(EntryKind.Missing, process.Client.GetKind(process.Layout.Due));
    }

    [Fact]
    public void Edited_and_unknown_files_are_named_and_stay_and_a_removed_one_cancels()
    {
        var process = NewProcess(static context =>
        {
            Schedule(context, context.Event.Timestamp.AddHours(1), "removed");
            Schedule(context, context.Event.Timestamp.AddHours(2), "edited");
            Schedule(context, context.Event.Timestamp.AddHours(3), "whole");
        });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        var files = process.Client.List(process.Layout.Due).Order(StringComparer.Ordinal).ToList();
        process.Client.Delete(FilePath.Join(process.Layout.Due, files[0]));
        var edited = FilePath.Join(process.Layout.Due, files[1]);
        using (var file = process.Client.Open(edited, FileOpening.ReadWrite)!)
            file.Write("{ \"edited\""u8, 0);
        var unknown = FilePath.Join(process.Layout.Due, "notes.txt");
        process.Client.CreateNew(unknown)!.Dispose();

        clock.Advance(TimeSpan.FromDays(1));
        process.Run();
        Assert.Equal(["whole"], Appended(process));
        Assert.Equal(2, process.Client.List(process.Layout.Due).Count);
        Assert.Equal(2, Problems.Count);
        Assert.Contains(Problems, problem => problem.Contains($" {edited} ", StringComparison.Ordinal));
        Assert.Contains(Problems, problem => problem.Contains($" {unknown} ", StringComparison.Ordinal));

        process.Stop(keepsStore: true);
        process.Run();
        Assert.Equal(2, Problems.Count);
    }

    [Fact]
    public void File_that_cannot_be_read_for_a_moment_keeps_nothing_else_from_being_appended_and_is_read_again()
    {
        var process = NewProcess(static context =>
        {
            Schedule(context, context.Event.Timestamp.AddHours(1), "first");
            Schedule(context, context.Event.Timestamp.AddHours(2), "second");
        });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        var first = process.Client.List(process.Layout.Due).Order(StringComparer.Ordinal).First();
        disk.Fail(new Fault
        {
            When = each => each.Kind == OperationKind.Open && each.Path.EndsWith(first, StringComparison.Ordinal),
            Error = FileError.InUse,
            Lasts = true,
        });
        clock.Advance(TimeSpan.FromDays(1));
        process.Run();
        Assert.Equal(["second"], Appended(process));
        Assert.Empty(Problems);

        disk.Mend();
        clock.Advance(TimeSpan.FromMinutes(1));
        process.Run();
        Assert.Equal(["second", "first"], Appended(process));
        Assert.Empty(process.Client.List(process.Layout.Due));
    }

    [Fact]
    public void No_more_than_so_many_events_are_scheduled_at_a_time()
    {
        var refused = new List<string>();
        var process = NewProcess(context =>
        {
            foreach (var type in (string[])["a", "b", "c"])
            {
                var error = Record.Exception(() => Schedule(context, context.Event.Timestamp.AddHours(1), type));
                if (error is not null)
                    refused.Add($"{context.Event.Position} {type}: {error.Message}");
            }
        }, new ReactionSizes { ScheduledMax = 2 });
        for (var round = 1; round <= 2; round++)
        {
            process.Append(RecordingReaction.Placed("a"));
            process.Run();
            Assert.Equal(2, process.Client.List(process.Layout.Due).Count);
            clock.Advance(TimeSpan.FromHours(2));
            process.Run();
        }

        Assert.Equal(["a", "b", "a", "b"], Appended(process));
        Assert.Equal(2, refused.Count);
        Assert.All(refused, static each => Assert.Contains(" c: ", each, StringComparison.Ordinal));
        Assert.All(refused, static each => Assert.Contains("has scheduled 2 events that are not due yet", each, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    public void Events_whose_time_has_come_are_appended_some_at_a_time(int events)
    {
        var process = NewProcess(context =>
        {
            for (var number = 0; number < events; number++)
                Schedule(context, context.Event.Timestamp.AddHours(1 + number), $"due{number}");
        }, new ReactionSizes { DueAtOnce = 2 });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        clock.Advance(TimeSpan.FromDays(1));
        for (var appended = 2; appended < events; appended += 2)
        {
            process.Step();
            Assert.Equal(appended, Appended(process).Count());
        }
        process.Run();

        Assert.Equal(Enumerable.Range(0, events).Select(static number => $"due{number}"), Appended(process));
        Assert.Empty(process.Client.List(process.Layout.Due));
    }

    [Fact]
    public void File_that_was_reformatted_is_appended_as_compact_text()
    {
        var process = NewProcess(static context =>
            Schedule(context, context.Event.Timestamp.AddHours(1), NewEvent.FromJson("due", """{"by":"us"}""")));
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        using (var file = process.Client.Open(
            FilePath.Join(process.Layout.Due, Assert.Single(process.Client.List(process.Layout.Due))), FileOpening.ReadWrite)!)
        {
            var bytes = new byte[file.GetLength()];
            file.Read(bytes, 0);
            file.Write(Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(bytes).Replace("\"us\"", "\n  \"us\"\n", StringComparison.Ordinal)), 0);
        }
        clock.Advance(TimeSpan.FromHours(2));
        process.Run();

        Assert.Equal(["""{"by":"us"}"""], Events(process).Where(static e => e.Type == "due")
            .Select(static e => Encoding.UTF8.GetString(e.StoredJson.Span)));
    }

    [Fact]
    public void Data_of_the_greatest_depth_is_scheduled_and_appended()
    {
        var json = new string('[', 64) + new string(']', 64);
        var process = NewProcess(context => Schedule(context, context.Event.Timestamp.AddHours(1), NewEvent.FromJson("due", json)));
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        clock.Advance(TimeSpan.FromHours(2));
        process.Run();

        Assert.Equal(["due"], Appended(process));
    }

    [Fact]
    public void What_was_handled_is_not_handled_again_although_a_problem_ends_the_term()
    {
        var begins = new List<SteppedReaction.Begin>();
        var process = new SteppedReaction(disk.Attach(), begins, static context =>
        {
            if (context.Event.Position == 1)
                Schedule(context, context.Event.Timestamp.AddHours(1), "due");
        });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Append(RecordingReaction.Placed("b"));
        process.Step();
        clock.Advance(TimeSpan.FromHours(2));
        for (var attempt = 0; attempt < 3; attempt++)
        {
            disk.Fail(new Fault
            {
                When = static operation => operation.Kind == OperationKind.GetKind && operation.Path.Contains("/live.", StringComparison.Ordinal),
            });
            Assert.Throws<FileSystemException>(() => process.Step());
            process.Stop(keepsStore: true);
        }
        process.Run();

        Assert.Equal(2, begins.Count);
        Assert.Equal(["due"], Appended(process));
    }

    [Fact]
    public void Events_are_handled_and_known_ones_appended_although_the_scheduled_ones_cannot_be_listed()
    {
        var process = NewProcess(static context => Schedule(context, context.Event.Timestamp.AddHours(1), $"due{context.Event.Position}"));
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        process.Stop(keepsStore: true);
        disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.List && operation.Path == process.Layout.Due,
            Error = FileError.AccessDenied,
            Lasts = true,
        });
        process.Append(RecordingReaction.Placed("b"));
        process.Run();
        clock.Advance(TimeSpan.FromHours(2));
        process.Run();
        Assert.Equal(["due3"], Appended(process));
        Assert.InRange(process.Step(), TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(1));

        disk.Mend();
        clock.Advance(TimeSpan.FromMinutes(1));
        process.Run();
        Assert.Equal(["due3", "due1"], Appended(process));
    }

    [Fact]
    public void Event_that_cannot_be_appended_for_now_is_tried_again_after_pauses_and_others_are_handled_meanwhile()
    {
        var begins = new List<SteppedReaction.Begin>();
        var process = new SteppedReaction(disk.Attach(), begins, static context =>
        {
            if (context.Event.Position == 1)
                Schedule(context, context.Event.Timestamp.AddHours(1), "due");
        });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        clock.Advance(TimeSpan.FromHours(2));
        var attempts = 0;
        disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.CreateNew
                && operation.Path.Contains("/Events/", StringComparison.Ordinal) && ++attempts > 0,
            Error = FileError.DiskFull,
            Lasts = true,
        });
        for (var step = 0; step < 10; step++)
            process.Step();
        Assert.Equal(1, attempts);
        clock.Advance(TimeSpan.FromMinutes(1));
        process.Step();
        Assert.Equal(2, attempts);
        disk.Mend();
        process.Append(RecordingReaction.Placed("b"));
        process.Run();
        Assert.Equal([1, 1], begins.Select(static each => each.Attempt));
        Assert.Empty(Appended(process));
        clock.Advance(TimeSpan.FromMinutes(1));
        process.Run();

        Assert.Equal(["due"], Appended(process));
        Assert.Empty(process.Client.List(process.Layout.Due));
    }

    [Fact]
    public void Call_that_is_cancelled_keeps_its_number()
    {
        var process = NewProcess(static context =>
        {
            var isFirst = context.Attempt == 1;
            var error = Record.Exception(() => context.ScheduleAsync(context.Event.Timestamp.AddHours(2), NewEvent.FromJson("later", "{}"),
                cancellationToken: new CancellationToken(isFirst)).GetAwaiter().GetResult());
            Assert.Equal(isFirst, error is OperationCanceledException);
            Schedule(context, context.Event.Timestamp.AddHours(1), "sooner");
            if (isFirst)
                throw new InvalidOperationException("It fails.");
        });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        clock.Advance(TimeSpan.FromDays(1));
        process.Run();

        Assert.Equal(["sooner", "later"], Appended(process));
    }

    [Fact]
    public void Look_for_what_others_have_removed_costs_nothing_for_each_event_that_is_there()
    {
        var process = NewProcess(static context =>
        {
            for (var number = 0; number < 5; number++)
                Schedule(context, context.Event.Timestamp.AddHours(1), $"due{number}");
        });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        clock.Advance(TimeSpan.FromMinutes(1));
        var (lists, looks) = (0, 0);
        process.Client.BeforeOperation = operation =>
        {
            lists += operation.Kind == OperationKind.List && operation.Path == process.Layout.Due ? 1 : 0;
            looks += operation.Kind == OperationKind.GetKind && operation.Path.StartsWith($"{process.Layout.Due}/", StringComparison.Ordinal) ? 1 : 0;
        };
        process.Step();

        Assert.Equal((1, 0), (lists, looks));
    }

    [Fact]
    public void Files_that_cannot_be_read_do_not_hold_up_later_ones_however_many_they_are()
    {
        var process = NewProcess(static context =>
        {
            for (var number = 0; number < 5; number++)
                Schedule(context, context.Event.Timestamp.AddHours(1 + number), $"due{number}");
        }, new ReactionSizes { DueAtOnce = 2 });
        process.Append(RecordingReaction.Placed("a"));
        process.Run();
        var unreadable = process.Client.List(process.Layout.Due).Order(StringComparer.Ordinal).Take(3).ToList();
        disk.Fail(new Fault
        {
            When = each => each.Kind == OperationKind.Open && unreadable.Exists(name => each.Path.EndsWith(name, StringComparison.Ordinal)),
            Error = FileError.InUse,
            Lasts = true,
        });
        clock.Advance(TimeSpan.FromHours(4.5));
        for (var tries = 0; tries < 10; tries++)
        {
            process.Step();
            clock.Advance(TimeSpan.FromMinutes(1));
        }
        Assert.Equal(["due3"], Appended(process));
        var last = clock.GetUtcNow().UtcDateTime.Date.AddHours(5);
        clock.Advance(last.AddSeconds(-1) - clock.GetUtcNow().UtcDateTime);
        process.Step();
        // In the middle of the pause before the others are read again.
        Assert.Equal(last, process.NextDue);
        clock.Advance(TimeSpan.FromSeconds(1));
        process.Step();
        Assert.Equal(["due3", "due4"], Appended(process));

        disk.Mend();
        clock.Advance(TimeSpan.FromMinutes(1));
        process.Run();
        Assert.Equal(["due0", "due1", "due2", "due3", "due4"], Appended(process).Order());
    }

    private static void Schedule(ReactionContext context, DateTimeOffset when, string type) =>
        Schedule(context, when, NewEvent.FromJson(type, "{}"));

    private static void Schedule(ReactionContext context, DateTimeOffset when, NewEvent e) =>
        context.ScheduleAsync(when, e, cancellationToken: TestContext.Current.CancellationToken).GetAwaiter().GetResult();

    private static IEnumerable<string> Appended(SteppedReaction process) =>
        Events(process).Select(static e => e.Type).Where(static type => type is not ("placed" or "sent"));

    private static List<SequencedEvent> Events(SteppedReaction process) => process.Store.ReadAllAsync().GetAwaiter().GetResult();

    private SteppedReaction NewProcess(Action<ReactionContext> handle, ReactionSizes? sizes = null) =>
        new(disk.Attach(), [], handle, sizes: sizes, logs: logs);

    private sealed record Unregistered;
}
