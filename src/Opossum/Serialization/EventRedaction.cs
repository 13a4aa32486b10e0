using Opossum.Serialization;

namespace Opossum;

/// <summary>A redaction of an event: members of its data that <see cref="StoreRepair.RedactAsync"/> replaced by null, and why.</summary>
/// <param name="Members">The paths of the members, such as <c>address.street</c>.</param>
/// <param name="Reason">The reason that was given.</param>
/// <param name="By">The user and the machine, as text.</param>
/// <param name="At">When it was begun, by the clock of that machine.</param>
public sealed record EventRedaction(IReadOnlyList<string> Members, string Reason, string By, DateTimeOffset At)
{
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
