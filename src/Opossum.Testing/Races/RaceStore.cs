using Opossum.Decisions;
using Opossum.Testing.Given;

namespace Opossum.Testing.Races;

/// <summary>The store that one decision of a race gets: each call waits until the run lets it go on, and is noted with its outcome.</summary>
internal sealed class RaceStore(RaceActor actor, RaceRun run, WindowStore inner) : IEventStore, IDecisionControl
{
    // Not with await, which would throw each conflict once more: most runs have some, and an exception costs more than an append.
    public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        var call = new RaceCall(actor.Index, RaceCallKind.Append) { Events = events, Condition = condition };
        return actor.EnterAsync(call).ContinueWith(_ => AppendNow(call, cancellationToken), CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default).Unwrap();
    }

    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default) =>
        new RaceStream(this, query, options, cancellationToken);

    public async Task<long> GetHeadAsync(CancellationToken cancellationToken = default)
    {
        var call = new RaceCall(actor.Index, RaceCallKind.ReadHead);
        await actor.EnterAsync(call).ConfigureAwait(false);
        return call.Head = await inner.GetHeadAsync(cancellationToken).ConfigureAwait(false);
    }

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
        inner.SubscribeAsync(query, after, cancellationToken);

    public async Task CheckAsync<TState>(DecisionProjection<TState> projection, CancellationToken cancellationToken)
    {
        run.Note(new RaceCall(actor.Index, RaceCallKind.Attempt));
        if (run.ChecksPurity)
            run.Impurity ??= await PurityCheck.FindAsync(inner, projection, run.Clock, cancellationToken).ConfigureAwait(false);
    }

    private Task<AppendResult> AppendNow(RaceCall call, CancellationToken cancellationToken)
    {
        try
        {
            var appending = inner.AppendAsync(call.Events!, call.Condition, cancellationToken);
            if (appending.IsCompletedSuccessfully)
                call.Appended = appending.Result;
            call.Conflict = appending.Exception?.InnerException as AppendConditionFailedException;
            call.Refusal = call.Conflict is null ? appending.Exception?.InnerException : null;
            return appending;
        }
        catch (Exception e)
        {
            call.Refusal = e;
            throw;
        }
    }

    // The read takes its view of the store when its first event is requested.
    private sealed class RaceStream(RaceStore store, Query query, ReadOptions? options, CancellationToken readToken) : EventStream
    {
        private EventStream? current;

        public override long Head => (current ?? store.Window.ReadAsync(query)).Head;

        public override async IAsyncEnumerator<SequencedEvent> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        {
            var call = new RaceCall(store.Actor.Index, RaceCallKind.Read) { Query = query };
            await store.Actor.EnterAsync(call).ConfigureAwait(false);
            var events = Begin(call).GetAsyncEnumerator(cancellationToken);
            await using (events.ConfigureAwait(false))
            {
                while (await MoveNextAsync(events, call).ConfigureAwait(false))
                    yield return events.Current;
            }
        }

        private EventStream Begin(RaceCall call)
        {
            try
            {
                return current = store.Window.ReadAsync(query, options, readToken);
            }
            catch (Exception e)
            {
                call.Refusal = e;
                throw;
            }
        }

        private async ValueTask<bool> MoveNextAsync(IAsyncEnumerator<SequencedEvent> events, RaceCall call)
        {
            try
            {
                var isThere = await events.MoveNextAsync().ConfigureAwait(false);
                call.Head = current!.Head;
                call.Returned += isThere ? 1 : 0;
                return isThere;
            }
            catch (Exception e)
            {
                call.Refusal = e;
                throw;
            }
        }
    }

    private RaceActor Actor => actor;

    private WindowStore Window => inner;
}
