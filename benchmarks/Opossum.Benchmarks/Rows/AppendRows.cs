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
            await using var entrants =
                await run.OpenAsync(purpose, contenders, static () => new EventFeed(plannedEvents: 1_000_000), flush);
            Slice SliceOf(Entrant each, int size) =>
                IsGrouped(each) ? each.Concurrently(size, 1) : each.Batches(1, size);
            await run.MeasureAsync(Repeats, [.. batchSizes.Select(size =>
                ($"batch of {size}, {purpose}", SlicesOf(entrants.All, each => SliceOf(each, size))))]);
            await entrants.VerifyAsync();
        }
    }

    public static async Task SizesAsync(RowRun run)
    {
        foreach (var bytes in payloadBytes)
        {
            var size = string.Create(CultureInfo.InvariantCulture, $"an event of {bytes / 1_000.0} KB");
            EventFeed NewFeed() => new(plannedEvents: 1) { PayloadBytes = bytes };
            await using var entrants = await run.OpenAsync(size, contenders, NewFeed);
            await run.MeasureAsync(Repeats,
                ($"{size}, alone", SlicesOf(Ungrouped(entrants), static each => each.Alone(1))));
            await run.MeasureAsync(Math.Clamp(TurnBytesMax / (bytes * Writers), 2, Repeats),
                ($"{size}, {Writers} at once", SlicesOf(entrants.All, static each => each.Concurrently(Writers, 1))));
            await entrants.VerifyAsync();
        }
    }

    public static async Task DecisionsAsync(RowRun run)
    {
        var orders = run.Size(2_000, 100);
        string[] stores = [ContenderName.Opossum, ContenderName.Sqlite, ContenderName.GroupedSqlite];
        EventFeed NewFeed() => new(plannedEvents: 1) { OrderOf = number => number % orders };
        await using var entrants =
            await run.OpenAsync("decisions", stores, NewFeed, filled: orders * EventsOfDecision);
        const string Measure = "a decision on 20 events";
        await run.MeasureAsync(Repeats,
            ($"{Measure}, alone", SlicesOf(Ungrouped(entrants), static each => each.Decisions(1))),
            ($"{Measure}, {Writers} at once", SlicesOf(entrants.All, static each => each.Decisions(Writers))));
        await entrants.VerifyAsync();
    }

    public static IReadOnlyList<Slice> SlicesOf(IEnumerable<Entrant> entrants, Func<Entrant, Slice> slice) =>
        [.. entrants.Select(slice)];

    // Where one append comes after another there is nothing to group.
    public static IEnumerable<Entrant> Ungrouped(Entrants entrants) =>
        entrants.All.Where(static each => !IsGrouped(each));

    private static bool IsGrouped(Entrant entrant) => entrant.Name == ContenderName.GroupedSqlite;
}
