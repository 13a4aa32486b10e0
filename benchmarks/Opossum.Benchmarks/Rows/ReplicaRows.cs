using System.Diagnostics;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;
using Opossum.Maintenance;

namespace Opossum.Benchmarks.Rows;

/// <summary>What a replica costs who appends, how late an event is in it, and how fast it catches up.</summary>
internal static class ReplicaRows
{
    private const string NotFollowed = "not followed";
    private const string Followed = "followed";
    private const int Rounds = 6;
    private const int Burst = 30;
    private const int FillBatch = 500;

    public static async Task MeasureAsync(RowRun run)
    {
        await MeasureAppendsAsync(run, "an append alone", pause: TimeSpan.Zero);
        await MeasureAppendsAsync(run, "an append of a burst of 30, 50 a second", TimeSpan.FromSeconds(0.6));
        await MeasureDelayAsync(run, "50 events a second, in bursts of 30", appends: Burst, batch: 1, perSecond: 50);
        await MeasureDelayAsync(run, "5,000 events a second, in batches of 100", appends: 1, batch: 100, perSecond: 5_000);
        await MeasureCatchUpAsync(run, "catching up, files", run.Size(50_000, 1_000), isSealed: false);
        // All but the newest folder, with its one event, is sealed.
        await MeasureCatchUpAsync(run, "catching up, sealed", run.Size(500_001, 20_001), isSealed: true);
    }

    // One after another, with a pause from the beginning of each 30 to that of the next.
    private static async Task MeasureAppendsAsync(RowRun run, string measure, TimeSpan pause)
    {
        var turn = TimeSpan.FromSeconds(run.IsShort ? 0.1 : 6);
        var (path, replica) = (run.Folder.Below(measure), run.Replicas.Below($"{measure}-replica"));
        await using var store = await OpenAsync(run, path);
        var (without, with, number) = (new List<double>(), new List<double>(), 0);
        // The first turn warms up.
        await AppendAsync([]);
        for (var round = 0; round < (run.IsShort ? 1 : Rounds); round++)
        {
            await AppendAsync(without);
            await StoreReplica.UpdateAsync(path, replica, cancellationToken: run.CancellationToken);
            await using var following = new Following(path, replica);
            await AppendAsync(with);
        }
        run.Spread(measure, NotFollowed, without, Number.Rate(without.Average()));
        run.Spread(measure, Followed, with, Number.Rate(with.Average()));

        async Task AppendAsync(List<double> times)
        {
            for (var (begun, bursts) = (Stopwatch.GetTimestamp(), 0); Stopwatch.GetElapsedTime(begun) < turn;)
            {
                if (number % Burst == 0 && pause * bursts++ - Stopwatch.GetElapsedTime(begun) is { Ticks: > 0 } early)
                    await Task.Delay(early, run.CancellationToken);
                var at = Stopwatch.GetTimestamp();
                await store.AppendAsync([Workload.Event(number++)], cancellationToken: run.CancellationToken);
                times.Add(Stopwatch.GetElapsedTime(at).TotalMicroseconds);
            }
        }
    }

