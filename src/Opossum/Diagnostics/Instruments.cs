using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace Opossum.Diagnostics;

/// <summary>The meter of all stores, its instruments with their units, and the figures of the open stores.</summary>
/// <remarks>Its first use creates all of them. Opening and reading a store use it only if <see cref="Telemetry.HasMetrics"/>.</remarks>
internal static class Instruments
{
    private const string Seconds = "s";
    private const string Bytes = "By";
    private const string Events = "{event}";
    private const string Appends = "{append}";

    private static readonly Meter meter = new(Telemetry.Name, Telemetry.Version);
    private static readonly ConditionalWeakTable<object, Func<StoreFigures?>> openStores = [];

    private static readonly double[] times =
        [0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

    private static readonly double[] sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000];

    static Instruments()
    {
        UpDownCounter("opossum.store.events", static () => Observed(static store => store.Events), Events,
            "Events in the store, as far as this process knows.");
        UpDownCounter("opossum.store.size", static () => Observed(static store => store.Bytes), Bytes,
            "Compact size of the store's events, as far as this process knows; their files take more.");
        Gauge("opossum.journal.events", static () => Observed(static store => store.Journaled), Events,
            "Events in the journal that may have no event file yet, as far as this process knows.");
        Gauge("opossum.projection.lag", ObservedLags, Events,
            "Events that the states of a projection do not include yet; reported by the process that leads the projection.");
        Gauge("opossum.reaction.lag", static () => ObservedReactions(static each => each.Lag), Events,
            "Events that a reaction has not looked at or not handled yet; reported by the process that leads the reaction.");
        Gauge("opossum.reaction.parked", static () => ObservedReactions(static each => each.Parked), Events,
            "Events that a reaction has parked; reported by the process that leads the reaction.");
        Gauge("opossum.replica.lag", static () => ObservedReplicas(static each => each.Lag), Events,
            "Events that a replica does not have yet; reported by the host that follows the store.");
        Gauge("opossum.replica.time_lag", static () => ObservedReplicas(static each => (double?)each.TimeLag.TotalSeconds), Seconds,
            "How long ago a replica had every event; reported by the host that follows the store.");
    }

    public static readonly CarefulInstrument AppendDuration =
        Histogram("opossum.append.duration", Seconds, "Time of an append, from the call to its outcome.", times);

    public static readonly CarefulInstrument AppendEvents = Counter("opossum.append.events", "Events of successful appends.");

    public static readonly CarefulInstrument GroupSize =
        Histogram("opossum.group.size", Appends, "Appends that were committed together.", sizes);

    public static readonly CarefulInstrument FlushDuration =
        Histogram("opossum.flush.duration", Seconds, "Time of one wait until event files are durable.", times);

    public static readonly CarefulInstrument LockWaitTime =
        Histogram("opossum.lock.wait_time", Seconds, "Time until the store's lock was taken, or not in time.", times);

    public static readonly CarefulInstrument ReadDuration =
        Histogram("opossum.read.duration", Seconds, "Time that the store took for a read, without that of its caller.", times);

    public static readonly CarefulInstrument ReadEvents = Counter("opossum.read.events", "Events that were read.");

    public static readonly CarefulInstrument RecoveryDuration =
        Histogram("opossum.recovery.duration", Seconds, "Time of a recovery or of a rebuild of the index.", times);

    public static readonly CarefulInstrument ReactionAttemptDuration =
        Histogram("opossum.reaction.attempt.duration", Seconds, "Time of an attempt of a reaction to handle an event.", times);

    public static readonly CarefulInstrument SealedEvents =
        Counter("opossum.sealed.events", "Events whose folders this process has sealed in the background.");

    /// <summary>Records the time until it is disposed.</summary>
    public static MeasuredTime Measure(CarefulInstrument duration, string store) =>
        duration.Enabled ? new MeasuredTime(duration, store, Stopwatch.GetTimestamp()) : default;

    /// <summary>Reports an open store's figures until <see cref="Forget"/>, or until nothing else refers to the store.</summary>
    /// <param name="read">Reads its figures; null: it is closed.</param>
    public static void Observe(object store, Func<StoreFigures?> read) => openStores.Add(store, read);

    public static void Forget(object store) => openStores.Remove(store);

    // A listener learns of a new instrument, and may throw: the store works without the instrument.
    private static CarefulInstrument Histogram(string name, string unit, string description, double[] boundaries)
    {
        try
        {
            return new(meter.CreateHistogram(name, unit, description,
                advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = boundaries }));
        }
        catch (Exception)
        {
            return new(null);
        }
    }

    private static CarefulInstrument Counter(string name, string description)
    {
        try
        {
            return new(meter.CreateCounter<long>(name, Events, description));
        }
        catch (Exception)
        {
            return new(null);
        }
    }

    private static void UpDownCounter(string name, Func<IEnumerable<Measurement<long>>> observe, string unit, string description)
    {
        try
        {
            meter.CreateObservableUpDownCounter(name, observe, unit, description);
        }
        catch (Exception)
        {
            // As in Histogram.
        }
    }

    private static void Gauge<T>(string name, Func<IEnumerable<Measurement<T>>> observe, string unit, string description)
        where T : struct
    {
        try
        {
            meter.CreateObservableGauge(name, observe, unit, description);
        }
        catch (Exception)
        {
            // As in Histogram.
        }
    }

    private static IEnumerable<Measurement<long>> Observed(Func<StoreFigures, long> read) =>
        OpenStores().Select(store => new Measurement<long>(read(store), Telemetry.Of(store.Path)));

    private static IEnumerable<Measurement<long>> ObservedLags() =>
        from store in OpenStores()
        from projection in store.Lags
        select new Measurement<long>(projection.Lag, Telemetry.Of(store.Path),
            new KeyValuePair<string, object?>(Telemetry.ProjectionAttribute, projection.Name));

    private static IEnumerable<Measurement<long>> ObservedReactions(Func<(string Name, long Lag, long Parked), long> read) =>
        from store in OpenStores()
        from reaction in store.Reactions
        select new Measurement<long>(read(reaction), Telemetry.Of(store.Path),
            new KeyValuePair<string, object?>(Telemetry.ReactionAttribute, reaction.Name));

    private static IEnumerable<Measurement<T>> ObservedReplicas<T>(Func<ReplicaFigures, T?> read)
        where T : struct =>
        from store in OpenStores()
        from replica in store.Replicas
        let measured = read(replica)
        where measured is not null
        select new Measurement<T>(measured.Value, Telemetry.Of(store.Path),
            new KeyValuePair<string, object?>(Telemetry.ReplicaAttribute, replica.Path));

    // A folder that is open twice, as while a host opens it again, is reported once.
    private static IEnumerable<StoreFigures> OpenStores() =>
        openStores.Select(static store => store.Value()).OfType<StoreFigures>().GroupBy(static store => store.Path, StringComparer.Ordinal)
            .Select(static same => same.MaxBy(static store => (store.Events, store.Lags.Count + store.Reactions.Count))!);
}
