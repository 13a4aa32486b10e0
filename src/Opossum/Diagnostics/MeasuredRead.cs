using System.Diagnostics;

namespace Opossum.Diagnostics;

/// <summary>The measurement of one read: its activity, its events, and the time that the store took. It exists only if somebody listens.</summary>
internal sealed class MeasuredRead
{
    private readonly string store;
    private readonly Activity? activity;
    private TimeSpan taken;
    private long events;
    private bool isEnded;

    private MeasuredRead(string store)
    {
        this.store = store;
        // Without an activity around it, a read belongs to the background, such as a subscription: one trace for each poll says nothing.
        activity = Activity.Current is null ? null : Telemetry.StartOperation("read", store);
    }

    /// <summary>Starts the measurement; null when nobody listens.</summary>
    public static MeasuredRead? Begin(string store) =>
        Telemetry.HasListeners || (Telemetry.HasMetrics && (Instruments.ReadDuration.Enabled || Instruments.ReadEvents.Enabled))
            ? new MeasuredRead(store)
            : null;

    /// <summary>Measures the reading of a batch, and ends with the last one.</summary>
    /// <param name="read">Reads a batch and returns the number of its events; 0: there are no more.</param>
    public int Batch(Func<int> read)
    {
        var started = Stopwatch.GetTimestamp();
        try
        {
            var count = read();
            taken += Stopwatch.GetElapsedTime(started);
            events += count;
            if (count == 0)
                End(error: null);
            return count;
        }
        catch (Exception e)
        {
            taken += Stopwatch.GetElapsedTime(started);
            End(e.GetType());
            throw;
        }
    }

    /// <summary>Ends the measurement, once.</summary>
    public void End(Type? error)
    {
        if (isEnded)
            return;
        isEnded = true;
        Instruments.ReadDuration.Record(taken.TotalSeconds, store, error);
        Instruments.ReadEvents.Record(events, store);
        if (activity is null)
            return;
        activity.SetTag("db.response.returned_rows", events);
        Telemetry.EndOperation(activity, error);
    }
}
