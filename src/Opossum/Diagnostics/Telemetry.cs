using System.Diagnostics;

namespace Opossum.Diagnostics;

/// <summary>
/// The activity source of all stores, and the names that it and their <see cref="Instruments"/> use. They follow OpenTelemetry's semantic
/// conventions; see docs/decisions/0031. Nothing is measured or allocated unless somebody listens.
/// </summary>
internal static class Telemetry
{
    /// <summary>The name of the activity source and of the meter.</summary>
    public const string Name = "Opossum";

    public const string StoreAttribute = "db.namespace";
    public const string ProjectionAttribute = "opossum.projection.name";
    public const string ReactionAttribute = "opossum.reaction.name";
    public const string ReplicaAttribute = "opossum.replica.path";
    public const string ErrorTypeAttribute = "error.type";

    public static readonly string? Version = typeof(Telemetry).Assembly.GetName().Version?.ToString(3);

    /// <summary>Whether the app has metrics: false when it switched them off for the runtime (<c>MetricsSupport</c>).</summary>
    public static readonly bool HasMetrics = !AppContext.TryGetSwitch("System.Diagnostics.Metrics.Meter.IsSupported", out var isOn) || isOn;

    private static readonly ActivitySource? source = CreateSource();

    public static bool HasListeners => source?.HasListeners() == true;

    /// <summary>The attribute that tells stores apart.</summary>
    public static KeyValuePair<string, object?> Of(string store) => new(StoreAttribute, store);

    /// <summary>Attributes of an operation on a store that ended.</summary>
    /// <param name="error">The type of its error; null: it succeeded.</param>
    public static TagList Of(string store, Type? error)
    {
        var attributes = new TagList { { StoreAttribute, store } };
        if (error is not null)
            attributes.Add(ErrorTypeAttribute, error.FullName);
        return attributes;
    }

    /// <summary>Starts the activity of an operation; null when nobody listens. The caller's current activity stays what it is.</summary>
    public static Activity? StartOperation(string operation, string store)
    {
        var current = Activity.Current;
        var activity = Start(operation, ActivityKind.Client);
        SetCurrent(current);
        return activity?.AddTag("db.system.name", "opossum").AddTag("db.operation.name", operation).AddTag(StoreAttribute, store);
    }

    public static void EndOperation(Activity activity, Type? error)
    {
        if (error is not null)
            activity.SetTag(ErrorTypeAttribute, error.FullName).SetStatus(ActivityStatusCode.Error);
        End(activity, Activity.Current);
    }

    /// <summary>Starts an activity, which is current then; null when nobody listens, or a listener threw. Never throws.</summary>
    /// <param name="parent">Its parent; default: the current activity.</param>
    /// <param name="links">The contexts that it is linked to.</param>
    public static Activity? Start(string name, ActivityKind kind, ActivityContext parent = default, ActivityLink[]? links = null)
    {
        var current = Activity.Current;
        try
        {
            return source?.StartActivity(name, kind, parent, tags: null, links);
        }
        catch (Exception)
        {
            // A failing listener has nowhere to report its failure.
            SetCurrent(current);
            return null;
        }
    }

    /// <summary>Ends an activity. Never throws, whatever its listeners do.</summary>
    /// <param name="current">The current activity from then on.</param>
    public static void End(Activity activity, Activity? current)
    {
        try
        {
            activity.Dispose();
        }
        catch (Exception)
        {
            // As in Start.
        }
        SetCurrent(current);
    }

    private static void SetCurrent(Activity? activity)
    {
        try
        {
            Activity.Current = activity;
        }
        catch (Exception)
        {
            // As in Start: of a handler of Activity.CurrentChanged, which is called after the change.
        }
    }

    // A listener learns of a new source, and may throw: the store works without activities.
    private static ActivitySource? CreateSource()
    {
        try
        {
            return new ActivitySource(Name, Version);
        }
        catch (Exception)
        {
            return null;
        }
    }
}
