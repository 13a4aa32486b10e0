namespace Opossum;

/// <summary>The state of one key, as it is on the disk.</summary>
/// <typeparam name="TState">The state's type.</typeparam>
/// <param name="Key">Its key.</param>
/// <param name="State">The state: an object of the caller's own.</param>
/// <param name="Position">The position of the last event that counts in it.</param>
public sealed record ProjectionEntry<TState>(string Key, TState State, long Position)
    where TState : class;
