using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Compare;

/// <summary>Durable appends by one, by several at the same time and in batches; and appends that are not flushed.</summary>
internal sealed class AppendMeasures(Comparison comparison)
{
    private const int FewWriters = 8;

    public async Task RunAsync()
    {
        await DurableAsync();
        await NotFlushedAsync();
        await comparison.CountSystemCallsAsync(Measure.Lone, AppendWay.Alone);
        if (comparison.Settings.IsShort)
            return;
        await comparison.CountSystemCallsAsync(Measure.ManyWriters, AppendWay.Concurrently);
        await comparison.CountSystemCallsAsync(Measure.Batch, AppendWay.Together);
    }

    private async Task DurableAsync()
    {
        await using var entrants = await OpenAsync("durable", Comparison.Contenders, flush: true);
        // Only where several append at the same time is there something to group.
        var ungrouped = entrants.All.Where(static entrant => entrant.Name != ContenderName.GroupedSqlite);
        var stores =
            entrants.All.Where(static entrant => entrant.Name is ContenderName.GroupedSqlite || Comparison.StoreContenders.Contains(entrant.Name));
        await comparison.MeasureAsync(60, isPerEvent: true, (Measure.Lone, SlicesOf(ungrouped, entrant => entrant.Alone(25))));
        await comparison.MeasureAsync(20, isPerEvent: true,
            (Measure.FewWriters, SlicesOf(entrants.All, entrant => entrant.Concurrently(FewWriters, 25))));
        await comparison.MeasureAsync(20, isPerEvent: true,
            (Measure.ManyWriters, SlicesOf(entrants.All, entrant => entrant.Concurrently(Entrant.Writers, 10))),
            (Measure.ManyWritersUnderConditions, SlicesOf(stores, entrant => entrant.ConcurrentlyUnderCondition(Entrant.Writers, 10))));
        await comparison.MeasureAsync(20, isPerEvent: true, (Measure.Batch, SlicesOf(ungrouped, entrant => entrant.Batches(5))));
        await entrants.VerifyAsync();
    }

    private async Task NotFlushedAsync()
    {
        await using (var entrants =
            await OpenAsync("not-flushed", [ContenderName.Opossum, ContenderName.RawFiles, ContenderName.Sqlite], flush: false))
        {
            await comparison.MeasureAsync(20, isPerEvent: true, (Measure.NoFlush, SlicesOf(entrants.All, entrant => entrant.Alone(500))));
            await entrants.VerifyAsync();
        }
        comparison.Folder.Settle();
    }

    private async Task<Entrants> OpenAsync(string purpose, IReadOnlyList<string> contenders, bool flush)
    {
        var folder = comparison.Folder.Below(purpose);
        Directory.CreateDirectory(folder);
        var entrants = new Entrants();
        foreach (var name in contenders)
            await entrants.AddAsync(Entrant.OpenAsync(name, Path.Combine(folder, name), new EventFeed(comparison.Settings.Events), flush));
        return entrants;
    }

    private static Slice[] SlicesOf(IEnumerable<Entrant> entrants, Func<Entrant, Slice> slice) => [.. entrants.Select(slice)];
}
