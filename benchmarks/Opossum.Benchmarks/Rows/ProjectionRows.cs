using System.Globalization;
using System.Text.Json;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Projections;

namespace Opossum.Benchmarks.Rows;

/// <summary>Projections that are built, follow, and are built four at once; beside tables of SQLite and a loop over raw files.</summary>
internal static class ProjectionRows
{
    private const int Repeats = 4;
    private const int AtOnce = 4;

    private static readonly string[] contenders = [ContenderName.Opossum, ContenderName.RawFiles, ContenderName.Sqlite];
    private static readonly string[] stores = [ContenderName.Opossum, ContenderName.Sqlite, ContenderName.GroupedSqlite];

    private static int made;

    public static async Task MeasureAsync(RowRun run)
    {
        foreach (var events in new[] { 50, 250, 500, run.Size(10_000, 1_000) })
        {
            var purpose = string.Create(CultureInfo.InvariantCulture, $"built from {events:N0} events");
            await using var entrants = await run.OpenAsync(purpose, contenders, static () => new EventFeed(1), filled: events);
            await run.MeasureAsync(Repeats, (purpose, AppendRows.SlicesOf(entrants.All, store => Build(run, purpose, store, 1))));
            if (events >= 1_000)
            {
                await run.MeasureAsync(1, (purpose + $", {AtOnce} projections", AppendRows.SlicesOf(
                    entrants.All.Where(static store => store.Name != ContenderName.RawFiles), store => Build(run, purpose, store, AtOnce))));
            }
        }
        await MeasureMoreAsync(run);
    }

    private static async Task MeasureMoreAsync(RowRun run)
    {
        await using var entrants = await run.OpenAsync("more", stores, static () => new EventFeed(1), filled: run.Size(10_000, 1_000));
        var store = ((OpossumContender)entrants.All[0].Store).Store;
        await using var runner = store.StartProjections([new PartTallies("more")]);
        await run.MeasureAsync(Repeats, [.. new[] { 1, 10 }.Select(count => ($"{count} more", AppendRows.SlicesOf(entrants.All, each =>
        {
            var append = each.Name == ContenderName.GroupedSqlite ? each.Concurrently(count, 1) : each.Batches(1, count);
            return append with { Operations = 1, PrepareAsync = async () =>
            {
                var work = await append.PrepareAsync();
                var last = each.Events;
                return async () =>
                {
                    await work();
                    if (each.Store is SqliteContender sqlite)
                        sqlite.UpdateTallies("more");
                    else
                        await store.Projections.Get<Tally>("more").WaitForAsync(last);
                };
            } };
        })))]);
    }

    private static Slice Build(RowRun run, string purpose, Entrant entrant, int count) => new(entrant.Name, 1, () =>
    {
        string[] names = [.. Enumerable.Range(0, count).Select(static _ => $"tallies{made++}")];
        return (entrant.Name, entrant) switch
        {
            (ContenderName.RawFiles, _) => () => BuildFromFilesAsync(run.Folder.Below($"{purpose}-{entrant.Name}"), names[0]),
            (_, { Store: SqliteContender sqlite }) => () => Task.Run(() => Array.ForEach(names, sqlite.UpdateTallies)),
            _ => () => BuildAsync(((OpossumContender)entrant.Store).Store, names, entrant.Events),
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
            var part = JsonSerializer.Deserialize(RawRecord.Json(File.ReadAllBytes(path)), PayloadJson.Default.PartMoved)!;
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

        public static Tally Add(Tally? tally, PartMoved part) => new((tally?.Number ?? 0) + 1, (tally?.Amount ?? 0) + part.Quantity);
    }
}
