using Opossum.Serialization;

namespace Opossum.Tests;

/// <summary>Reads events whose data are stored as they are.</summary>
internal sealed class DecoderWithoutKeys(EventSerializer serializer) : IEventDecoder
{
    public object? ReadData(SequencedEvent e) => serializer.Read(e);

    public OpenedJson? Open(SequencedEvent e) => null;

    public AppendCondition? ReadCondition(SequencedEvent e) => EventSerializer.ReadCondition(e);

    public Tag Resolve(Tag tag) => tag;
}
