using System.Runtime.CompilerServices;

namespace Opossum.Tests.Contract;

/// <summary>A store that forwards each call to another one and makes one mistake: what a test sets replaces what is done.</summary>
internal sealed class WrongStore(IEventStore inner) : ForwardingStore(inner), IAsyncDisposable
{
    private readonly IEventStore inner = inner;
    private readonly HashSet<Guid> own = [];
    private int appending;

    public IEventStore Inner => inner;

    /// <summary>Whether this opening has appended an event, by its id.</summary>
    public bool HasAppended(Guid id)
    {
        lock (own)
            return own.Contains(id);
    }

    /// <summary>The last position that this opening knows of: what it found at its first read, and what it has appended.</summary>
    public long Known { get; private set; } = -1;

    /// <summary>How many reads have ended.</summary>
    public int ReadsEnded { get; private set; }

    /// <summary>Whether another append of this opening is being made.</summary>
    public bool IsAppending => Volatile.Read(ref appending) > 1;

    public Func<WrongStore, IReadOnlyList<NewEvent>, AppendCondition?, CancellationToken,
        Task<AppendResult>>? Append
    { get; init; }

    public Func<NewEvent, NewEvent>? Change { get; init; }

    public Func<Query, Query>? Query { get; init; }

    public Func<ReadOptions, ReadOptions>? Options { get; init; }

    public bool IgnoresTokens { get; init; }

    /// <summary>Which events a read gives, of those that it should.</summary>
    public Func<WrongStore, Query, ReadOptions, IAsyncEnumerable<SequencedEvent>,
        IAsyncEnumerable<SequencedEvent>>? Give
    { get; init; }

    /// <summary>The head of a read, from the true one and the position of the last event that it has given.</summary>
    public Func<Func<long>, long, long>? HeadOfRead { get; init; }

    public Func<long, long>? Head { get; init; }

    public bool TakesNegativePositions { get; init; }

    public Func<WrongStore, Query, long, CancellationToken, IAsyncEnumerable<SequencedEvent>>? Subscribe { get; init; }

    public override async Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events,
        AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        if (Change is not null)
            events = [.. events.Select(Change)];
        lock (own)
            own.UnionWith(events.Select(static e => e.Id));
        Interlocked.Increment(ref appending);
        try
        {
            var result = await (Append is null ? inner.AppendAsync(events, condition, cancellationToken)
                : Append(this, events, condition, cancellationToken));
            Known = Math.Max(Known, result.LastPosition);
            return result;
        }
        finally
        {
            Interlocked.Decrement(ref appending);
        }
    }

    public override EventStream ReadAsync(Query query, ReadOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new ReadOptions();
        return new Stream(this, query, options,
            inner.ReadAsync(Query?.Invoke(query) ?? query, Options?.Invoke(options) ?? options,
            IgnoresTokens ? default : cancellationToken));
    }

    public override async Task<long> GetHeadAsync(CancellationToken cancellationToken = default)
    {
        var head = await inner.GetHeadAsync(cancellationToken);
        return Head?.Invoke(head) ?? head;
    }

    public override IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0,
        CancellationToken cancellationToken = default)
    {
        // Refuses what no store takes.
        var right = inner.SubscribeAsync(query, TakesNegativePositions ? Math.Max(0, after) : after, cancellationToken);
        return Subscribe?.Invoke(this, query, after, cancellationToken) ?? right;
    }

    public ValueTask DisposeAsync() => inner is IAsyncDisposable disposable ? disposable.DisposeAsync() : default;

    private async IAsyncEnumerable<SequencedEvent> GiveAsync(Query query, ReadOptions options, EventStream stream,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        if (Known < 0)
            Known = await inner.GetHeadAsync(cancellationToken);
        var given = Give?.Invoke(this, query, options, stream) ?? stream;
        await foreach (var e in given.WithCancellation(cancellationToken))
            yield return e;
        ReadsEnded++;
    }

    private sealed class Stream(WrongStore store, Query query, ReadOptions options, EventStream inner) : EventStream
    {
        private long last;

        public override long Head => store.HeadOfRead is null ? inner.Head : store.HeadOfRead(() => inner.Head, last);

        public override async IAsyncEnumerator<SequencedEvent> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        {
            await foreach (var e in store.GiveAsync(query, options, inner, store.IgnoresTokens ? default
                : cancellationToken))
            {
                last = e.Position;
                yield return e;
            }
        }
    }
}
