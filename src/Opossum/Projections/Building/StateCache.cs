namespace Opossum.Projections.Building;

/// <summary>
/// The states in the leader's memory, at most about as many as said. In two halves: what is used moves to the young one, and when that is
/// full, the old one goes. What is dirty is young, and is written before it ages.
/// </summary>
internal sealed class StateCache<TState>(int statesMax, bool isWhole)
    where TState : class
{
    private readonly int youngMax = Math.Max(1, statesMax / 2);
    private Dictionary<string, CachedState<TState>> young = new(StringComparer.Ordinal);
    private Dictionary<string, CachedState<TState>> old = new(StringComparer.Ordinal);

    /// <summary>Whether every state that there is, is in the cache.</summary>
    public bool IsWhole { get; private set; } = isWhole;

    /// <summary>The states to be written.</summary>
    public List<CachedState<TState>> Dirty { get; } = [];

    public int Count => young.Count + old.Count;

    /// <summary>Whether the young half has to be written, and to age, before there is room again.</summary>
    public bool IsFull => young.Count >= youngMax;

    public CachedState<TState>? Find(string key)
    {
        if (young.TryGetValue(key, out var state))
            return state;
        if (old.Remove(key, out state))
            young.Add(key, state);
        return state;
    }

    public void Add(CachedState<TState> state) => young.Add(state.Key, state);

    public void MarkDirty(CachedState<TState> state)
    {
        if (state.IsDirty)
            return;
        state.IsDirty = true;
        Dirty.Add(state);
    }

    /// <summary>What was dirty is written.</summary>
    public void MarkWritten()
    {
        foreach (var state in Dirty)
        {
            state.IsDirty = false;
            state.IsWritten = state.State is not null;
            state.WrittenTags = state.Tags;
        }
        Dirty.Clear();
    }

    /// <summary>Drops the old half. Nothing may be dirty.</summary>
    public void Age()
    {
        IsWhole &= old.Count == 0;
        old = young;
        young = new Dictionary<string, CachedState<TState>>(old.Count, StringComparer.Ordinal);
    }
}
