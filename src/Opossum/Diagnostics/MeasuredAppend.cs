using System.Diagnostics;

namespace Opossum.Diagnostics;

/// <summary>The measurement of one append: its activity, its duration and its events. It exists only if somebody listens.</summary>
internal sealed class MeasuredAppend
{
    private readonly string store;
    private readonly long started = Stopwatch.GetTimestamp();

    private MeasuredAppend(string store)
    {
        this.store = store;
        Activity = Telemetry.StartOperation("append", store);
    }

    /// <summary>The append's activity; null when nobody listens to activities, or this one is not sampled.</summary>
    public Activity? Activity { get; }

    /// <summary>Starts the measurement; null when nobody listens.</summary>
    public static MeasuredAppend? Begin(string store) =>
        Telemetry.HasListeners || Instruments.AppendDuration.Enabled || Instruments.AppendEvents.Enabled ? new MeasuredAppend(store) : null;

    /// <param name="events">The number of events that it has stored, or was to store.</param>
    /// <param name="error">The type of its error; null: they are stored.</param>
    public void End(int events, Type? error)
    {
        var seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        Instruments.AppendDuration.Record(seconds, store, error);
        if (error is null)
            Instruments.AppendEvents.Record(events, store);
        if (Activity is null)
            return;
        Activity.AddTag("opossum.append.events", events);
        Telemetry.EndOperation(Activity, error);
    }
}
