using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Failures;
using Opossum.Storage.Replicas;

namespace Opossum.Maintenance;

/// <summary>Keeps a second folder that follows a store, so that it can take the store's place.</summary>
/// <remarks>
/// <para>
/// A replica has every durable event of the store shortly after it was appended, and is the beginning of the
/// store's history at each moment, whatever
/// ends in the middle. It opens for reading only, until it is promoted. The store's lock is not taken, and appends do not wait.
/// </para>
/// <para>docs/follow.md explains what follows, what a promotion can lose, and what nobody can prevent.</para>
/// </remarks>
public static class StoreReplica
{
    // A session is opened again at most so often in one call, in case the store changes each time.
    private const int SessionsMax = 5;

    private static readonly TimeSpan pauseMax = TimeSpan.FromSeconds(10);

    /// <summary>Brings a replica up to date once, and creates it if the folder is missing or empty.</summary>
    /// <param name="path">The store's folder. Its events are only read.</param>
    /// <param name="replica">
    /// The replica's folder: missing, empty, a backup or a replica of the store, or a former store that a replica
    /// replaced.
    /// </param>
    /// <param name="options">The options. Null, the default: all defaults.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Stops between two steps. What is copied stays, and the next call continues from there.</param>
    /// <exception cref="StoreMaintenanceException">The folder cannot follow the store, or a file operation failed.</exception>
    /// <exception cref="StoreOpenException">The path is not a store, or cannot be read.</exception>
    /// <exception cref="StoreDamagedException">An event file of the store is missing or bad. The replica ends before it.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process writes to the replica.</exception>
    public static Task<ReplicaReport> UpdateAsync(string path, string replica, ReplicaOptions? options = null,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        var (from, to) = Check(path, replica, options);
        return Task.Run(() => RealFileSystem.Use(fileSystem =>
            Update(fileSystem, from, to, options ?? new ReplicaOptions(), TimeProvider.System, progress,
                cancellationToken)), cancellationToken);
    }

    /// <summary>Follows a store until it is cancelled, or until the replica or another folder was promoted.</summary>
    /// <remarks>
    /// What fails for a while, such as a disk that is full or not mounted, is reported in <see
    /// cref="ReplicaReport.Problem"/> and tried again; only the
    /// first step throws it.
    /// </remarks>
    /// <inheritdoc cref="UpdateAsync"/>
    /// <param name="path">The store's folder. Its events are only read.</param>
    /// <param name="replica">The replica's folder.</param>
    /// <param name="options">The options. Null, the default: all defaults.</param>
    /// <param name="progress">
    /// Receives each step, one for each look at the store. What it throws ends the following, of which nothing would be heard any more.
    /// </param>
    /// <param name="cancellationToken">Ends the following.</param>
    public static Task FollowAsync(string path, string replica, ReplicaOptions? options = null, IProgress<ReplicaReport>? progress = null,
        CancellationToken cancellationToken = default) => FollowStepsAsync(path, replica, options, progress, null, cancellationToken);

    /// <summary>The same, with the progress within a step: one that compares a large replica takes minutes.</summary>
    internal static async Task FollowStepsAsync(string path, string replica, ReplicaOptions? options, IProgress<ReplicaReport>? progress,
        IProgress<StoreProgress>? copying, CancellationToken cancellationToken)
    {
        var (from, to) = Check(path, replica, options);
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        // Not on the pool: its threads spin after each step, which an idle process would pay twice a second.
        BackgroundThread.Start(() =>
        {
            try
            {
                Follow(from, to, options ?? new ReplicaOptions(), progress, copying, cancellationToken);
            }
            catch (Exception e)
            {
                ended.SetException(e);
            }
        }, "Opossum replica");
        await ended.Task.ConfigureAwait(false);
    }

    /// <summary>What a folder says about being a replica or a former store. It is not opened, locked or changed.</summary>
    /// <param name="path">The folder.</param>
    /// <param name="cancellationToken">Keeps it from beginning.</param>
    /// <returns>Null: it is neither, or no store is there.</returns>
    /// <exception cref="StoreOpenException">store.json is not the file of a store, or has a newer format.</exception>
    /// <exception cref="StoreMaintenanceException">A file cannot be read.</exception>
    public static Task<ReplicaStatus?> FindStatusAsync(string path, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        StoreLayout layout = StoreBackup.FullPath(path);
        return Task.Run(() => RealFileSystem.Use(fileSystem => MaintenanceFailure.Guard(layout.Root, $"What {layout.Root} is cannot be read",
            "Nothing was changed.", () => FolderTerm.Read(fileSystem, layout).Status)), cancellationToken);
    }

