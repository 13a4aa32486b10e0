namespace Opossum.Reactions;

/// <summary>Appends events that carry a reserved tag, unless an event with that tag is stored: then it returns its positions.</summary>
internal delegate Task<AppendResult> AppendOnce(IReadOnlyList<NewEvent> events, AppendCondition? condition, Tag once,
    CancellationToken cancellationToken);
