using System.Diagnostics;

namespace Opossum.ProcessTests;

public sealed class FairnessTests(ITestOutputHelper output)
{
    private const double ShareMin = 0.5;

    [Theory]
    [InlineData(2, 200)]
    [InlineData(8, 800)]
    public async Task Of_processes_that_append_without_a_pause_none_gets_less_than_half_its_share(int processes, int turns)
    {
        LongTests.SkipUnlessAsked();
        await MeasureAsync(processes, turns);
    }

    /// <summary>The same for ten seconds and more, which tells how even the turns are; the shares are printed.</summary>
    [Theory(Explicit = true)]
    [InlineData(2, 20_000)]
    [InlineData(4, 20_000)]
    [InlineData(8, 20_000)]
    public async Task Turns_over_ten_seconds(int processes, int turns) => await MeasureAsync(processes, turns);

    private async Task MeasureAsync(int processes, int turns)
    {
        using var folder = new StoreFolder();
        var workers = await WorkerProcess.StartReadyAsync(processes, "turns", folder.Path);
        var left = turns;
        var clock = Stopwatch.StartNew();
        Array.ForEach(workers, static worker => worker.Say("go"));
        await Task.WhenAll(workers.Select(WaitAsync));
        var seconds = clock.Elapsed.TotalSeconds;
        var events = await folder.ReadAllAsync();
        await folder.CheckAsync();
        var shares =
            workers.Select(worker => (double)events.Count(e => e.Tags[0].Value == $"{worker.Id}") * processes / events.Count).Order().ToArray();
        output.WriteLine($"{processes} processes, {events.Count} turns in {seconds:0.0} s, parts of a fair share: "
            + $"{string.Join(", ", shares.Select(share => $"{share:0.00}"))}");
        Assert.True(shares[0] >= ShareMin, $"A process got {shares[0]:0.00} of its fair share.");

        async Task WaitAsync(WorkerProcess worker)
        {
            while (Interlocked.Decrement(ref left) >= 0)
                await worker.HearAsync("turn");
            worker.Kill();
            await worker.EndAsync();
        }
    }
}
