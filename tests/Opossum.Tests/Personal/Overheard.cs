using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Personal;

/// <summary>All that a run lets out: logs, activities, measurements and the exceptions that its callers got.</summary>
internal sealed class Overheard : IDisposable
{
    private readonly ConcurrentQueue<string> telemetry = new();
    private readonly List<string> errors = [];
    private readonly MeterListener meters = new();
    private readonly ActivityListener sources;

    public Overheard()
    {
        sources = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Opossum",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = each => telemetry.Enqueue(string.Join('\n', [each.DisplayName, each.StatusDescription,
                .. each.TagObjects.Concat(each.Events.SelectMany(static e => e.Tags)).Select(static pair => $"{pair}"),
                .. each.Baggage.Select(static pair => $"{pair}")])),
        };
        ActivitySource.AddActivityListener(sources);
        meters.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Opossum")
                listener.EnableMeasurementEvents(instrument);
        };
        meters.SetMeasurementEventCallback<double>((instrument, _, tags, _) => Keep(instrument, tags));
        meters.SetMeasurementEventCallback<long>((instrument, _, tags, _) => Keep(instrument, tags));
        meters.SetMeasurementEventCallback<int>((instrument, _, tags, _) => Keep(instrument, tags));
        meters.Start();
    }

    public Logs Logs { get; } = new();

    /// <summary>What the app's operators see without asking: logs and telemetry.</summary>
    public IReadOnlyList<string> Telemetry
    {
        get
        {
            meters.RecordObservableInstruments();
            return [.. telemetry, .. Logs.Lines.Select(static line => line.Text)];
        }
    }

    /// <summary>The exceptions, with their causes.</summary>
    public IReadOnlyList<string> Errors => errors;

    /// <summary>Does what must fail.</summary>
    public async Task FailAsync<TException>(Func<Task> work)
        where TException : Exception => errors.Add((await Assert.ThrowsAnyAsync<TException>(work)).ToString());

    public void Dispose()
    {
        sources.Dispose();
        meters.Dispose();
    }

    private void Keep(Instrument instrument, ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        telemetry.Enqueue($"{instrument.Name} {string.Join(' ', tags.ToArray())}");
}
