using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;

namespace Opossum.DependencyInjection;

/// <summary>A hosted store from when it is opened until it is opened again or the host stops. Closed when nobody uses it any more.</summary>
/// <param name="store">The store.</param>
/// <param name="runner">Its projections; null if there are none.</param>
/// <param name="logger">Where is logged to.</param>
internal sealed class HostedOpening(FileSystemEventStore store, ProjectionRunner? runner, ILogger logger) : IAsyncDisposable
{
    private readonly CancellationTokenSource replaced = new();
    private readonly Lock gate = new();
    private int uses;
    private bool isReplaced;

    public FileSystemEventStore Store => store;

    public ProjectionRunner? Runner => runner;

    /// <summary>Cancelled when another opening has taken its place.</summary>
    public CancellationToken Replaced => replaced.Token;

    /// <summary>Keeps the store open until <see cref="EndUse"/>; false: another opening has taken its place, and is to be used.</summary>
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

    /// <summary>Another opening has taken its place: ends its projections and wakes its subscribers; reads that have begun come to their end.</summary>
    public async Task RetireAsync()
    {
        if (runner is not null)
            await runner.DisposeAsync().ConfigureAwait(false);
        await replaced.CancelAsync().ConfigureAwait(false);
        lock (gate)
        {
            isReplaced = true;
            if (uses > 0)
                return;
        }
        await DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Closes a store whose place another opening has taken. What it cannot flush any more is logged, as its fault was.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await store.DisposeAsync().ConfigureAwait(false);
        }
        catch (EventStoreException e)
        {
            StoreLog.NotClosed(logger, e);
        }
    }
}
