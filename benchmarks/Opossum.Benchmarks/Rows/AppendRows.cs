using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Rows;

/// <summary>Appends in small batches, of events of several sizes, and after decisions.</summary>
internal static class AppendRows
{
    private const int Repeats = 25;
    private const int Writers = 50;
    private const int EventsOfDecision = 20;
    private const int TurnBytesMax = 4_000_000;

    private static readonly int[] batchSizes = [2, 5, 10, 50, 100];
    private static readonly int[] payloadBytes = [100, 1_000, 10_000, 100_000];
    private static readonly string[] contenders =
        [ContenderName.Opossum, ContenderName.RawFiles, ContenderName.Sqlite, ContenderName.GroupedSqlite];

    public static async Task BatchesAsync(RowRun run)
    {
        foreach (var (purpose, flush) in new[] { ("flushed", true), ("not flushed", false) })
        {
            await using var entrants = await run.OpenAsync(purpose, contenders, NewFeed, flush);
            await run.MeasureAsync(Repeats, [.. batchSizes.Select(size => ($"batch of {size}, {purpose}",
                SlicesOf(entrants.All, each => IsGrouped(each) ? each.Concurrently(size, 1) : each.Batches(1, size))))]);
            await entrants.VerifyAsync();
        }
    }

    public static async Task SizesAsync(RowRun run)
    {
        foreach (var bytes in payloadBytes)
        {
            var size = string.Create(CultureInfo.InvariantCulture, $"an event of {bytes / 1_000.0} KB");
            await using var entrants = await run.OpenAsync(size, contenders, () => new EventFeed(1) { PayloadBytes = bytes });
            await run.MeasureAsync(Repeats, ($"{size}, alone", SlicesOf(entrants.All.Where(static each => !IsGrouped(each)), static each => each.Alone(1))));
            await run.MeasureAsync(Math.Clamp(TurnBytesMax / (bytes * Writers), 2, Repeats),
                ($"{size}, {Writers} at once", SlicesOf(entrants.All, static each => each.Concurrently(Writers, 1))));
            await entrants.VerifyAsync();
        }
    }

    public static async Task DecisionsAsync(RowRun run)
    {
        var orders = run.Size(2_000, 100);
        string[] stores = [ContenderName.Opossum, ContenderName.Sqlite, ContenderName.GroupedSqlite];
        await using var entrants = await run.OpenAsync("decisions", stores, () => new EventFeed(1) { OrderOf = number => number % orders },
            filled: orders * EventsOfDecision);
        await run.MeasureAsync(Repeats,
            ("a decision on 20 events, alone",
                SlicesOf(entrants.All.Where(static each => !IsGrouped(each)), static each => each.Decisions(1))),
            ($"a decision on 20 events, {Writers} at once", SlicesOf(entrants.All, static each => each.Decisions(Writers))));
        await entrants.VerifyAsync();
    }

    public static IReadOnlyList<Slice> SlicesOf(IEnumerable<Entrant> entrants, Func<Entrant, Slice> slice) => [.. entrants.Select(slice)];

    // Where one append comes after another there is nothing to group.
    private static bool IsGrouped(Entrant entrant) => entrant.Name == ContenderName.GroupedSqlite;

    private static EventFeed NewFeed() => new(plannedEvents: 1_000_000);
}
