using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>Reads the events of a store.</summary>
internal sealed class EventDecoder(EventSerializer serializer, PersonalEvents personal, KeyRing keys) : IEventDecoder
{
    public object? ReadData(SequencedEvent e) => serializer.Read(e);

    public OpenedJson? Open(SequencedEvent e) => personal.Open(e);

    public AppendCondition? ReadCondition(SequencedEvent e) => EventSerializer.ReadCondition(e);

    public Tag Resolve(Tag tag) => keys.Resolve(tag);
}
