namespace Opossum.Projections.States;

/// <summary>A state as read from its file.</summary>
/// <param name="Position">The position of the last event applied to it.</param>
/// <param name="State">The state; null when that event deleted it.</param>
internal sealed record StoredState<TState>(string Key, long Position, Tag[] Tags, TState? State)
    where TState : class
{
    /// <summary>The state for a caller; null when it was deleted.</summary>
    public ProjectionEntry<TState>? Entry => State is null ? null : new ProjectionEntry<TState>
    {
        Key = Key,
        State = State,
        Position = Position,
        Tags = Tags,
    };
}
