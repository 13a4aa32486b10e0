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

    public static string? Version { get; } = typeof(Telemetry).Assembly.GetName().Version?.ToString(3);

    /// <summary>Whether the app has metrics: false when it switched them off for the runtime (<c>MetricsSupport</c>).</summary>
    public static bool HasMetrics { get; } = !AppContext.TryGetSwitch("System.Diagnostics.Metrics.Meter.IsSupported", out var isOn) || isOn;

    public static ActivitySource Source { get; } = new(Name, Version);

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
        var activity = Source.StartActivity(operation, ActivityKind.Client);
        Activity.Current = current;
        return activity?.AddTag("db.system.name", "opossum").AddTag("db.operation.name", operation).AddTag(StoreAttribute, store);
    }

    public static void EndOperation(Activity activity, Type? error)
    {
        if (error is not null)
            activity.SetTag(ErrorTypeAttribute, error.FullName).SetStatus(ActivityStatusCode.Error);
        var current = Activity.Current;
        activity.Dispose();
        Activity.Current = current;
    }
}
