using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Compare;

/// <summary>Lone durable appends under a condition on a tag, to stores of three sizes.</summary>
internal sealed class ConditionMeasures(Comparison comparison)
{
    public async Task RunAsync()
    {
        var settings = comparison.Settings;
        await using var entrants = new Entrants();
        var measures = new List<(string, IReadOnlyList<Slice>)>();
        foreach (var size in new[] { settings.EventsOfSmallStore, settings.Events, settings.EventsOfLargeStore })
        {
            var slices = new List<Slice>();
            foreach (var name in Comparison.StoreContenders)
                slices.Add((await entrants.AddAsync(comparison.Stores.OpenAsync(name, size, () => new EventFeed(size)))).AloneUnderCondition(10));
            measures.Add((Measure.ConditionalAppend(size), slices));
        }
        await comparison.MeasureAsync(30, isPerEvent: true, [.. measures]);
        await entrants.VerifyAsync();
    }
}
