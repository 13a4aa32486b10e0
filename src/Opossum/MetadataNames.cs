namespace Opossum;

/// <summary>The keys of metadata that <see cref="OpossumOptions.EnrichMetadata"/> and <see cref="OpossumOptions.User"/> add to events.</summary>
public static class MetadataNames
{
    /// <summary>The trace and the span of the append: <c>traceparent</c> of the W3C trace context.</summary>
    public const string TraceParent = "traceparent";

    /// <summary>What vendors add to the trace: <c>tracestate</c> of the W3C trace context.</summary>
    public const string TraceState = "tracestate";

    /// <summary>What belongs together: <c>correlationId</c>, the same for an event and all that followed from it.</summary>
    public const string CorrelationId = "correlationId";

    /// <summary>What led to the event: <c>causationId</c>, the id of another event.</summary>
    public const string CausationId = "causationId";

    /// <summary>Who appended the event: <c>user</c>, as <see cref="OpossumOptions.User"/> names them.</summary>
    public const string User = "user";
}
