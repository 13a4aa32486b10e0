using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

public sealed class OpeningTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Processes_that_open_an_empty_folder_at_the_same_moment_share_one_store()
    {
        var rounds = LongTests.Number(3, 15);
        var workers = await WorkerProcess.StartReadyAsync(3, "open");
        for (var round = 0; round < rounds; round++)
        {
            using var folder = new StoreFolder();
            foreach (var worker in workers)
                worker.Say(folder.Path);
            foreach (var worker in workers)
                await worker.HearAsync("opened");
            Assert.Equal(workers.Length, (await folder.ReadAllAsync()).Count);
            await folder.CheckAsync();
        }
        foreach (var worker in workers)
            worker.Dispose();
    }

    [Fact]
    public async Task A_store_that_is_opened_or_checked_while_another_process_appends_is_whole()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        await using (await folder.OpenAsync())
        {
        }
        var running = new Crew(folder, Seed.Choose(output), processes: 1, attemptsEach: LongTests.Number(40, 200)).RunAsync();
        var lastHead = 0;
        var opened = 0;
        while (!running.IsCompleted)
        {
            var events = await folder.ReadAllAsync();
            Assert.Equal(Enumerable.Range(1, events.Count).Select(static at => (long)at), events.Select(static e => e.Position));
            Assert.True(events.Count >= lastHead);
            lastHead = events.Count;
            await folder.CheckAsync();
            opened++;
        }
        output.WriteLine(await History.ProveAsync(folder.Path, await running));
        output.WriteLine($"Opened and checked {opened} times");
    }
}
