using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

public sealed class ProjectionTests(ITestOutputHelper output)
{
    private const int Events = 1_000;
    private const int Kills = 8;

    [Fact]
    public async Task Counts_are_exact_when_processes_that_keep_them_are_killed_again_and_again()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        var random = new Random(Seed.Choose(output));
        await using (var store = await folder.OpenAsync())
        {
            var projectors = await WorkerProcess.StartReadyAsync(2, "project", folder.Path);
            try
            {
                var kills = 0;
                for (var appended = 0; appended < Events;)
                {
                    var last = await store.AppendAsync([.. Enumerable.Range(0, random.Next(1, 20)).Select(_ => Event(random))]);
                    appended = (int)last.LastPosition;
                    if (random.Next(Events / 10) > Kills)
                        continue;
                    var at = random.Next(projectors.Length);
                    projectors[at].Kill();
                    projectors[at].Dispose();
                    projectors[at] = WorkerProcess.Start("project", folder.Path);
                    await projectors[at].HearAsync("ready");
                    kills++;
                }
                output.WriteLine($"{kills} processes were killed");
                await CheckAsync(folder, store, projectors);
            }
            finally
            {
                Array.ForEach(projectors, projector => projector.Dispose());
            }
        }
        await folder.CheckAsync();
    }

    private static async Task CheckAsync(StoreFolder folder, FileSystemEventStore store, WorkerProcess[] projectors)
    {
        var head = await store.GetHeadAsync();
        foreach (var projector in projectors)
        {
            projector.Say($"{head}");
            await projector.HearAsync("there");
        }
        // Also by the leader that takes over last.
        Array.ForEach(projectors, projector => projector.Kill());
        await using var runner = store.StartProjections([new SeatCounts("seats"), new SeatCounts("seats-again")], Projector.Options);
        var expected = SeatCounts.Fold(await folder.ReadAllAsync()).OrderBy(each => each.Key);
        foreach (var name in (string[])["seats", "seats-again"])
        {
            var seats = store.Projections.Get<SeatCount>(name);
            await seats.WaitForAsync(head);
            Assert.Equal(expected,
                (await seats.ReadAllAsync().ToListAsync()).Select(state => KeyValuePair.Create(state.Key, state.State)).OrderBy(each => each.Key));
            Assert.Equal(expected.Where(each => each.Value.Taken > 5),
                (await seats.FindAsync([new Tag("taken", "often")]).ToListAsync()).Select(state => KeyValuePair.Create(state.Key,
                    state.State)).OrderBy(each => each.Key));
            await store.Projections[name].RebuildAsync();
            Assert.Equal(expected,
                (await seats.ReadAllAsync().ToListAsync()).Select(state => KeyValuePair.Create(state.Key, state.State)).OrderBy(each => each.Key));
        }
    }

    private static NewEvent Event(Random random)
    {
        var seats = Enumerable.Range(0, random.Next(1, 3)).Select(_ => new Tag(SeatCounts.Key, $"{random.Next(60)}"));
        return NewEvent.FromJson(random.Next(15) == 0 ? "freed" : "taken", "{}", [.. seats]);
    }
}
