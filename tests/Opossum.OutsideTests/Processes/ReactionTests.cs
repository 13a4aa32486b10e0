using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

/// <summary>Processes that run one reaction are killed and halted, mostly the one that leads, while another appends.</summary>
public sealed class ReactionTests(ITestOutputHelper output) : IDisposable
{
    private const int Processes = 3;
    private const int Accounts = 20;

    // OPOSSUM_TEST_ALL=1: for minutes.
    private static readonly int rounds = Environment.GetEnvironmentVariable("OPOSSUM_TEST_ALL") == "1" ? 300 : 5;

    private readonly string records = TestFolders.CreateOnDisk();
    private readonly WorkerProcess[] workers = new WorkerProcess[Processes];
    private readonly string[] recordOf = new string[Processes];
    private int started;

    [Fact]
    public async Task Each_event_is_handled_in_the_order_of_its_key_and_what_it_appends_is_there_once_though_leaders_are_killed()
    {
        LongTests.SkipUnlessAsked();
        var handled = await RunAsync((_, worker) => worker.Kill());

        // A process that handles an event again gets a higher number of the attempt.
        Assert.All(handled.Where(static each => !each.IsEnd).GroupBy(static each => each.Position),
            static attempts => Assert.InRange(attempts.Count(static each => each.Attempt == 1), 0, 1));
    }

    [Fact]
    public async Task Each_event_is_handled_in_the_order_of_its_key_and_what_it_appends_is_there_once_though_leaders_are_halted_and_killed()
    {
        LongTests.SkipUnlessAsked();
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no SIGSTOP");
        await RunAsync((random, worker) =>
        {
            worker.Signal("STOP");
            // Half of them wake up again, while others append and may have the lead.
            if (random.Next(2) == 0)
                worker.Kill();
            else
                worker.Signal("CONT");
        });
    }

    public void Dispose()
    {
        Array.ForEach(workers, static worker => worker?.Dispose());
        Directory.Delete(records, recursive: true);
    }

    private async Task<List<Handled>> RunAsync(Action<Random, WorkerProcess> interrupt)
    {
        using var folder = new StoreFolder();
        var random = new Random(Seed.Choose(output));
        await using (var store = await folder.OpenAsync())
        {
            await using var follows = store.SubscribeAsync(Query.FromEventTypes("settled", "reminded"), 0,
                TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);
            for (var place = 0; place < Processes; place++)
                await StartAsync(folder, place);
            var (due, seen) = (0, 0);
            for (var round = 0; round < rounds; round++)
            {
                for (var append = 0; append < 10; append++)
                {
                    NewEvent[] events = [.. Enumerable.Range(0, random.Next(1, 10)).Select(_ => Event(random))];
                    due += events.Count(static e => e.Type != "disputed");
                    await store.AppendAsync(events);
                }
                // It is in the midst of its work.
                for (var until = due - random.Next(1, 30); seen < until; seen++)
                    await follows.MoveNextAsync();
                var place = random.Next(4) == 0 ? random.Next(Processes) : LastAtWork();
                interrupt(random, workers[place]);
                if (workers[place].WasKilled)
                {
                    workers[place].Dispose();
                    await StartAsync(folder, place);
                }
            }
            // Whatever fails is parked before the last event of its key is handled.
            await store.AppendAsync([.. Enumerable.Range(0, Accounts).Select(static account => Event("billed", account))]);
            for (; seen < due + Accounts; seen++)
                await follows.MoveNextAsync();
        }
        Array.ForEach(workers, static worker => worker.Kill());
        return await CheckAsync(folder);
    }

    private async Task StartAsync(StoreFolder folder, int place)
    {
        recordOf[place] = Path.Combine(records, $"{++started}");
        workers[place] = WorkerProcess.Start("settle", folder.Path, recordOf[place]);
        await workers[place].HearAsync("ready");
    }

    // The process that recorded last leads.
    private int LastAtWork() =>
        Enumerable.Range(0, Processes).MaxBy(place => File.Exists(recordOf[place]) ? File.GetLastWriteTimeUtc(recordOf[place]) : DateTime.MinValue);

    private async Task<List<Handled>> CheckAsync(StoreFolder folder)
    {
        await LeadOnceMoreAsync(folder);
        await using var store = await folder.OpenAsync();
        var events = await store.ReadAsync(Query.All).ToListAsync();
        var handled = Directory.GetFiles(records).SelectMany(Handled.ReadAll).OrderBy(static each => each.Time).ToList();
        output.WriteLine($"{started} processes, {events.Count} events, {handled.Count(static each => !each.IsEnd)} attempts");

        CheckFollowing(events, "billed", "settled");
        CheckFollowing(events, "lent", "reminded");
        Assert.Equal(events.Where(static e => e.Type == "disputed").Select(static e => e.Position),
            (await store.Reactions[Settling.ReactionName].ReadParkedAsync()).Select(static each => each.Position).Order());

        var firstEnd = FirstOf(handled, isEnd: true);
        var firstBegin = FirstOf(handled, isEnd: false);
        foreach (var key in events.Where(static e => e.Type is "billed" or "lent").GroupBy(static e => ValueOf(e, Settling.Account)))
        {
            SequencedEvent? before = null;
            foreach (var e in key)
            {
                Assert.True(firstEnd.ContainsKey(e.Position), $"The event at {e.Position} was not handled.");
                Assert.True(before is null || firstEnd[before.Position].Time <= firstBegin[e.Position].Time,
                    $"The event at {e.Position} was handled before the one at {before?.Position}, which has the same key.");
                before = e;
            }
        }
        Assert.All(handled.GroupBy(static each => each.Position),
            static attempts => Assert.Single(attempts.Select(static each => each.IdempotencyKey).Distinct()));
        await folder.CheckAsync();
        return handled;
    }

    // What was handled and not recorded is handled again, and when it ends everything is recorded.
    private async Task LeadOnceMoreAsync(StoreFolder folder)
    {
        await using var store = await folder.OpenAsync();
        await using var runner = store.StartReactions([new Settling(Path.Combine(records, "last"))], Settling.Options);
        var last = await store.AppendAsync([.. Enumerable.Range(0, Accounts).Select(static account => Event("billed", account))]);
        var open = Accounts;
        await foreach (var _ in store.SubscribeAsync(Query.FromEventTypes("settled"), last.LastPosition, TestContext.Current.CancellationToken))
        {
            if (--open == 0)
                return;
        }
    }

    private static void CheckFollowing(List<SequencedEvent> events, string type, string following) =>
        Assert.Equal(events.Where(e => e.Type == type).Select(static e => e.Position),
            events.Where(e => e.Type == following).Select(static e => long.Parse(ValueOf(e, Settling.Of))).Order());

    // By position; what is handled is in the order of time.
    private static Dictionary<long, Handled> FirstOf(List<Handled> handled, bool isEnd) =>
        handled.Where(each => each.IsEnd == isEnd).GroupBy(static each => each.Position).ToDictionary(static each => each.Key,
            static each => each.First());

    private static string ValueOf(SequencedEvent e, string tagKey) => e.Tags.Single(tag => tag.Key == tagKey).Value;

    // Also in a long run fewer are disputed than may be parked.
    private static NewEvent Event(Random random) =>
        Event(random.Next(60) switch { 0 => "disputed", < 6 => "lent", _ => "billed" }, random.Next(Accounts));

    private static NewEvent Event(string type, int account) => NewEvent.FromJson(type, "{}", [new Tag(Settling.Account, $"{account}")]);
}
