using System.Text.Json;
using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

/// <summary>Processes with a journal are killed and halted before their events have event files; others go on with what they left.</summary>
public sealed class KilledJournalTests(ITestOutputHelper output)
{
    private const string End = "end";

    // OPOSSUM_TEST_ALL=1: for minutes.
    private static readonly int rounds = Environment.GetEnvironmentVariable("OPOSSUM_TEST_ALL") == "1" ? 60 : 1;

    private static readonly NewEvent other = NewEvent.FromJson("other", "{}");

    [Fact]
    public async Task Appends_of_processes_with_a_journal_that_are_killed_and_halted_leave_a_history_that_proves_itself()
    {
        LongTests.SkipUnlessAsked();
        var seed = Seed.Choose(output);
        for (var round = 0; round < rounds; round++)
            await KillAsync(seed + round);
    }

    [Theory]
    [InlineData(HaltPlace.BeforeFirstWrite, false)]
    [InlineData(HaltPlace.BeforeThirdFile, false)]
    [InlineData(HaltPlace.BeforeSecondFile, true)]
    public async Task The_next_append_finishes_the_backlog_of_a_process_that_was_killed(HaltPlace place, bool useJournal)
    {
        LongTests.SkipUnless(useJournal);
        using var folder = new StoreFolder();
        await AppendFirstAsync(folder);
        await using (var next = await OpenAsync(folder, useJournal))
        {
            using (var worker = await HaltAsync(folder, place))
                worker.Kill();
            Assert.True((await next.GetStatusAsync()).EventsInJournal >= 3);
            Assert.False(File.Exists(folder.Layout.EventFile(4)));

            Assert.Equal(5, (await next.AppendAsync([other])).FirstPosition);

            // With a journal its own events follow, and when it is disposed they are there.
            if (!useJournal)
                await AssertHasEventFilesAsync(folder, next);
        }
        await using var opened = await folder.OpenAsync();
        await AssertHasEventFilesAsync(folder, opened);
        await folder.CheckAsync();
    }

    [Fact]
    public async Task The_next_opening_finishes_the_backlog_of_a_process_that_was_killed()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        await AppendFirstAsync(folder);
        using (var worker = await HaltAsync(folder, HaltPlace.BeforeSecondFile))
            worker.Kill();
        Assert.False(File.Exists(folder.Layout.EventFile(3)));

        await using var opened = await folder.OpenAsync();
        Assert.True(File.Exists(folder.Layout.EventFile(4)));
        await opened.AppendAsync([other]);
        await AssertHasEventFilesAsync(folder, opened);
        await folder.CheckAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Others_append_while_a_process_is_stopped_in_its_backlog_and_it_goes_on_afterwards(bool useJournal)
    {
        LongTests.SkipUnlessAsked();
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no SIGSTOP");
        using var folder = new StoreFolder();
        await AppendFirstAsync(folder);
        await using (var next = await OpenAsync(folder, useJournal))
        {
            using var worker = await HaltAsync(folder, HaltPlace.BeforeSecondFile);
            worker.Signal("STOP");

            Assert.Equal(5, (await next.AppendAsync([other])).FirstPosition);

            worker.Say("go on");
            worker.Signal("CONT");
            await worker.EndAsync();
        }
        await using var opened = await folder.OpenAsync();
        await AssertHasEventFilesAsync(folder, opened);
        await folder.CheckAsync();
    }

    private async Task KillAsync(int seed)
    {
        using var folder = new StoreFolder(shardPositions: 20);
        using var follower = (await WorkerProcess.StartReadyAsync(1, folder.Role("follow")))[0];
        // A halted process may hold the lock.
        await using var store = Stores.Open(folder.Layout, new OpossumOptions { LockTimeout = TimeSpan.FromMilliseconds(200) });
        var beside = new RandomWriter(store, "beside", seed);
        var ownAnswers = new List<Answer>();
        var subscriber = Task.Run(() => SubscribeAsync(store));
        var crew = new Crew(folder, seed, processes: 3, attemptsEach: LongTests.Number(20, 150))
        {
            Kills = LongTests.Number(2, 8),
            KillsAtOpening = 1,
            PlacesWithJournal = 2,
            Meanwhile = AppendBeside,
            WhileHalted = OperatingSystem.IsWindows() ? null : AppendBeside,
        };

        var answers = await crew.RunAsync();

        var end = new WrittenEvent(End, 0, 0, 1, null, new Belief([], 0, 0, 0));
        var appended = await store.AppendAsync([NewEvent.FromJson(End, JsonSerializer.Serialize(end), [end.AppendTag])]);
        Assert.Equal((await folder.ReadAllAsync()).Select(static e => e.Id), await subscriber);
        follower.Say($"{appended.LastPosition}");
        while (await follower.HearOrEndAsync() is not null)
        {
        }
        await follower.EndAsync();
        output.WriteLine(await History.ProveAsync(folder.Layout, [.. answers, .. ownAnswers]));
        output.WriteLine($"{crew.Killed} processes were killed while appending, {crew.KilledAtOpening} while opening; {crew.Halted} were halted");

        void AppendBeside() => ownAnswers.Add(beside.AppendAsync(ownAnswers.Count).GetAwaiter().GetResult());
    }

    private static async Task<List<Guid>> SubscribeAsync(FileSystemEventStore store)
    {
        var seen = new List<Guid>();
        await foreach (var e in store.SubscribeAsync(Query.All, cancellationToken: TestContext.Current.CancellationToken))
        {
            seen.Add(e.Id);
            if (e.Type == End)
                break;
        }
        return seen;
    }

    // By a store of its own: one with a journal would soon write event files for the others too.
    private static async Task AppendFirstAsync(StoreFolder folder)
    {
        await using var store = await folder.OpenAsync();
        await store.AppendAsync([other]);
    }

    private static Task<FileSystemEventStore> OpenAsync(StoreFolder folder, bool useJournal) =>
        FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder.Path, UseJournal = useJournal });

    private static async Task<WorkerProcess> HaltAsync(StoreFolder folder, HaltPlace place)
    {
        var worker = WorkerProcess.Start("halt in backlog", folder.Path, $"{place}");
        await worker.HearAsync("appended 2 to 4");
        await worker.HearAsync(HaltingWriter.Halted);
        return worker;
    }

    private static async Task AssertHasEventFilesAsync(StoreFolder folder, FileSystemEventStore store)
    {
        Assert.Equal(["other", "halting", "halting", "halting", "other"],
            (await store.ReadAsync(Query.All).ToListAsync()).Select(static e => e.Type));
        Assert.All(Enumerable.Range(1, 5), position => Assert.True(File.Exists(folder.Layout.EventFile(position))));
        Assert.Equal(0, (await store.GetStatusAsync()).EventsInJournal);
    }
}
