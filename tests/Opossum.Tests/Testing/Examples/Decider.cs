using Opossum.Testing;

namespace Opossum.TestingTests.Examples;

/// <summary>A decision, and the ways in which right and wrong code carries it out.</summary>
internal sealed class Decider<TState>(DecisionProjection<TState> projection, Func<TState, IReadOnlyList<NewEvent>> decide)
{
    // The right ways.

    public Task ExecuteAsync(IEventStore store) => store.ExecuteDecisionAsync(projection, decide);

    public Task ExecuteAsynchronouslyAsync(IEventStore store) => store.ExecuteDecisionAsync(projection, async (state, _) =>
    {
        await Task.Yield();
        return decide(state);
    });

    public async Task OnceAsync(IEventStore store)
    {
        var (state, condition) = await store.BuildDecisionModelAsync(projection);
        await AppendAsync(store, decide(state), condition);
    }

    public async Task LoopAsync(IEventStore store)
    {
        while (true)
        {
            var (state, condition) = await store.BuildDecisionModelAsync(projection);
            try
            {
                await AppendAsync(store, decide(state), condition);
                return;
            }
            catch (AppendConditionFailedException)
            {
                await Task.Yield();
            }
        }
    }

    public async Task MailAfterwardsAsync(IEventStore store, SideEffects effects)
    {
        var result = await store.ExecuteDecisionAsync(projection, decide);
        if (result.Appended is not null)
            effects.Record("mail");
    }

    // The wrong ways.

    /// <summary>The head is read after the state: an event in between is neither in the state nor refused.</summary>
    public async Task HeadReadLaterAsync(IEventStore store)
    {
        var (state, condition) = await store.BuildDecisionModelAsync(projection);
        await AppendAsync(store, decide(state), condition with { After = await store.GetHeadAsync() });
    }

    /// <summary>The condition is that of a second model, whose state nobody looks at.</summary>
    public async Task ConditionOfASecondReadAsync(IEventStore store)
    {
        var (state, _) = await store.BuildDecisionModelAsync(projection);
        var (_, condition) = await store.BuildDecisionModelAsync(projection);
        await AppendAsync(store, decide(state), condition);
    }

    /// <summary>After a conflict the condition is renewed, and the old decision is kept.</summary>
    public async Task OldDecisionAgainAsync(IEventStore store)
    {
        var (state, condition) = await store.BuildDecisionModelAsync(projection);
        var events = decide(state);
        try
        {
            await AppendAsync(store, events, condition);
        }
        catch (AppendConditionFailedException)
        {
            await AppendAsync(store, events, condition with { After = await store.GetHeadAsync() });
        }
    }

    public async Task WithoutConditionAsync(IEventStore store)
    {
        var (state, _) = await store.BuildDecisionModelAsync(projection);
        await AppendAsync(store, decide(state), null);
    }

    /// <summary>The condition looks for something else than what was read.</summary>
    public async Task WithConditionAsync(IEventStore store, Query query)
    {
        var (state, condition) = await store.BuildDecisionModelAsync(projection);
        await AppendAsync(store, decide(state), condition with { FailIfEventsMatch = query });
    }

    public Task MailInTheDecisionAsync(IEventStore store, SideEffects effects) => store.ExecuteDecisionAsync(projection, state =>
    {
        var events = decide(state);
        if (events.Count > 0)
            effects.Record("mail");
        return events;
    });

    public async Task MailBeforeTheAppendAsync(IEventStore store, SideEffects effects)
    {
        var (state, condition) = await store.BuildDecisionModelAsync(projection);
        var events = decide(state);
        if (events.Count > 0)
            effects.Record("mail");
        await AppendAsync(store, events, condition);
    }

    private static Task AppendAsync(IEventStore store, IReadOnlyList<NewEvent> events, AppendCondition? condition) =>
        events.Count == 0 ? Task.CompletedTask : store.AppendAsync(events, condition);
}
