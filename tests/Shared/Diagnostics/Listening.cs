using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Opossum.Tests.Diagnostics;

/// <summary>Listens to the source and the meter, as OpenTelemetry does, and keeps what concerns one store.</summary>
internal sealed class Listening : IDisposable
{
    private readonly ConcurrentQueue<Measured> measured = new();
    private readonly ConcurrentQueue<Activity> activities = new();
    private readonly MeterListener meters = new();
    private readonly ActivityListener sources;
    private readonly string store;

    public Listening(string store)
    {
        this.store = store;
        sources = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Opossum",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = activities.Enqueue,
        };
        ActivitySource.AddActivityListener(sources);
        meters.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Opossum")
                listener.EnableMeasurementEvents(instrument);
        };
        meters.SetMeasurementEventCallback<double>(Keep);
        meters.SetMeasurementEventCallback<long>((instrument, value, tags, state) => Keep(instrument, value, tags, state));
        meters.SetMeasurementEventCallback<int>((instrument, value, tags, state) => Keep(instrument, value, tags, state));
        meters.Start();
    }

    /// <summary>Every activity that has ended and names the store.</summary>
    public IReadOnlyList<Activity> Activities => [.. activities.Where(each => Equals(each.GetTagItem("db.namespace"), store))];

    /// <summary>Every activity of a subscriber that has ended.</summary>
    public IReadOnlyList<Activity> Processings => [.. activities.Where(each => each.Kind == ActivityKind.Consumer)];

    /// <summary>What an instrument has measured of the store.</summary>
    public IReadOnlyList<Measured> Of(string instrument) => [.. measured.Where(each => each.Instrument == instrument)];

    /// <summary>What an observable instrument reports of the store now.</summary>
    public IReadOnlyList<Measured> Observe(string instrument)
    {
        measured.Clear();
        meters.RecordObservableInstruments();
        return Of(instrument);
    }

    public void Dispose()
    {
        sources.Dispose();
        meters.Dispose();
    }

    private void Keep(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        var attributes = tags.ToArray().ToDictionary(tag => tag.Key, tag => tag.Value);
        if (Equals(attributes.GetValueOrDefault("db.namespace"), store))
            measured.Enqueue(new Measured(instrument.Name, value, attributes));
    }
}
