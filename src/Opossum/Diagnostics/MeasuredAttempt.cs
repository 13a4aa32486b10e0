using System.Diagnostics;

namespace Opossum.Diagnostics;

/// <summary>An attempt of a reaction to handle an event: its activity, and its time.</summary>
internal readonly struct MeasuredAttempt
{
    private readonly string store;
    private readonly string reaction;
    private readonly Activity? activity;
    private readonly long begin;

    private MeasuredAttempt(string store, string reaction, Activity? activity)
    {
        this.store = store;
        this.reaction = reaction;
        this.activity = activity;
        begin = Telemetry.HasMetrics && Instruments.ReactionAttemptDuration.Enabled ? Stopwatch.GetTimestamp() : 0;
    }

    /// <summary>Begins an attempt.</summary>
    /// <param name="activity">The activity of the event's processing; null: nobody listens.</param>
    public static MeasuredAttempt Begin(string store, string reaction, int attempt, Activity? activity)
    {
        activity?.SetTag(Telemetry.StoreAttribute, store).SetTag(Telemetry.ReactionAttribute, reaction).SetTag("opossum.reaction.attempt", attempt);
        return new MeasuredAttempt(store, reaction, activity);
    }

    /// <summary>Ends it.</summary>
    /// <param name="error">The type of the handler's error; null: it succeeded.</param>
    public void End(Type? error)
    {
        if (error is not null)
            activity?.SetTag(Telemetry.ErrorTypeAttribute, error.FullName).SetStatus(ActivityStatusCode.Error);
        if (begin == 0)
            return;
        var attributes = Telemetry.Of(store, error);
        attributes.Add(Telemetry.ReactionAttribute, reaction);
        Instruments.ReactionAttemptDuration.Record(Stopwatch.GetElapsedTime(begin).TotalSeconds, attributes);
    }
}
