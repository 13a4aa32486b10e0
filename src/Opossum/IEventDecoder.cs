namespace Opossum;

/// <summary>What a stored event needs of its store to be read: its types and its keys.</summary>
internal interface IEventDecoder
{
    /// <summary>The event's data as an object of its registered type; null when the JSON is null.</summary>
    object? ReadData(SequencedEvent e);

    /// <summary>The event's JSON with its personal values; null when it has none, so that it is the stored JSON.</summary>
    OpenedJson? Open(SequencedEvent e);

    /// <summary>The condition of the event's append; null when its query was not kept.</summary>
    AppendCondition? ReadCondition(SequencedEvent e);

    /// <summary>Replaces a pseudonym by the tag that stands for it in the store.</summary>
    Tag Resolve(Tag tag);
}
