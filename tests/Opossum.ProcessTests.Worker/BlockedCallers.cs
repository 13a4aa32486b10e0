namespace Opossum.ProcessTests.Worker;

/// <summary>Appends from every thread that the pool may have, each of which waits for its append and does nothing else.</summary>
internal static class BlockedCallers
{
    public static async Task RunAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        var threads = Environment.ProcessorCount;
        ThreadPool.SetMinThreads(1, 1);
        ThreadPool.SetMaxThreads(threads, threads);
        using var appends = new CountdownEvent(8 * threads);
        for (var number = 0; number < appends.InitialCount; number++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    store.AppendAsync([NewEvent.FromJson("blocked", "{}")]).GetAwaiter().GetResult();
                    appends.Signal();
                },
                null);
        }
        appends.Wait();
        Lines.Say("done");
    }
}
