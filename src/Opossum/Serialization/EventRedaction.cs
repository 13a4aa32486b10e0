using Opossum.Maintenance;
using Opossum.Serialization;

namespace Opossum;

/// <summary>A redaction of an event: members of its data that <see cref="StoreRepair.RedactAsync"/> replaced by null, and why.</summary>
public sealed record EventRedaction
{
    /// <summary>The paths of the members, such as <c>address.street</c>.</summary>
    public required IReadOnlyList<string> Members { get; init; }

    /// <summary>The reason that was given.</summary>
    public required string Reason { get; init; }

    /// <summary>The user and the machine, as text.</summary>
    public required string By { get; init; }

    /// <summary>When it was begun, by the clock of that machine.</summary>
    public required DateTimeOffset At { get; init; }

    /// <summary>The key of the metadata's entry that records the redactions of an event. An append cannot set it.</summary>
    public const string MetadataKey = "$redaction";

    /// <summary>The redactions of an event, the oldest first; empty when it is as it was stored.</summary>
    /// <param name="e">The event.</param>
    public static IReadOnlyList<EventRedaction> Of(SequencedEvent e)
    {
        ArgumentNullException.ThrowIfNull(e);
        return e.Metadata.TryGetValue(MetadataKey, out var text) ? RedactionRecord.Parse(text)?.Redactions ?? [] : [];
    }
}
