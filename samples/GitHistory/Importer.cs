using Opossum;

namespace GitHistory;

/// <summary>Imports commits into the store, each exactly once, however often and by however many processes the import is run.</summary>
internal sealed class Importer(IEventStore store)
{
    // Many commits in one append share one lock and one flush. The size of their tags limits how many fit.
    private const int BatchCommits = 500;
    private const int BatchPathCharacters = 1024 * 1024;

    /// <summary>Finds out which commits are not in the store yet, so that git has to be asked for those only.</summary>
    /// <param name="shas">The names of commits.</param>
    /// <param name="cancellationToken">Cancels the search.</param>
    /// <returns>The names of those that are missing, in the order given, and the number of the others.</returns>
    public async Task<(IReadOnlyList<string> Missing, int Present)> FindMissingAsync(IAsyncEnumerable<string> shas,
        CancellationToken cancellationToken)
    {
        var missing = new List<string>();
        var present = 0;
        await foreach (var batch in shas.Chunk(BatchCommits).WithCancellation(cancellationToken))
        {
            var (known, _) = await FindPresentAsync(CommitImported.BySha(batch), cancellationToken);
            missing.AddRange(batch.Where(sha => !known.Contains(sha)));
            present += known.Count;
        }
        return (missing, present);
    }

    /// <summary>Imports commits in the order given.</summary>
    /// <param name="commits">The commits, parents before children.</param>
    /// <param name="progress">Receives the number of commits processed.</param>
    /// <param name="cancellationToken">Cancels the import; what has been appended stays, and the next import continues after it.</param>
    /// <returns>The number of commits added, and the number already in the store.</returns>
    public async Task<(int Added, int Present)> ImportAsync(IAsyncEnumerable<CommitImported> commits, Action<int> progress,
        CancellationToken cancellationToken)
    {
        var (added, present) = (0, 0);
        var batch = new List<CommitImported>();
        var characters = 0;
        await foreach (var commit in commits.WithCancellation(cancellationToken))
        {
            batch.Add(commit);
            characters += commit.Changes.Sum(change => change.Path.Length + (change.OldPath?.Length ?? 0));
            if (batch.Count >= BatchCommits || characters >= BatchPathCharacters)
                await ImportBatchAsync();
        }
        if (batch.Count > 0)
            await ImportBatchAsync();
        return (added, present);

        async Task ImportBatchAsync()
        {
            var addedOfBatch = await AppendMissingAsync(batch, cancellationToken);
            added += addedOfBatch;
            present += batch.Count - addedOfBatch;
            progress(added + present);
            batch.Clear();
            characters = 0;
        }
    }

    // Reads which of the commits are in the store and appends the others, on the condition that none of them has been added since the read.
    // If one has, the whole batch is refused: read again, and append what is still missing.
    private async Task<int> AppendMissingAsync(List<CommitImported> batch, CancellationToken cancellationToken)
    {
        var query = CommitImported.BySha(batch.Select(commit => commit.Sha));
        while (true)
        {
            var (present, head) = await FindPresentAsync(query, cancellationToken);
            var missing = batch.Where(commit => !present.Contains(commit.Sha)).Select(commit => new NewEvent(commit)).ToArray();
            if (missing.Length == 0)
                return 0;
            try
            {
                await store.AppendAsync(missing, new AppendCondition(query, After: head), cancellationToken);
                return missing.Length;
            }
            catch (AppendConditionFailedException)
            {
                // Another import came first; it may have added some or all of them.
            }
        }
    }

    private async Task<(HashSet<string> Shas, long Head)> FindPresentAsync(Query query, CancellationToken cancellationToken)
    {
        var shas = new HashSet<string>();
        var stream = store.ReadAsync(query, cancellationToken: cancellationToken);
        await foreach (var e in stream)
            shas.Add(e.Tags.First(tag => tag.Key == "sha").Value);
        return (shas, stream.Head);
    }
}
