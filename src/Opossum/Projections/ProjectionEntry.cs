namespace Opossum;

/// <summary>The state of one key, as read from the disk.</summary>
/// <typeparam name="TState">The state's type.</typeparam>
/// <param name="Key">The key.</param>
/// <param name="State">The state: an object that belongs to the caller.</param>
/// <param name="Position">The position of the last event applied to the state.</param>
public sealed record ProjectionEntry<TState>(string Key, TState State, long Position)
    where TState : class;
