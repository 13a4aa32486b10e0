using Opossum;

namespace GitHistory;

/// <summary>Brings commits into the store, each once, however often and by however many processes the import is run.</summary>
internal sealed class Importer(IEventStore store)
{
    // Many commits in one append share one lock and one flush. What it may hold at most is bounded by the size of their tags.
    private const int BatchCommits = 500;
    private const int BatchPathCharacters = 1024 * 1024;

    /// <summary>Imports commits in the order given.</summary>
    /// <param name="commits">The commits, parents before children.</param>
    /// <param name="progress">Hears how many commits have been dealt with.</param>
    /// <param name="cancellationToken">Ends the import; what has been appended stays, and the next import goes on behind it.</param>
    /// <returns>How many were added, and how many were there before.</returns>
    public async Task<(int Added, int Present)> ImportAsync(IAsyncEnumerable<CommitImported> commits, Action<int> progress, CancellationToken cancellationToken)
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

    // Read which of the commits are there, append the others, on the condition that nobody has added one of them since the read.
    // When somebody has, the whole batch is refused: read again, and append what is missing now.
    private async Task<int> AppendMissingAsync(List<CommitImported> batch, CancellationToken cancellationToken)
    {
        var query = CommitImported.BySha(batch.Select(commit => commit.Sha));
        while (true)
        {
            var present = new HashSet<string>();
            var stream = store.ReadAsync(query, cancellationToken: cancellationToken);
            await foreach (var e in stream)
                present.Add(e.Tags.First(tag => tag.Key == "sha").Value);

            var missing = batch.Where(commit => !present.Contains(commit.Sha)).Select(commit => new NewEvent(commit)).ToArray();
            if (missing.Length == 0)
                return 0;
            try
            {
                await store.AppendAsync(missing, new AppendCondition(query, After: stream.Head), cancellationToken);
                return missing.Length;
            }
            catch (AppendConditionFailedException)
            {
                // Another import was faster; it may have added some of them or all.
            }
        }
    }
}
