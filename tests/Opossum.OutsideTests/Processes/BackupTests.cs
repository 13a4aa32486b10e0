using Opossum.Maintenance;

namespace Opossum.ProcessTests;

public sealed class BackupTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Backups_that_are_killed_while_processes_append_leave_whole_backups()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        using var safe = new StoreFolder();
        await using (await folder.OpenAsync())
        {
            // Creates the store.
        }
        var gate = new Lock();
        WorkerProcess? current = null;
        var crew = new Crew(folder, Seed.Choose(output), processes: 4, attemptsEach: 150) { Kills = 4, Meanwhile = KillCurrent };
        var work = crew.RunAsync();
        var (kills, heads) = (0, 0);
        while (!work.IsCompleted)
        {
            using var maker = WorkerProcess.Start("back up", folder.Path, safe.Path);
            lock (gate)
                current = maker;
            var known = 0L;
            while (await HearAsync(maker, work) is { } line)
            {
                known = long.Parse(line["head ".Length..]);
                heads++;
            }
            lock (gate)
            {
                if (!maker.WasKilled)
                    maker.Kill();
                current = null;
            }
            await maker.EndAsync();
            kills++;
            Assert.InRange(await ReadHeadAsync(safe.Path), known, long.MaxValue);
        }
        await work;
        // Opened for writing: events that a killed process has not flushed become durable.
        var events = await folder.ReadAllAsync();
        var last = await StoreBackup.RunAsync(folder.Path, safe.Path, new BackupOptions { VerifyAll = true });

        Assert.Equal((events.Count, 0), (last.Head, last.Mended));
        Assert.Equal(events.Select(e => e.Id), (await safe.ReadAllAsync()).Select(e => e.Id));
        await safe.CheckAsync();
        output.WriteLine($"{kills} backups were killed, {heads} were completed, of {events.Count} events");

        void KillCurrent()
        {
            lock (gate)
                current?.Kill();
        }
    }

    // Null: it was killed, or the crew has done its work.
    private static async Task<string?> HearAsync(WorkerProcess maker, Task work)
    {
        var line = maker.HearOrEndAsync();
        await Task.WhenAny(line, work);
        return line.IsCompleted ? await line : null;
    }

    private static async Task<long> ReadHeadAsync(string path)
    {
        if (!File.Exists(Path.Combine(path, "store.json")))
            return 0;
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true });
        var events = await store.ReadAsync(Query.All).ToListAsync();
        return events.Count;
    }
}
