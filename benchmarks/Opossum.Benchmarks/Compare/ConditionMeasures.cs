using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Compare;

/// <summary>Lone durable appends under a condition on a tag, to stores of three sizes.</summary>
internal sealed class ConditionMeasures(Comparison comparison)
{
    public async Task RunAsync()
    {
        var settings = comparison.Settings;
        int[] sizes = [settings.EventsOfSmallStore, settings.Events, settings.EventsOfLargeStore];
        var entrants = new List<(int Size, Entrant Entrant)>();
        foreach (var size in sizes)
        {
            foreach (var name in new[] { ContenderName.Opossum, ContenderName.Sqlite })
                entrants.Add((size, await comparison.Stores.OpenAsync(name, size, () => new EventFeed(size))));
        }
        await comparison.MeasureAsync(30, isPerEvent: true,
            [.. entrants.GroupBy(each => each.Size, (size, group) => (Measure.ConditionalAppend(size), group.Select(each => each.Entrant.AloneUnderCondition(10)).ToArray()))]);
        foreach (var (_, entrant) in entrants)
        {
            await entrant.VerifyAsync();
            await entrant.DisposeAsync();
        }
    }
}
