namespace Opossum.Projections.Building;

/// <summary>
/// The states in the leader's memory, limited to about a given number. It has two halves: a used state moves to the young half, and when that
/// is full, the old half is dropped. Dirty states are in the young half, and are written before it ages.
/// </summary>
internal sealed class StateCache<TState>(int statesMax, bool isWhole)
    where TState : class
{
    private readonly int youngMax = Math.Max(1, statesMax / 2);
    private Dictionary<string, CachedState<TState>> young = new(StringComparer.Ordinal);
    private Dictionary<string, CachedState<TState>> old = new(StringComparer.Ordinal);

    /// <summary>Whether every existing state is in the cache.</summary>
    public bool IsWhole { get; private set; } = isWhole;

    public List<CachedState<TState>> Dirty { get; } = [];

    public int Count => young.Count + old.Count;

    /// <summary>Whether the young half is full: it must be written and age before more states fit.</summary>
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

    /// <summary>Drops all states. None may be dirty.</summary>
    public void Clear()
    {
        IsWhole &= Count == 0;
        old = new Dictionary<string, CachedState<TState>>(StringComparer.Ordinal);
        young = new Dictionary<string, CachedState<TState>>(StringComparer.Ordinal);
    }

    /// <summary>Drops the old half. No state may be dirty.</summary>
    public void Age()
    {
        IsWhole &= old.Count == 0;
        old = young;
        young = new Dictionary<string, CachedState<TState>>(old.Count, StringComparer.Ordinal);
    }
}
