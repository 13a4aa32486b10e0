using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Compare;

/// <summary>Lone durable appends to stores with few and with many distinct tags.</summary>
internal sealed class TagMeasures(Comparison comparison)
{
    public async Task RunAsync()
    {
        var few = await OpenAsync(comparison.Settings.FewTags);
        var many = await OpenAsync(comparison.Settings.ManyTags);
        await comparison.MeasureAsync(30, isPerEvent: true,
            (Measure.AppendWithTags(comparison.Settings.FewTags), [few.Alone(20)]),
            (Measure.AppendWithTags(comparison.Settings.ManyTags), [many.Alone(20)]));
        await CloseAsync(few, comparison.Settings.FewTags);
        await CloseAsync(many, comparison.Settings.ManyTags);
    }

    private Task<Entrant> OpenAsync(int tags)
    {
        var events = tags * CompareSettings.EventsPerTag;
        return comparison.Stores.OpenAsync(ContenderName.Opossum, events, () => new EventFeed(plannedEvents: 1) { Orders = tags }, Label);
    }

    private async Task CloseAsync(Entrant entrant, int tags)
    {
        await entrant.VerifyAsync();
        await entrant.DisposeAsync();
        comparison.Stores.DeleteUnlessKept(ContenderName.Opossum, tags * CompareSettings.EventsPerTag, Label);
    }

    private static string Label => "-by-tags";
}
