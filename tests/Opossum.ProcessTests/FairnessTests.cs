namespace Opossum.ProcessTests;

public sealed class FairnessTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(2, 200)]
    [InlineData(4, 400)]
    public async Task Processes_that_append_without_a_pause_all_get_turns(int processes, int turns) => await MeasureAsync(processes, turns);

    /// <summary>The same for long enough to tell how even the turns are; the shares are printed.</summary>
    [Theory(Explicit = true)]
    [InlineData(2, 10_000)]
    [InlineData(4, 10_000)]
    [InlineData(8, 10_000)]
    public async Task Turns_over_some_seconds(int processes, int turns) => await MeasureAsync(processes, turns);

    private async Task MeasureAsync(int processes, int turns)
    {
        using var folder = new StoreFolder();
        var workers = await WorkerProcess.StartReadyAsync(processes, "turns", folder.Path);
        var left = turns;
        Array.ForEach(workers, static worker => worker.Say("go"));
        await Task.WhenAll(workers.Select(WaitAsync));
        var events = await folder.ReadAllAsync();
        await folder.CheckAsync();
        var shares = workers.Select(worker => (double)events.Count(e => e.Tags[0].Value == $"{worker.Id}") * processes / events.Count).Order().ToArray();
        output.WriteLine($"{processes} processes, {events.Count} turns, parts of a fair share: {string.Join(", ", shares.Select(share => $"{share:0.00}"))}");
        Assert.DoesNotContain(0, shares);

        async Task WaitAsync(WorkerProcess worker)
        {
            while (Interlocked.Decrement(ref left) >= 0)
                await worker.HearAsync("turn");
            worker.Kill();
            await worker.EndAsync();
        }
    }
}