    // From the end of the append until a reader of the replica has the event.
    private static async Task MeasureDelayAsync(RowRun run, string measure, int appends, int batch, int perSecond)
    {
        var rounds = run.Size(20, 1) * perSecond / (appends * batch);
        var (path, replica) = (run.Folder.Below(measure), run.Replicas.Below($"{measure}-replica"));
        await using var store = await OpenAsync(run, path);
        await StoreReplica.UpdateAsync(path, replica, cancellationToken: run.CancellationToken);
        await using var following = new Following(path, replica);
        var options = new OpossumOptions { Path = replica, ReadOnly = true };
        await using var reader = await FileSystemEventStore.OpenAsync(options, run.CancellationToken);
        var appended = new long[rounds * appends * batch + 1];
        var delays = new List<double>(appended.Length);

        var reading = ReadAsync();
        var begun = Stopwatch.GetTimestamp();
        for (var round = 0; round < rounds; round++)
        {
            var due = TimeSpan.FromSeconds(round * appends * batch / (double)perSecond);
            if (due - Stopwatch.GetElapsedTime(begun) is { Ticks: > 0 } early)
                await Task.Delay(early, run.CancellationToken);
            for (var each = 0; each < appends; each++)
            {
                var result = await store.AppendAsync([.. Enumerable.Range(0, batch).Select(Workload.Event)],
                    cancellationToken: run.CancellationToken);
                appended.AsSpan((int)result.FirstPosition, batch).Fill(Stopwatch.GetTimestamp());
            }
        }
        var rate = (appended.Length - 1) / Stopwatch.GetElapsedTime(begun).TotalSeconds;
        await reading;
        run.Spread(measure, Followed, delays, Number.Whole(rate));

        async Task ReadAsync()
        {
            await foreach (var each in reader.SubscribeAsync(Query.All, cancellationToken: run.CancellationToken))
            {
                // A reader may have the event before the append's caller knows it.
                var at = Volatile.Read(ref appended[each.Position]);
                delays.Add(at == 0 ? 0 : Stopwatch.GetElapsedTime(at).TotalMicroseconds);
                if (each.Position == appended.Length - 1)
                    break;
            }
        }
    }

    private static async Task MeasureCatchUpAsync(RowRun run, string measure, int events, bool isSealed)
    {
        var path = run.Folder.Below(measure);
        await Workload.FillAsync(path, events, FillBatch);
        if (isSealed)
            await StoreSealing.SealAsync(path, keepNewestFolders: 1, cancellationToken: run.CancellationToken);
        run.Folder.Settle();
        var copy = run.Replicas.Below($"{measure}-copy");
        var copying = Time(() => Copy(path, copy), events);
        var comparing = Time(() => Compare(path, copy), events);
        run.Folder.Settle();
        var following = Time(() => StoreReplica.UpdateAsync(path, run.Replicas.Below($"{measure}-replica"),
            cancellationToken: run.CancellationToken).GetAwaiter().GetResult(), events);
        run.Spread(measure, "a copy of the folder, and syncfs", [copying], Number.Rate(copying));
        run.Spread(measure, "the same, compared with the folder", [copying + comparing], Number.Rate(copying + comparing));
        run.Spread(measure, Followed, [following], Number.Rate(following));

        void Copy(string from, string to)
        {
            Directory.CreateDirectory(to);
            foreach (var folder in Directory.EnumerateDirectories(from, "*", SearchOption.AllDirectories))
                Directory.CreateDirectory(Path.Join(to, folder.AsSpan(from.Length)));
            foreach (var file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories))
                File.Copy(file, Path.Join(to, file.AsSpan(from.Length)));
            run.Replicas.Settle();
        }

        static void Compare(string from, string to)
        {
            var (ours, theirs) = (new byte[1 << 20], new byte[1 << 20]);
            foreach (var file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories))
            {
                using var one = File.OpenHandle(file);
                using var other = File.OpenHandle(Path.Join(to, file.AsSpan(from.Length)));
                for (long at = 0, got = -1; got != 0; at += got)
                {
                    got = RandomAccess.Read(one, ours, at);
                    if (!ours.AsSpan(0, (int)got).SequenceEqual(theirs.AsSpan(0, RandomAccess.Read(other, theirs, at))))
                        throw new CannotMeasureException($"The copy of {file} differs.");
                }
            }
        }
    }

    private static double Time(Action work, int events)
    {
        var begun = Stopwatch.GetTimestamp();
        work();
        return Stopwatch.GetElapsedTime(begun).TotalMicroseconds / events;
    }

    private static Task<FileSystemEventStore> OpenAsync(RowRun run, string path) =>
        FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, run.CancellationToken);

    /// <summary>Follows the store until it is disposed, as a host that has <c>FollowTo</c> does.</summary>
    private sealed class Following : IAsyncDisposable
    {
        private readonly CancellationTokenSource stopping = new();
        private readonly Task following;

        public Following(string path, string replica) =>
            following = StoreReplica.FollowAsync(path, replica, cancellationToken: stopping.Token);

        public async ValueTask DisposeAsync()
        {
            await stopping.CancelAsync();
            await following.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            stopping.Dispose();
        }
    }
}
