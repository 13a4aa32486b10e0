using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;

namespace Opossum.DependencyInjection;

/// <summary>Opens a store again that takes no appends any more: a bounded number of times, after pauses that double and are never quite the same.</summary>
/// <param name="options">The store's options.</param>
/// <param name="logger">Where is logged to.</param>
internal sealed class StoreReopener(OpossumOptions options, ILogger logger)
{
    public const int MaxAttempts = 10;

    private static readonly TimeSpan delay = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan maxDelay = TimeSpan.FromMinutes(1);

    // A store that works for so long has got over what was wrong. One that fails sooner goes on counting, or a bad disk would be tried for ever.
    private static readonly TimeSpan calm = TimeSpan.FromMinutes(10);

    private readonly TimeProvider clock = options.TimeProvider;
    private readonly Random jitter = new();
    private volatile HostedReopening state = new();
    private int attempts;
    private long openedAt = options.TimeProvider.GetTimestamp();

    public HostedReopening State => state;

    /// <summary>Opens the store again.</summary>
    /// <param name="faulted">The store as it is open.</param>
    /// <param name="cancellationToken">Ends the pauses.</param>
    /// <returns>The store, opened beside the faulted one; null: it was tried often enough, or trying does not help.</returns>
    public async Task<FileSystemEventStore?> ReopenAsync(FileSystemEventStore faulted, CancellationToken cancellationToken)
    {
        if (clock.GetElapsedTime(openedAt) >= calm)
            attempts = 0;
        state = new HostedReopening(state.Count, faulted.FindTrouble()?.Message ?? state.LastFault);
        while (attempts < MaxAttempts)
        {
            var pause = Math.Min(delay.TotalSeconds * Math.Pow(2, attempts++), maxDelay.TotalSeconds);
            await Task.Delay(TimeSpan.FromSeconds(pause * (0.75 + (jitter.NextDouble() / 2))), clock, cancellationToken).ConfigureAwait(false);
            try
            {
                if (await TryOpenAsync(faulted, cancellationToken).ConfigureAwait(false) is { } opened)
                    return opened;
                break;
            }
            catch (EventStoreException e)
            {
                state = state with { Attempts = state.Attempts + 1, Problem = e.Message };
                StoreLog.NotReopened(logger, options.Path, attempts, MaxAttempts, e);
            }
        }
        state = state with { IsGivenUp = true };
        StoreLog.ReopeningGivenUp(logger, options.Path, state.Problem ?? $"It became faulty {MaxAttempts} times without working for {calm.TotalMinutes:F0} minutes in between.");
        return null;
    }

    /// <summary>The store that was opened is in use.</summary>
    public void Note()
    {
        openedAt = clock.GetTimestamp();
        state = new HostedReopening(state.Count + 1, state.LastFault);
        StoreLog.Reopened(logger, options.Path, state.LastFault ?? "");
    }

    // Null: what lies there now is not what was open. Somebody has put it there, and has to say what is meant by starting the host again.
    private async Task<FileSystemEventStore?> TryOpenAsync(FileSystemEventStore faulted, CancellationToken cancellationToken)
    {
        var opened = await FileSystemEventStore.ReopenAsync(options, cancellationToken).ConfigureAwait(false);
        if (opened.Id == faulted.Id && opened.KnownHead >= faulted.KnownHead)
            return opened;
        var found = opened.Id == faulted.Id ? $"ends with position {opened.KnownHead}, and {faulted.KnownHead} was reached before" : "holds another store";
        state = state with { Problem = $"{options.Path} {found}. Look at what happened to the folder, and start the app again." };
        await opened.DisposeAsync().ConfigureAwait(false);
        return null;
    }
}
