using System.Diagnostics;
using Opossum.Diagnostics;

namespace Opossum;

/// <summary>
/// The processing of an event by a subscriber, from <see cref="Begin"/> until it is disposed. Within it, an activity continues the
/// trace of the append, and appended events name this event as their cause. Both need <see cref="OpossumOptions.EnrichMetadata"/> on
/// the appending side.
/// </summary>
/// <example><code>
/// await foreach (var e in store.SubscribeAsync(query, after, cancellationToken))
/// {
///     using var processing = ProcessingScope.Begin(e);
///     await HandleAsync(e, cancellationToken);
/// }
/// </code></example>
public sealed class ProcessingScope : IDisposable
{
    private static readonly AsyncLocal<SequencedEvent?> current = new();

    private readonly SequencedEvent? before = current.Value;
    private readonly Activity? activityBefore = Activity.Current;

    private ProcessingScope(SequencedEvent e)
    {
        current.Value = e;
        if (Telemetry.HasListeners)
            Activity = Start(e);
    }

    /// <summary>
    /// The activity, of the kind consumer: linked to the append of the event, and its child unless another activity was current. Null when nobody
    /// listens to the source <c>Opossum</c>, or it is not sampled. Set its status where the processing fails.
    /// </summary>
    public Activity? Activity { get; }

    /// <summary>The event that is being processed in this flow of execution; null: none.</summary>
    internal static SequencedEvent? Current => current.Value;

    /// <summary>Starts the processing of an event.</summary>
    /// <param name="e">The event.</param>
    public static ProcessingScope Begin(SequencedEvent e)
    {
        ArgumentNullException.ThrowIfNull(e);
        return new ProcessingScope(e);
    }

    /// <summary>Ends the processing, and its activity.</summary>
    public void Dispose()
    {
        if (Activity is not null)
            Telemetry.End(Activity, activityBefore);
        current.Value = before;
    }

    // Linked always and, where nothing else is current, its child too: the semantic conventions for messaging want the one and allow the other.
    private static Activity? Start(SequencedEvent e)
    {
        var hasContext = ActivityContext.TryParse(e.Metadata.GetValueOrDefault(MetadataNames.TraceParent),
            e.Metadata.GetValueOrDefault(MetadataNames.TraceState), isRemote: true, out var creation);
        var parent = Activity.Current?.Context ?? creation;
        var activity = Telemetry.Start($"process {e.Type}", ActivityKind.Consumer, parent, hasContext ? [new ActivityLink(creation)] : null);
        return activity?.SetTag("messaging.system", "opossum").SetTag("messaging.operation.name", "process")
            .SetTag("messaging.operation.type", "process").SetTag("messaging.message.id", e.Id.ToString()).SetTag("opossum.event.type", e.Type)
            .SetTag("opossum.event.position", e.Position);
    }
}