    /// <summary>Makes a replica the store: from now on it is opened for appends, and the former store no longer counts.</summary>
    /// <param name="replica">The replica's folder.</param>
    /// <param name="dryRun">Whether to write nothing, and only report what would be done. Default: false.</param>
    /// <param name="cancellationToken">Keeps it from beginning.</param>
    /// <remarks>
    /// End whatever still appends to the former store first: nobody can tell a process about it that sees only the
    /// former folder. A process that follows
    /// from the former store into this folder stops, and so do appends there once it has noticed.
    /// </remarks>
    /// <exception cref="StoreMaintenanceException">
    /// The folder is no replica, or what it follows knows of a later term, or a file operation failed.
    /// </exception>
    /// <exception cref="StoreOpenException">The folder is not a store.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process writes to the replica.</exception>
    public static Task<PromotionReport> PromoteAsync(string replica, bool dryRun = false, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(replica);
        var path = StoreBackup.FullPath(replica);
        return Task.Run(
            () => RealFileSystem.Use(fileSystem => Promote(fileSystem, path, TimeProvider.System, dryRun)), cancellationToken);
    }

    internal static PromotionReport Promote(IFileSystem fileSystem, StoreLayout layout, TimeProvider clock, bool dryRun = false) =>
        MaintenanceFailure.Guard(layout.Root, $"{layout.Root} was not completed",
            dryRun ? "Nothing was changed." : "Promote it again: what was begun is completed.",
            () => new Promotion(fileSystem, layout, clock, dryRun).Run());

    /// <summary>Refuses a store in whose place a replica was promoted. A folder that cannot be read says nothing.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="replica">The replica's folder.</param>
    /// <exception cref="StoreMaintenanceException">It was promoted. Nothing is appended to the store any more.</exception>
    internal static void ThrowIfPromoted(string path, string replica)
    {
        var (from, to) = Check(path, replica, options: null);
        using var fileSystem = RealFileSystem.Create();
        // It names what only the former store has, and marks that.
        if (FolderTerm.TryRead(fileSystem, from) is { StoreFile: { } ours } && FolderTerm.TryRead(fileSystem, to, ours.Id)?.Newest > ours.Term)
            Update(fileSystem, from, to, new ReplicaOptions(), TimeProvider.System);
    }

    internal static ReplicaReport Update(IFileSystem fileSystem, StoreLayout layout, string replica, ReplicaOptions options, TimeProvider clock,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        var careful = CarefulProgress.Of(progress, NullLogger.Instance);
        const string Next = "The next run continues from what was copied.";
        return MaintenanceFailure.Guard(replica, $"{replica} was not completed", Next, () =>
        {
            for (var sessions = 1; ; sessions++)
            {
                using var session = ReplicaSession.Open(fileSystem, layout, replica, options, clock, careful, cancellationToken);
                if (session.TryStep(isLast: true) is { } report)
                    return report.Problem is not { } problem ? report : throw new StoreMaintenanceException(replica, problem);
                if (sessions == SessionsMax)
                {
                    throw new StoreMaintenanceException(replica,
                        $"{replica} was not brought up to date: the store in {layout.Root} changed each time. Run this again.",
                        isTransient: true);
                }
            }
        });
    }

    private static void Follow(string from, string to, ReplicaOptions options, IProgress<ReplicaReport>? progress,
        IProgress<StoreProgress>? copying, CancellationToken cancellationToken)
    {
        using var fileSystem = RealFileSystem.Create();
        using var follower = new ReplicaFollower(fileSystem, from, to, options, TimeProvider.System, copying, cancellationToken);
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (follower.Step() is { } report)
                progress?.Report(report);
            if (follower.HasMore)
                continue;
            var pause = follower.Failures == 0 ? options.PollInterval : Backoff.After(follower.Failures, options.PollInterval, pauseMax);
            cancellationToken.WaitHandle.WaitOne((int)Math.Min(Math.Ceiling(pause.TotalMilliseconds), int.MaxValue));
        }
    }

    private static (string From, string To) Check(string path, string replica, ReplicaOptions? options)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentException.ThrowIfNullOrWhiteSpace(replica);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(options?.PollInterval ?? TimeSpan.MaxValue, TimeSpan.Zero, nameof(options));
        return (StoreBackup.FullPath(path), StoreBackup.FullPath(replica));
    }
}
