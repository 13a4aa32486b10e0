using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.Maintenance;

namespace Opossum.DependencyInjection;

/// <summary>A folder that follows a hosted store.</summary>
internal sealed class HostedReplica(string path, ReplicaOptions options)
{
    // A replica looks at the store twice a second; one that hangs on a share says nothing.
    private static readonly TimeSpan silence = TimeSpan.FromMinutes(1);

    private static readonly TimeSpan retryInterval = TimeSpan.FromSeconds(10);

    // How long a start waits for a share that does not answer.
    private static readonly TimeSpan lookMax = TimeSpan.FromSeconds(10);

    private ReplicaReport? last;
    private Trouble? trouble;
    private long seenTicks;
    private long fullTicks;

    public string Path => path;

    /// <summary>The last step; null before the first one.</summary>
    public ReplicaReport? Last => Volatile.Read(ref last);

    /// <summary>Why it does not follow at the moment, or what it does not copy; null: it follows.</summary>
    public string? Problem => Volatile.Read(ref trouble)?.Problem;

    /// <summary>Whether it will not follow any more until the host is started again.</summary>
    public bool HasEnded => Volatile.Read(ref trouble) is { IsEnd: true };

    /// <summary>After which time without a look at the store something is wrong.</summary>
    public TimeSpan SilenceMax => options.PollInterval > TimeSpan.MaxValue - silence ? TimeSpan.MaxValue : silence + options.PollInterval;

    /// <summary>When the store was last seen by it, or when it began.</summary>
    public DateTimeOffset SeenAt => new(Interlocked.Read(ref seenTicks), TimeSpan.Zero);

    /// <summary>When it last had every event of the store, or when it began.</summary>
    public DateTimeOffset FullAt => new(Interlocked.Read(ref fullTicks), TimeSpan.Zero);

    /// <summary>Refuses a store in whose place the folder was promoted. A folder that cannot be reached says nothing.</summary>
    /// <exception cref="StoreMaintenanceException">The folder was promoted.</exception>
    public async Task CheckAsync(string store, TimeProvider clock, CancellationToken cancellationToken)
    {
        See(clock);
        NoteFull(clock);
        try
        {
            await Task.Run(() => StoreReplica.ThrowIfPromoted(store, path), cancellationToken).WaitAsync(lookMax, cancellationToken)
                .ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // The share hangs. The follower looks at the folder again.
        }
    }

    /// <summary>Follows the store until it is cancelled, or until it is certain that the folder cannot.</summary>
    public async Task FollowAsync(string store, ILogger logger, TimeProvider clock, CancellationToken cancellationToken)
    {
        var steps = new Reports<ReplicaReport>(report => Note(report, clock, store, logger));
        // A step that compares a large replica takes minutes, and reads the store all the while.
        var copying = new Reports<StoreProgress>(_ => See(clock));
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                await StoreReplica.FollowStepsAsync(store, path, options, steps, copying, cancellationToken).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            catch (Exception e)
            {
                var isEnd = e is not EventStoreException || e is StoreMaintenanceException { IsTransient: false };
                NoteTrouble(new Trouble(e.Message, isEnd), store, logger);
                if (isEnd)
                    return;
            }
            await Task.Delay(retryInterval, clock, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    public void Note(ReplicaReport report, TimeProvider clock, string store, ILogger logger)
    {
        if (report.Problem is { } problem)
        {
            NoteTrouble(new Trouble(problem, IsEnd: false), store, logger);
        }
        else
        {
            if (Last is null || Problem is not null)
                StoreLog.ReplicaFollows(logger, path, store, report.Head);
            Volatile.Write(ref trouble, null);
        }
        // A step that failed has the time of the one before.
        if (Problem is not null && report.At == Last?.At)
            return;
        See(clock);
        if (report.Head >= report.SourceHead)
            NoteFull(clock);
        Volatile.Write(ref last, report);
    }

    private void See(TimeProvider clock) => Interlocked.Exchange(ref seenTicks, clock.GetUtcNow().UtcTicks);

    private void NoteFull(TimeProvider clock) => Interlocked.Exchange(ref fullTicks, clock.GetUtcNow().UtcTicks);

    private void NoteTrouble(Trouble found, string store, ILogger logger)
    {
        if (trouble == found)
            return;
        Volatile.Write(ref trouble, found);
        if (found.IsEnd)
            StoreLog.ReplicaEnded(logger, path, store, found.Problem);
        else
            StoreLog.ReplicaWaits(logger, path, store, found.Problem);
    }

    // One value, which a health check on another thread reads.
    private sealed record Trouble(string Problem, bool IsEnd);

    private sealed class Reports<T>(Action<T> note) : IProgress<T>
    {
        public void Report(T value) => note(value);
    }
}
