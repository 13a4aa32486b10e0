using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.Following;

namespace Opossum.DependencyInjection;

/// <summary>One opening of a hosted store, until the store is opened again or the host stops. It closes when its last use ends.</summary>
/// <param name="runner">Its projections; null if there are none.</param>
/// <param name="head">The store's head at the host's first opening.</param>
/// <param name="onClosed">Called when it is closed.</param>
internal sealed class HostedOpening(FileSystemEventStore store, FollowerRunner? runner, ILogger logger, long head,
    Action<HostedOpening> onClosed) : IAsyncDisposable
{
    private readonly CancellationTokenSource replaced = new();
    private readonly Lock gate = new();
    private int uses;
    private bool isReplaced;

    public FileSystemEventStore Store => store;

    public FollowerRunner? Runner => runner;

    /// <summary>Its reactions; null if there are none, or before they start.</summary>
    public FollowerRunner? Reactions { get; private set; }

    /// <summary>The store's head at the host's first opening.</summary>
    public long Head => head;

    /// <summary>Cancelled when another opening has replaced this one.</summary>
    public CancellationToken Replaced => replaced.Token;

    /// <summary>Keeps the store open until <see cref="EndUse"/>; false: another opening has replaced this one and must be used instead.</summary>
    public bool TryUse()
    {
        lock (gate)
        {
            if (!isReplaced)
                uses++;
            return !isReplaced;
        }
    }

    public void EndUse()
    {
        lock (gate)
        {
            if (--uses > 0 || !isReplaced)
                return;
        }
        _ = DisposeAsync().AsTask();
    }

    /// <summary>
    /// Starts its reactions. One that starts at the head for the first time handles what was appended since the host's first opening.
    /// </summary>
    public void StartReactions(IReadOnlyList<Reaction> reactions, ReactionOptions options, IServiceScopeFactory scopes) =>
        Reactions = store.RunReactions(reactions, options, Head, scopes);

    /// <summary>Stops its reactions, and waits until their handlers have returned.</summary>
    public ValueTask StopReactionsAsync() => Reactions?.StopAsync() ?? ValueTask.CompletedTask;

    /// <summary>
    /// Retires this opening after another has replaced it: stops what runs on it and wakes its subscribers; reads in progress run to their end.
    /// </summary>
    public async Task RetireAsync()
    {
        if (runner is not null)
            await runner.StopAsync().ConfigureAwait(false);
        await replaced.CancelAsync().ConfigureAwait(false);
        await StopReactionsAsync().ConfigureAwait(false);
        lock (gate)
        {
            isReplaced = true;
            if (uses > 0)
                return;
        }
        await DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Closes a store that another opening has replaced. A failed flush is logged, as its fault was.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await store.EndAsync().ConfigureAwait(false);
        }
        catch (EventStoreException e)
        {
            StoreLog.NotClosed(logger, e);
        }
        onClosed(this);
    }
}
