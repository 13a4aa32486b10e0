using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Ledger;

namespace Opossum.ProcessTests;

public sealed class ReplicaTests(ITestOutputHelper output)
{
    // OPOSSUM_TEST_ALL=1: for minutes.
    private static readonly int rounds = Environment.GetEnvironmentVariable("OPOSSUM_TEST_ALL") == "1" ? 300 : 8;

    [Fact]
    public async Task Followers_that_are_killed_while_processes_append_and_are_killed_leave_a_prefix()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        using var replica = new StoreFolder();
        await using (await folder.OpenAsync())
        {
            // Creates the store.
        }
        var seed = Seed.Choose(output);
        var random = new Random(seed);
        var (kills, steps, compared) = (0, 0, 0);
        while (kills < rounds)
        {
            // Each number is another crew with other events.
            var work = new Crew(folder, seed + kills, processes: 4, attemptsEach: 150) { Kills = 4 }.RunAsync();
            while (!work.IsCompleted)
            {
                using var follower = WorkerProcess.Start("follow", folder.Path, replica.Path);
                var known = 0L;
                for (var left = random.Next(20); left >= 0 && await HearAsync(follower, work) is { } line; left--)
                {
                    known = long.Parse(line["head ".Length..]);
                    steps++;
                }
                follower.Kill();
                await follower.EndAsync();
                kills++;
                var count = (await ReadAsync(replica.Path)).Count;
                Assert.InRange(count, known, long.MaxValue);
                AssertSameFiles(compared, count);
                compared = count;
            }
            await work;
        }
        // Opened for writing: events that a killed process has not flushed become durable.
        var events = await folder.ReadAllAsync();
        var last = await StoreReplica.UpdateAsync(folder.Path, replica.Path);

        Assert.Equal((events.Count, 0), (last.Head, last.Mended));
        Assert.Equal(events.Select(e => e.Id), await ReadAsync(replica.Path));
        AssertSameFiles(0, events.Count);
        await replica.CheckAsync();
        output.WriteLine($"{kills} followers were killed after {steps} steps, of {events.Count} events");

        void AssertSameFiles(int after, int last)
        {
            using var fileSystem = RealFileSystem.Create();
            using var ours = new EventFiles(new Storage.Folders.StoreFolder(fileSystem, folder.Layout));
            using var theirs = new EventFiles(new Storage.Folders.StoreFolder(fileSystem, replica.Layout));
            for (var position = after + 1; position <= last; position++)
                Assert.Equal(ours.ReadBytes(position), theirs.ReadBytes(position));
        }
    }

    // Null: it has ended, or the crew has done its work.
    private static async Task<string?> HearAsync(WorkerProcess follower, Task work)
    {
        var line = follower.HearOrEndAsync();
        await Task.WhenAny(line, work);
        return line.IsCompleted ? await line : null;
    }

    private static async Task<List<Guid>> ReadAsync(string path)
    {
        if (!File.Exists(Path.Combine(path, "store.json")))
            return [];
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true });
        return [.. (await store.ReadAsync(Query.All).ToListAsync()).Select(e => e.Id)];
    }
}
