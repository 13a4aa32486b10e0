using Opossum;

namespace GitHistory;

/// <summary>Opens a store of one repository's history, and refuses other stores before anything is changed.</summary>
internal static class HistoryStore
{
    /// <summary>Opens the store for appending, and creates it in a missing or empty folder.</summary>
    /// <param name="folder">The store's folder.</param>
    /// <param name="repository">The repository that is to be imported.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ForeignStoreException">The store holds other events, or the history of another repository.</exception>
    public static async Task<FileSystemEventStore> OpenAsync(string folder, GitRepository repository, CancellationToken cancellationToken)
    {
        if (Directory.Exists(folder) && Directory.EnumerateFileSystemEntries(folder).Any())
        {
            await using var store = await OpenForReadingAsync(folder, cancellationToken);
            await ThrowIfOfAnotherAsync(store, folder, repository, cancellationToken);
        }
        return await FileSystemEventStore.OpenAsync(Options(folder, readOnly: false), cancellationToken);
    }

    /// <summary>Opens the store for reading.</summary>
    /// <exception cref="ForeignStoreException">The store holds other events.</exception>
    public static async Task<FileSystemEventStore> OpenForReadingAsync(string folder, CancellationToken cancellationToken)
    {
        var store = await FileSystemEventStore.OpenAsync(Options(folder, readOnly: true), cancellationToken);
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken);
        var stranger = status.EventTypes.Select(type => type.EventType).FirstOrDefault(type => type != CommitImported.TypeName);
        if (stranger is null)
            return store;
        await store.DisposeAsync();
        throw new ForeignStoreException(
            $"The store in {folder} is not a history of commits: it holds events of the type \"{stranger}\". Name another folder with --store.");
    }

    // After a rebase the last imported commit may be gone, and a shallow clone does not have the first: one of them is enough.
    private static async Task ThrowIfOfAnotherAsync(FileSystemEventStore store, string folder, GitRepository repository,
        CancellationToken cancellationToken)
    {
        var ends = new List<CommitImported>();
        foreach (var backwards in (bool[])[false, true])
        {
            var options = new ReadOptions { Backwards = backwards, Limit = 1 };
            await foreach (var e in store.ReadAsync(Query.All, options, cancellationToken))
                ends.Add((CommitImported)e.Data!);
        }
        foreach (var commit in ends)
        {
            if (await repository.HoldsAsync(commit.Sha, cancellationToken))
                return;
        }
        if (ends is [var first, ..])
        {
            throw new ForeignStoreException($"The store in {folder} holds the history of another repository: {repository.Folder} has no commit "
                + $"{first.Sha}, with which that history begins. Name another folder with --store.");
        }
    }

    private static OpossumOptions Options(string folder, bool readOnly)
    {
        // A commit of a hundred thousand files is more than the 10 MiB that an event may have by default.
        var options = new OpossumOptions { Path = folder, ReadOnly = readOnly, Advanced = { MaxPayloadBytes = 128 * 1024 * 1024 } };
        options.EventTypes.Add<CommitImported>();
        return options;
    }
}
