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
        var entrants = await OpenAsync("durable", Comparison.Contenders, flush: true);
        var stores = entrants.Where(entrant => entrant.Name is ContenderName.Opossum or ContenderName.Sqlite).ToArray();
        await comparison.MeasureAsync(60, isPerEvent: true, (Measure.Lone, SlicesOf(entrants, entrant => entrant.Alone(25))));
        await comparison.MeasureAsync(20, isPerEvent: true, (Measure.FewWriters, SlicesOf(entrants, entrant => entrant.Concurrently(FewWriters, 25))));
        await comparison.MeasureAsync(20, isPerEvent: true,
            (Measure.ManyWriters, SlicesOf(entrants, entrant => entrant.Concurrently(Entrant.Writers, 10))),
            (Measure.ManyWritersUnderConditions, SlicesOf(stores, entrant => entrant.ConcurrentlyUnderCondition(Entrant.Writers, 10))));
        await comparison.MeasureAsync(20, isPerEvent: true, (Measure.Batch, SlicesOf(entrants, entrant => entrant.Batches(5))));
        await CloseAsync(entrants);
    }

    private async Task NotFlushedAsync()
    {
        var entrants = await OpenAsync("not-flushed", [ContenderName.Opossum, ContenderName.RawFiles, ContenderName.Sqlite], flush: false);
        await comparison.MeasureAsync(20, isPerEvent: true, (Measure.NoFlush, SlicesOf(entrants, entrant => entrant.Alone(500))));
        await CloseAsync(entrants);
        comparison.Folder.Settle();
    }

    private async Task<IReadOnlyList<Entrant>> OpenAsync(string purpose, IReadOnlyList<string> contenders, bool flush)
    {
        var folder = comparison.Folder.Below(purpose);
        Directory.CreateDirectory(folder);
        var entrants = new List<Entrant>();
        foreach (var name in contenders)
            entrants.Add(await Entrant.OpenAsync(name, Path.Combine(folder, name), new EventFeed(comparison.Settings.Events), flush));
        return entrants;
    }

    private static Slice[] SlicesOf(IEnumerable<Entrant> entrants, Func<Entrant, Slice> slice) => [.. entrants.Select(slice)];

    private static async Task CloseAsync(IReadOnlyList<Entrant> entrants)
    {
        foreach (var entrant in entrants)
        {
            await entrant.VerifyAsync();
            await entrant.DisposeAsync();
        }
    }
}
