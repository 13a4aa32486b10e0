using Opossum.FileSystem;
using Opossum.Projections.States;
using Opossum.Reactions.Files;
using Opossum.Storage.Folders;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.Projections;

/// <summary>What the disk refuses for a while is no fault of an event: it is shown, and passes.</summary>
public sealed class ProjectionTroubleTests
{
    // What is logged when a process leads, when the lead is lost, and at the first trouble.
    private const int Leads = 100, LeadLost = 108, Troubled = 109;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static readonly ProjectionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(1), RetryDelay = TimeSpan.Zero };

    [Theory]
    [InlineData("Write")]
    [InlineData("CreateNew")]
    [InlineData("Flush")]
    [InlineData("Move")]
    public async Task Disk_that_refuses_is_shown_and_everything_counts_once_when_it_works_again(string operation)
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var logs = new Logs();
        using var store = place.Open(options => options.LoggerFactory = logs);
        await store.AppendAsync([Counts.Counted("a"), Counts.Counted("a", "b")]);
        await using var runner = store.StartProjections([new Counts()], quick);
        var counts = store.Projections.Get<Count>();
        await counts.WaitForAsync(2);
        var refused = Enum.Parse<OperationKind>(operation);
        place.Disk!.Fail(new Fault
        {
            When = each => each.Kind == refused
            && each.Path.Contains("Projections", StringComparison.Ordinal),
            Error = FileError.DiskFull,
            Lasts = true
        });
        await store.AppendAsync([Counts.Counted("a"), Counts.Deleted("b"), Counts.Counted("c")]);
        await logs.SeenAsync(Troubled);
        // It is shown right after it is logged.
        while ((await counts.GetStatusAsync()) is not { Problem: not null, Fault: null })
            await Task.Yield();
        // The flush comes behind the move.
        Assert.Equal(operation == "Flush" ? 3 : 2, (await counts.GetAsync("a"))?.Number);
        place.Disk.Mend();
        await counts.WaitForAsync(5);
        Assert.Equal(3, (await counts.GetAsync("a"))?.Number);
        Assert.Equal(["a", "c"], (await counts.ReadAllAsync().ToListAsync()).Select(state => state.Key).Order());
        while ((await counts.GetStatusAsync()).Problem is not null)
            await Task.Yield();
    }

    [Fact(Timeout = 60_000)]
    public async Task Rebuild_that_meets_a_damaged_event_waits_for_it_and_the_states_are_kept_up_to_date_meanwhile()
    {
        using var place = StorePlace.InFolder();
        using var logs = new Logs();
        using var store = place.Open(options => options.LoggerFactory = logs);
        await using var runner = await StartCountsAsync(store);
        var counts = store.Projections.Get<Count>();
        var mend = place.Damage(2);
        var rebuilt = store.Projections["counts"].RebuildAsync(cancellationToken: Cancellation);
        FollowerProblem? problem;
        while ((problem = (await counts.GetStatusAsync(Cancellation)).Problem) is null)
            await Task.Yield();
        for (var position = 4; position < 8; position++)
        {
            await store.AppendAsync(Counts.Counted("a"), cancellationToken: Cancellation);
            await counts.WaitForAsync(position, Cancellation);
        }
        Assert.Contains("0000000002", problem.Error, StringComparison.Ordinal);
        Assert.Equal(new Count(6, 1), await counts.GetAsync("a", Cancellation));
        Assert.Single(logs.Lines, static line => line.Id == Leads);
        Assert.Single(logs.Lines, static line => line.Id == Troubled);
        mend();
        await rebuilt;
        Assert.Equal(new Count(6, 1), await counts.GetAsync("a", Cancellation));
        while (await counts.GetStatusAsync(Cancellation) is not { Phase: FollowerPhase.Running, Problem: null })
            await Task.Yield();
    }

    [Fact(Timeout = 60_000)]
    public async Task Disk_that_refuses_while_an_event_holds_up_a_rebuild_is_logged_too()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var logs = new Logs();
        using var store = place.Open(options => options.LoggerFactory = logs);
        await using var runner = await StartCountsAsync(store);
        var counts = store.Projections.Get<Count>();
        place.Damage(2);
        await store.Projections["counts"].RebuildAsync(wait: false, Cancellation);
        while ((await counts.GetStatusAsync(Cancellation)).Problem is null)
            await Task.Yield();
        place.Disk!.Fail(new Fault
        {
            When = static each => each.Kind == OperationKind.CreateNew && each.Path.Contains("Projections", StringComparison.Ordinal),
            Error = FileError.DiskFull,
            Lasts = true
        });
        await store.AppendAsync(Counts.Counted("c"), cancellationToken: Cancellation);
        while (!logs.Lines.Any(static line => line.Id == Troubled && line.Text.Contains("a simulated fault", StringComparison.Ordinal)))
            await Task.Yield();
        place.Disk.Mend();
        await counts.WaitForAsync(4, Cancellation);
        Assert.Equal(new Count(1, 4), await counts.GetAsync("c", Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task Another_trouble_before_the_first_has_passed_is_logged_too_and_each_once()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var logs = new Logs();
        using var store = place.Open(options => options.LoggerFactory = logs);
        await using var runner = await StartCountsAsync(store);
        var (isOther, tries) = (false, 0);
        place.Disk!.Fail(Refusal(ofOther: false, FileError.DiskFull));
        place.Disk.Fail(Refusal(ofOther: true, FileError.AccessDenied));

        await store.AppendAsync(Counts.Counted("c"), cancellationToken: Cancellation);
        // The states that cannot be written, and the checkpoint of the next term.
        await TryAsync(4);
        Assert.Equal(2, CountLogged());
        Volatile.Write(ref isOther, true);
        await TryAsync(3);
        Volatile.Write(ref isOther, false);
        await TryAsync(3);

        Assert.Equal(3, CountLogged());
        place.Disk.Mend();
        await store.Projections["counts"].WaitForAsync(4, Cancellation);

        int CountLogged() => logs.Lines.Count(static line => line.Id == Troubled);

        Fault Refusal(bool ofOther, FileError error) => new()
        {
            When = each => each.Kind == OperationKind.CreateNew && each.Path.Contains("Projections", StringComparison.Ordinal)
                && Volatile.Read(ref isOther) == ofOther && Interlocked.Increment(ref tries) > 0,
            Error = error,
            Lasts = true,
        };

        async Task TryAsync(int times)
        {
            for (var enough = Volatile.Read(ref tries) + times; Volatile.Read(ref tries) < enough;)
                await Task.Yield();
        }
    }

    [Fact(Timeout = 60_000)]
    public async Task An_event_that_failed_at_its_last_retry_stops_the_projection_without_another_pause()
    {
        // The clock stands still, so a pause would not end.
        await using var store = InMemoryEventStore.Open(new OpossumOptions { TimeProvider = new TestClock() });
        await store.AppendAsync(Counts.Counted("a"), cancellationToken: Cancellation);
        var options = new ProjectionOptions { MaxRetryAttempts = 0, RetryDelay = TimeSpan.FromSeconds(30) };
        await using var runner = store.StartProjections([new Failing(1, new FormatException("poison"))], options);

        var stopped = await Assert.ThrowsAsync<ProjectionException>(() => store.Projections["failing"].WaitForAsync(1, Cancellation));

        Assert.Equal(1, stopped.Fault!.Position);
    }

    [Fact(Timeout = 60_000)]
    public async Task Share_that_is_away_while_a_build_stops_at_an_event_is_no_problem_any_more_when_it_is_back()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var store = place.Open();
        await store.AppendAsync(Counts.Counted("a"), cancellationToken: Cancellation);
        var projection = new Failing(1, new FormatException("poison"));
        _ = projection.Query;
        var host = store.ProjectionHost(new ProjectionOptions { PollInterval = quick.PollInterval, RetryDelay = TimeSpan.Zero, MaxRetryAttempts = 0 });
        var looks = 0;
        var follower = projection.CreateFollower(host with
        {
            // The second look is the one after the error was written.
            CatchUp = () =>
            {
                if (Interlocked.Increment(ref looks) == 2)
                    throw new StoreIOException(place.Root, "The share is away.");
            },
        });
        using var stop = new CancellationTokenSource();
        var run = follower.RunAsync(stop.Token);

        while (Volatile.Read(ref looks) < 4 || follower.Signals is not { Problem: null, Progress.Halt: not null })
            await Task.Yield();

        Assert.Equal(1, (await store.Projections["failing"].GetStatusAsync(Cancellation)).Fault?.Position);
        await stop.CancelAsync();
        await run;
    }

    [Fact(Timeout = 60_000)]
    public async Task Last_event_before_built_states_replace_others_may_have_to_be_read_again()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var logs = new Logs();
        using var store = place.Open(options => options.LoggerFactory = logs);
        await store.AppendAsync(Counts.Counted("a"), cancellationToken: Cancellation);
        var projection = new Failing(2, new StoreIOException(place.Root, "The share is away."), failures: 1);
        await using var runner = store.StartProjections([projection], new ProjectionOptions
        {
            PollInterval = quick.PollInterval,
            RebuildProgress = new Doing(progress =>
            {
                if (progress is { Done: 1, Total: 1 })
                    store.AppendAsync(Counts.Counted("a")).GetAwaiter().GetResult();
            }),
        });

        await store.Projections["failing"].WaitForAsync(2, Cancellation);

        Assert.Single(logs.Lines, static line => line.Id == Troubled);
        Assert.Single(logs.Lines, static line => line.Id == Leads);
    }

    [Fact]
    public async Task Skips_that_cannot_be_listed_are_a_problem_of_the_status()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var store = place.Open();
        await using var projections = store.StartProjections([new Counts()], quick);
        await using var reactions = store.StartReactions([new RecordingReaction(ReactionStart.Beginning)]);
        string[] folders = [new ProjectionLayout(place.Layout.Projections, "counts").Skipped,
            new ReactionLayout(place.Layout.Reactions, "recording").Skipped];
        foreach (var folder in folders)
            place.CreateFolder(folder);
        place.Disk!.Fail(new Fault
        {
            When = each => each.Kind == OperationKind.List && folders.Contains(each.Path),
            Error = FileError.AccessDenied,
            Lasts = true
        });

        Assert.Contains(folders[0], (await store.Projections["counts"].GetStatusAsync(Cancellation)).Problem!.Error, StringComparison.Ordinal);
        Assert.Contains(folders[1], (await store.Reactions["recording"].GetStatusAsync(Cancellation)).Problem!.Error, StringComparison.Ordinal);
    }

    [Fact(Timeout = 60_000)]
    public async Task Pauses_grow_while_a_problem_lasts_and_are_short_again_an_hour_later()
    {
        var clock = new MovedClock();
        var poll = TimeSpan.FromMilliseconds(7);
        using var place = StorePlace.On(VolumeKind.Ext4, clock);
        using var store = place.Open();
        await using var runner = store.StartProjections([new Counts()], new ProjectionOptions { PollInterval = poll });
        var counts = store.Projections.Get<Count>();
        for (var round = 0; round < 2; round++)
        {
            var last = await store.AppendAsync([Counts.Counted("a")], cancellationToken: TestContext.Current.CancellationToken);
            await counts.WaitForAsync(last.LastPosition, TestContext.Current.CancellationToken);
            clock.Waits.Clear();
            place.Disk!.Fail(new Fault
            {
                When = static each => each.Kind == OperationKind.Write && each.Path.Contains("Projections", StringComparison.Ordinal),
                Error = FileError.DiskFull,
                Lasts = true
            });
            last = await store.AppendAsync([Counts.Counted("a")], cancellationToken: TestContext.Current.CancellationToken);
            // Callers wait as long as the first pause is, and nobody else as long as the next ones are.
            TimeSpan[] pauses;
            do
            {
                await Task.Yield();
                pauses = [.. clock.Waits.Where(wait => wait > poll && IsDoubled(wait, poll))];
            }
            while (pauses.Length < 2);
            place.Disk.Mend();
            await counts.WaitForAsync(last.LastPosition, TestContext.Current.CancellationToken);
            Assert.Equal([2 * poll, 4 * poll], pauses.Take(2));
            clock.Move(TimeSpan.FromHours(1));
        }
    }

    [Theory]
    [InlineData("/store")]
    [InlineData("/store/Projections")]
    [InlineData("/store/Projections/counts")]
    [InlineData("/store/Projections/counts/live")]
    public async Task Folder_that_is_moved_away_is_named_and_no_other_process_is_blamed(string folder)
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        using var logs = new Logs();
        var client = place.Disk!.Attach();
        using var store = place.Open(client, options => options.LoggerFactory = logs);
        await using var runner = store.StartProjections([new Counts()], quick);
        await store.AppendAsync([Counts.Counted("a")]);
        await store.Projections.Get<Count>().WaitForAsync(1);
        var isMoved = false;
        client.BeforeOperation = operation =>
        {
            if (isMoved || operation.Kind != OperationKind.CreateNew || !operation.Path.Contains("staging", StringComparison.Ordinal))
                return;
            isMoved = true;
            if (folder.EndsWith("live", StringComparison.Ordinal))
                folder += operation.Path[folder.Length..operation.Path.IndexOf('/', folder.Length)];
            place.Disk.Attach().MoveFolder(folder, "/away");
        };
        await store.AppendAsync([Counts.Counted("a")]);
        await logs.SeenAsync(LeadLost);
        Assert.StartsWith($"This process no longer leads the projection counts: {folder} no longer exists: it was deleted or moved.\n",
            logs.Lines.First(line => line.Id == LeadLost).Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Stop_after_a_read_that_failed_writes_no_part_of_what_an_event_changes()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var process = new SteppedProjection(disk.Attach());
        process.Append(Counts.Counted("a", "b"));
        process.Run();
        process.Client.Kill();
        process = new SteppedProjection(disk.Attach());
        process.Append(Counts.Counted("c"), Counts.Counted("a", "b"));
        disk.Fail(new Fault
        {
            When = static each => each.Kind == OperationKind.Open && each.Path.EndsWith("/b.json", StringComparison.Ordinal),
            Error = FileError.Other,
            Lasts = true,
        });
        Assert.Throws<FileSystemException>(process.Run);
        disk.Mend();
        process.StopTerm();

        Assert.Equal(2, process.Status().Position);
        Assert.All(process.ReadAll().Values, static state => Assert.InRange(state.Position, 1, 2));
    }

    [Fact]
    public void What_is_before_an_event_that_cannot_be_read_is_written()
    {
        var process = new SteppedProjection(new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()).Attach());
        process.Append(Counts.Counted("a"));
        process.Run();
        process.Append(Counts.Counted("b"), Counts.Counted("c"));
        Blank(process.Client, new StoreLayout(SteppedProjection.Root).Segment(0));
        Blank(process.Client, new StoreLayout(SteppedProjection.Root).EventFile(3));

        Assert.Throws<StoreDamagedException>(process.Run);

        Assert.Equal(2, process.Status().Position);
        Assert.Equal(new Count(1, 2), process.Get("b"));
    }

    [Fact]
    public void Build_that_meets_a_damaged_state_stops_there_and_a_rebuild_that_is_asked_for_replaces_it()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var process = new SteppedProjection(disk.Attach(), cachedStatesMax: 2);
        foreach (var key in (string[])["a", "b", "c", "d", "e", "a"])
            process.Append(Counts.Counted(key));
        var written = 0;
        process.Client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Move && operation.Path.Contains("staging", StringComparison.Ordinal) && ++written == 4)
                process.Client.Kill();
        };
        Assert.Throws<ProcessKilledException>(process.Run);
        process = new SteppedProjection(disk.Attach(), cachedStatesMax: 2);
        var building = Generations.List(process.Client, process.Layout).Single();
        Blank(process.Client, building.StateFile("a"));

        process.Run();
        Assert.Contains("RebuildAsync", process.Status().Fault?.Error, StringComparison.Ordinal);
        process.RequestRebuild();
        process.Run();
        process.CheckExact();
    }

    private static void Blank(SimulatedFileSystem client, string path)
    {
        using var file = client.Open(path, FileOpening.ReadWrite)!;
        file.Write(new byte[file.GetLength()], 0);
    }

    private static bool IsDoubled(TimeSpan wait, TimeSpan first)
    {
        while (wait > first)
            wait /= 2;
        return wait == first;
    }

    private static async Task<IAsyncDisposable> StartCountsAsync(FileSystemEventStore store)
    {
        await store.AppendAsync([Counts.Counted("a"), Counts.Counted("a"), Counts.Counted("b")], cancellationToken: Cancellation);
        var runner = store.StartProjections([new Counts()], quick);
        await store.Projections.Get<Count>().WaitForAsync(3, Cancellation);
        return runner;
    }

    private sealed class Failing : Projection<Count>
    {
        public Failing(long position, Exception error, int failures = int.MaxValue)
            : base("failing") => On("counted", static _ => "a",
                (_, e) => e.Position == position && failures-- > 0 ? throw error : new Count(1, e.Position));
    }

    private sealed class Doing(Action<StoreProgress> act) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => act(value);
    }
}
