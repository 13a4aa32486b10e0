using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Compare;

/// <summary>Lone durable appends to stores with few and with many distinct tags.</summary>
internal sealed class TagMeasures(Comparison comparison)
{
    private const string Label = "-by-tags";

    public async Task RunAsync()
    {
        int few = comparison.Settings.FewTags, many = comparison.Settings.ManyTags;
        await using (var entrants = new Entrants())
        {
            await comparison.MeasureAsync(30, isPerEvent: true,
                (Measure.AppendWithTags(few), [(await entrants.AddAsync(OpenAsync(few))).Alone(20)]),
                (Measure.AppendWithTags(many), [(await entrants.AddAsync(OpenAsync(many))).Alone(20)]));
            await entrants.VerifyAsync();
        }
        comparison.Stores.DeleteUnlessKept(ContenderName.Opossum, EventsOf(few), Label);
        comparison.Stores.DeleteUnlessKept(ContenderName.Opossum, EventsOf(many), Label);
    }

    private static int EventsOf(int tags) => tags * CompareSettings.EventsPerTag;

    private Task<Entrant> OpenAsync(int tags) =>
        comparison.Stores.OpenAsync(ContenderName.Opossum, EventsOf(tags), () => new EventFeed(plannedEvents: 1) { OrderOf = number => number % tags }, Label);
}
