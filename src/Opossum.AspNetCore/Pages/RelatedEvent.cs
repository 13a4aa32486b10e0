namespace Opossum.AspNetCore.Pages;

/// <summary>What an event says about its cause.</summary>
/// <param name="Cause">The id of the event that caused it, or that the reaction handled which appended it; null: it names none.</param>
/// <param name="Correlation">The id that an event and all that followed from it have; the event's own id, where its metadata has none.</param>
/// <param name="Trace">The id of the trace; null: none.</param>
internal sealed record RelatedEvent(long Position, string Type, DateTimeOffset Time, Guid Id, Guid? Cause, string Correlation, string? Trace)
{
    private const string ReactionTag = "$reaction";

    public static RelatedEvent Of(SequencedEvent e)
    {
        var cause = Guid.TryParse(e.Metadata.GetValueOrDefault(MetadataNames.CausationId), out var id) ? id : CauseOfReaction(e);
        return new RelatedEvent(e.Position, e.Type, e.Timestamp, e.Id, cause,
            e.Metadata.GetValueOrDefault(MetadataNames.CorrelationId) ?? e.Id.ToString(),
            TraceOf(e.Metadata.GetValueOrDefault(MetadataNames.TraceParent)));
    }

    public bool SharesRequestWith(RelatedEvent other) =>
        Correlation == other.Correlation || (Trace is not null && Trace == other.Trace);

    // What a reaction appends says so by a tag, also where metadata is not enriched: its name, id and position of the event, and a number.
    private static Guid? CauseOfReaction(SequencedEvent e)
    {
        foreach (var tag in e.Tags)
        {
            if (tag.Key == ReactionTag && tag.Value.Split('/') is [_, var handled, ..] && Guid.TryParse(handled, out var id))
                return id;
        }
        return null;
    }

    // As the W3C's recommendation "Trace Context" writes it: version, trace id, parent id and flags, with hyphens between them.
    private static string? TraceOf(string? traceparent) => traceparent?.Split('-') is [_, { Length: 32 } trace, _, ..] ? trace : null;
}
