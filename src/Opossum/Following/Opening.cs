namespace Opossum.Following;

/// <summary>An open store, for callers who ask about what follows its log: about what this process runs, and about what its files show.</summary>
/// <param name="running">Returns the readers of what this process runs.</param>
/// <param name="listAsync">Lists the names of what has files.</param>
/// <param name="create">Creates the reader of one that this process does not run.</param>
internal sealed class Opening<TReader>(FollowerHost host, string kind, Func<IEnumerable<TReader>> running,
    Func<CancellationToken, Task<IReadOnlyList<string>>> listAsync, Func<string, TReader> create)
    where TReader : FollowerReader
{
    /// <summary>The readers of what this process runs.</summary>
    public IReadOnlyList<TReader> Running => [.. running()];

    /// <summary>Lists the names of what this process runs, and of what has files, in ordinal order.</summary>
    public async Task<IReadOnlyList<string>> ListAsync(CancellationToken cancellationToken)
    {
        host.ThrowIfClosed();
        var stored = await listAsync(cancellationToken).ConfigureAwait(false);
        return [.. Running.Select(static reader => reader.Name).Union(stored, StringComparer.Ordinal).Order(StringComparer.Ordinal)];
    }

    /// <summary>Finds the reader of a name.</summary>
    /// <exception cref="InvalidOperationException">This process runs none of that name, and none has files.</exception>
    public async Task<TReader> FindAsync(string name, CancellationToken cancellationToken)
    {
        if (Running.FirstOrDefault(reader => reader.Name == name) is { } found)
            return found;
        var names = await ListAsync(cancellationToken).ConfigureAwait(false);
        // A name that is not listed is no folder's name, so nothing is written for it.
        return names.Contains(name, StringComparer.Ordinal) ? create(name)
            : throw new InvalidOperationException($"The store in {host.StoreRoot} has no {kind} {NameRules.Quote(name)}. "
                + (names.Count == 0 ? "It has none." : $"It has: {string.Join(", ", names)}."));
    }
}
