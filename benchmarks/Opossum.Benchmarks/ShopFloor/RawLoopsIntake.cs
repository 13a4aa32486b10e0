using System.Collections.Concurrent;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.ShopFloor;

/// <summary>
/// A raw loop for each producer, on its own thread: takes its events in order, and creates, writes, flushes and closes a file for each.
/// </summary>
internal sealed class RawLoopsIntake : IIntake
{
    private readonly RawFilesContender[] files;
    private readonly BlockingCollection<(NewEvent NewEvent, TaskCompletionSource Done)>[] queues;
    private readonly Thread[] threads;

    public RawLoopsIntake(string folder, int producers)
    {
        Directory.CreateDirectory(folder);
        files = [.. Enumerable.Range(0, producers).Select(producer => new RawFilesContender(Path.Combine(folder, $"producer-{producer}")))];
        queues = [.. files.Select(_ => new BlockingCollection<(NewEvent, TaskCompletionSource)>())];
        threads = [.. Enumerable.Range(0, producers).Select(producer => new Thread(() => Loop(producer)))];
        foreach (var thread in threads)
            thread.Start();
    }

    public string Name => ContenderName.RawFiles;

    public Task AppendAsync(int producer, NewEvent newEvent)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        queues[producer].Add((newEvent, done));
        return done.Task;
    }

    public async Task<Digest> ReadBackAsync()
    {
        var digest = default(Digest);
        foreach (var each in files)
            digest = digest.With(await each.ReadBackAsync());
        return digest;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var queue in queues)
            queue.CompleteAdding();
        foreach (var thread in threads)
            thread.Join();
        foreach (var queue in queues)
            queue.Dispose();
        foreach (var each in files)
            await each.DisposeAsync();
    }

    private void Loop(int producer)
    {
        foreach (var (newEvent, done) in queues[producer].GetConsumingEnumerable())
        {
            try
            {
                // Ends before it returns.
                files[producer].AppendAloneAsync([newEvent]).GetAwaiter().GetResult();
                done.SetResult();
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        }
    }
}
