namespace Opossum.ProcessTests;

public sealed class BlockedCallersTests
{
    [Fact]
    public async Task Callers_that_keep_every_thread_of_the_pool_waiting_hear_of_their_appends()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        using var worker = WorkerProcess.Start("block", folder.Path);

        await worker.HearAsync("done").WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);
        await worker.EndAsync();
        Assert.Equal(8 * Environment.ProcessorCount, (await folder.ReadAllAsync()).Count);
        await folder.CheckAsync();
    }
}
