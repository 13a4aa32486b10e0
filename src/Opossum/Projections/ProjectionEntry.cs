namespace Opossum;

/// <summary>The state of one key, as read from the disk.</summary>
/// <typeparam name="TState">The state's type.</typeparam>
public sealed record ProjectionEntry<TState>
    where TState : class
{
    /// <summary>The key.</summary>
    public required string Key { get; init; }

    /// <summary>The state: an object that belongs to the caller.</summary>
    public required TState State { get; init; }

    /// <summary>The position of the last event applied to the state.</summary>
    public required long Position { get; init; }

    /// <summary>The state's tags.</summary>
    public required IReadOnlyList<Tag> Tags { get; init; }
}
