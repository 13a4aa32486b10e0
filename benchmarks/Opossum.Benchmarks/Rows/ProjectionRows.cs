using System.Globalization;
using System.Text.Json;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Projections;

namespace Opossum.Benchmarks.Rows;

/// <summary>Projections that are built, one and four at once, and follow; beside SQLite and raw files.</summary>
internal static class ProjectionRows
{
    private const string More = "more";
    private const int Repeats = 4;
    private const int MoreRepeats = 25;
    private const int AtOnce = 4;

    private static readonly string[] contenders = [ContenderName.Opossum, ContenderName.RawFiles, ContenderName.Sqlite];
    private static readonly string[] stores =
        [ContenderName.Opossum, ContenderName.Sqlite, ContenderName.GroupedSqlite];

    private static int made;

    public static async Task MeasureAsync(RowRun run)
    {
        foreach (var events in new[] { 50, 250, 500, run.Size(10_000, 1_000) })
        {
            var purpose = string.Create(CultureInfo.InvariantCulture, $"built from {events:N0} events");
            await using var entrants =
                await run.OpenAsync(purpose, contenders, static () => new EventFeed(1), filled: events);
            await run.MeasureAsync(Repeats,
                (purpose, AppendRows.SlicesOf(entrants.All, each => Build(run, purpose, each, 1))));
            if (events < 1_000)
                continue;
            var databases = entrants.All.Where(static each => each.Name != ContenderName.RawFiles);
            await run.MeasureAsync(1, ($"{purpose}, {AtOnce} projections",
                AppendRows.SlicesOf(databases, each => Build(run, purpose, each, AtOnce))));
        }
        await MeasureMoreAsync(run);
    }

    private static async Task MeasureMoreAsync(RowRun run)
    {
        await using var entrants =
            await run.OpenAsync(More, stores, static () => new EventFeed(1), filled: run.Size(10_000, 1_000));
        var store = ((OpossumContender)entrants.All[0].Store).Store;
        await using var runner = store.StartProjections([new PartTallies(More)]);
        await run.MeasureAsync(MoreRepeats, [.. new[] { 1, 10 }.Select(count =>
            ($"{count} more", AppendRows.SlicesOf(entrants.All, each => Follow(each, count))))]);
    }

    private static Slice Follow(Entrant entrant, int count)
    {
        var append = entrant.Name == ContenderName.GroupedSqlite
            ? entrant.Concurrently(count, 1)
            : entrant.Batches(1, count);
        return new Slice(entrant.Name, 1, async () =>
        {
            var work = await append.PrepareAsync();
            var last = entrant.Events;
            return async () =>
            {
                await work();
                if (entrant.Store is SqliteContender sqlite)
                    sqlite.UpdateTallies(More);
                else
                    await ((OpossumContender)entrant.Store).Store.Projections.Get<Tally>(More).WaitForAsync(last);
            };
        });
    }

    private static Slice Build(RowRun run, string purpose, Entrant entrant, int count) => new(entrant.Name, 1, () =>
    {
        string[] names = [.. Enumerable.Range(0, count).Select(static _ => $"tallies{made++}")];
        if (entrant.Name == ContenderName.RawFiles)
            return () => BuildFromFilesAsync(run.Folder.Below($"{purpose}-{entrant.Name}"), names[0]);
        if (entrant.Store is not SqliteContender sqlite)
            return () => BuildAsync(((OpossumContender)entrant.Store).Store, names, entrant.Events);
        return () =>
        {
            Array.ForEach(names, sqlite.UpdateTallies);
            return Task.CompletedTask;
        };
    });

    private static async Task BuildAsync(FileSystemEventStore store, string[] names, int events)
    {
        await using var runner = store.StartProjections([.. names.Select(static name => new PartTallies(name))]);
        foreach (var name in names)
            await store.Projections.Get<Tally>(name).WaitForAsync(events);
    }

    private static Task BuildFromFilesAsync(string folder, string name)
    {
        var tallies = new Dictionary<string, Tally>();
        foreach (var path in Directory.EnumerateFiles(folder, "*.json"))
        {
            var json = RawRecord.Json(File.ReadAllBytes(path));
            var part = JsonSerializer.Deserialize(json, PayloadJson.Default.PartMoved)!;
            tallies[part.Part] = PartTallies.Add(tallies.GetValueOrDefault(part.Part), part);
        }
        using var file = new FileStream(Path.Combine(folder, name), FileMode.CreateNew);
        JsonSerializer.Serialize(file, tallies);
        file.Flush(flushToDisk: true);
        return Task.CompletedTask;
    }

    private sealed class PartTallies : Projection<Tally>
    {
        public PartTallies(string name)
            : base(name) => On<PartMoved>(static part => part.Part, static (tally, part) => Add(tally, part));

        public static Tally Add(Tally? tally, PartMoved part) =>
            new((tally?.Number ?? 0) + 1, (tally?.Amount ?? 0) + part.Quantity);
    }
}
