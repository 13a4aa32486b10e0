namespace Opossum.Testing.Races;

/// <summary>
/// Shows the end of a store as an empty store of its own: the events after a position, numbered from 1. So thousands of runs share one opened
/// store, and each starts without events.
/// </summary>
internal sealed class WindowStore(FileSystemEventStore inner, long start) : IEventStore
{
    public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<AppendResult>(cancellationToken);
        // It is complete; an exception is thrown once, by the caller's await.
        var appending = inner.AppendOnThisThread(events, condition is null ? null : condition with { After = ToInner(condition.After ?? 0) });
        return appending switch
        {
            { IsCompletedSuccessfully: true, Result: var appended } =>
                Task.FromResult(new AppendResult
                {
                    FirstPosition = appended.FirstPosition - start,
                    LastPosition = appended.LastPosition - start,
                }),
            { Exception.InnerException: AppendConditionFailedException conflict } =>
                Task.FromException<AppendResult>(new AppendConditionFailedException(condition!, conflict.ConflictingPosition - start,
                    conflict.Head - start)),
            _ => appending,
        };
    }

    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= ReadOptions.Default;
        var window = options with { After = ToInner(options.After), UpTo = options.UpTo is { } upTo ? ToInner(upTo) : null };
        return new WindowStream(inner.ReadAsync(query, window, cancellationToken), start);
    }

    public async Task<long> GetHeadAsync(CancellationToken cancellationToken = default) =>
        await inner.GetHeadAsync(cancellationToken).ConfigureAwait(false) - start;

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException("A decision in a race cannot subscribe. Test subscribers with "
            + $"{nameof(Scenario)}.{nameof(Scenario.Subscribe)}.");

    private long ToInner(long position) => Math.Min(position, long.MaxValue - start) + start;

    private sealed class WindowStream(EventStream inner, long start) : EventStream
    {
        public override long Head => inner.Head - start;

        public override async IAsyncEnumerator<SequencedEvent> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        {
            await foreach (var e in inner.WithCancellation(cancellationToken).ConfigureAwait(false))
                yield return e.At(e.Position - start);
        }
    }
}
