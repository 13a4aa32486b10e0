using System.Globalization;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;

namespace Opossum.DependencyInjection;

/// <summary>Reopens a store that accepts no more appends: a bounded number of times, after pauses that double and are randomised.</summary>
internal sealed class StoreReopener(OpossumOptions options, ILogger logger)
{
    public const int MaxAttempts = 10;

    private static readonly TimeSpan delay = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan maxDelay = TimeSpan.FromMinutes(1);

    // A store that works for this long has recovered. A store that fails sooner keeps its count, or a bad disk would be retried forever.
    private static readonly TimeSpan calm = TimeSpan.FromMinutes(10);

    private readonly TimeProvider clock = options.TimeProvider;
    private volatile HostedReopening state = new();
    private int attempts;
    private long openedAt = options.TimeProvider.GetTimestamp();

    public HostedReopening State => state;

    /// <summary>Opens the store again, next to the faulted one.</summary>
    /// <param name="faulted">The store that accepts no more appends.</param>
    /// <param name="begin">Takes the store that was opened into use, or closes it and throws, which counts as an attempt that failed.</param>
    /// <param name="cancellationToken">Cancelled when the host stops.</param>
    /// <returns>False: all attempts failed, or another attempt cannot help.</returns>
    public async Task<bool> ReopenAsync(FileSystemEventStore faulted, Func<FileSystemEventStore, Task> begin, CancellationToken cancellationToken)
    {
        if (clock.GetElapsedTime(openedAt) >= calm)
            attempts = 0;
        state = new HostedReopening(state.Count, faulted.FindTrouble()?.Message ?? state.LastFault);
        while (attempts < MaxAttempts)
        {
            var pause = Backoff.Vary(Backoff.After(++attempts, delay, maxDelay));
            await Task.Delay(pause, clock, cancellationToken).ConfigureAwait(false);
            try
            {
                if (await TryOpenAsync(faulted, cancellationToken).ConfigureAwait(false) is not { } opened)
                    break;
                await begin(opened).ConfigureAwait(false);
                Note();
                return true;
            }
            // Also what the app's own master key throws.
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
            {
                state = state with { Attempts = state.Attempts + 1, Problem = e.Message };
                StoreLog.NotReopened(logger, options.Path, attempts, MaxAttempts, e);
            }
        }
        state = state with { IsGivenUp = true };
        StoreLog.ReopeningGivenUp(logger, options.Path, state.Problem
            ?? string.Create(CultureInfo.InvariantCulture,
                $"It faulted {MaxAttempts} times without working for {calm.TotalMinutes:F0} minutes in between."));
        return false;
    }

    /// <summary>What is in the place of a store that was open before, in words; null: the same store with all of its events.</summary>
    public static string? FindChange(FileSystemEventStore opened, string path, Guid? id, long head)
    {
        if (opened.Id == id && opened.KnownHead >= head)
            return null;
        var found = opened.Id == id ? $"ends with position {opened.KnownHead}, but had reached {head} before" : "contains another store";
        return $"{path} {found}. Find out what happened to the folder, and start the app again.";
    }

    private void Note()
    {
        openedAt = clock.GetTimestamp();
        state = new HostedReopening(state.Count + 1, state.LastFault);
        StoreLog.Reopened(logger, options.Path, state.LastFault ?? "");
    }

    // Null: the folder no longer contains the store that was open. A person replaced it, and confirms the change by restarting the host.
    private async Task<FileSystemEventStore?> TryOpenAsync(FileSystemEventStore faulted, CancellationToken cancellationToken)
    {
        var opened = await FileSystemEventStore.ReopenAsync(options, cancellationToken).ConfigureAwait(false);
        if (FindChange(opened, options.Path, faulted.Id, faulted.KnownHead) is not { } change)
            return opened;
        state = state with { Problem = change };
        await opened.DisposeAsync().ConfigureAwait(false);
        return null;
    }
}
