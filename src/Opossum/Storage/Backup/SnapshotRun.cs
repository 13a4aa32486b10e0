using System.Globalization;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Failures;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Backup;

/// <summary>One run that makes a snapshot, and removes those that no rule keeps.</summary>
internal sealed class SnapshotRun(IFileSystem fileSystem, BackupSource source, string folder, TimeProvider clock,
    IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
{
    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    // The source was just opened, and its head is that of now.
    private readonly DateTimeOffset now = clock.GetUtcNow();
    private readonly SnapshotFolder snapshots = new(fileSystem, source.Layout.At(folder));

    public BackupReport Run(SnapshotOptions options)
    {
        FolderJudgement.ThrowIfNested(fileSystem, source.Root, snapshots.Staging);
        var root = new StoreFolder(fileSystem, source.Layout.At(folder), forReading: options.DryRun);
        var listed = fileSystem.GetKind(folder) == EntryKind.Missing ? null : List();
        BackupTarget.ThrowIfNoLocks(root);
        if (options.DryRun)
            return Plan(listed ?? [], options);
        root.Create();
        BackupTarget.ThrowIfNoLocks(root);
        root.FlushAbove();
        using var duty = StoreDuty.Take(root, Duty.Snapshots, lockTimeout);
        // Another process may have made a snapshot of another store meanwhile.
        List();
        var problems = snapshots.RemoveLeftovers(duty, cancellationToken);
        var report = Copy(options, duty, out var copying);
        var time = snapshots.FreeTime(now);
        snapshots.Publish(time, duty, cancellationToken);
        report = report with { Target = snapshots.PathOf(time), RemovalProblems = problems };
        return MaintenanceFailure.Guard(folder, $"{report.Target} was made, but no older snapshot was removed", "Run this again.", () =>
        {
            // Order matters: an older snapshot may be the last one until this one is durable and has all keys.
            snapshots.MakeDurable(time);
            copying.ThrowIfKeyProblem();
            return Thin(report, List(), time, options, snapshot => snapshots.Remove(snapshot, duty, cancellationToken));
        });
    }

    private IReadOnlyList<Snapshot> List()
    {
        if (fileSystem.GetKind(folder) == EntryKind.File || snapshots.IsStore)
        {
            throw new StoreMaintenanceException(folder, $"{folder} is a file, a store or a backup, and snapshots are "
                + "folders of their own. Choose another folder for them. Nothing was changed.");
        }
        var listed = snapshots.List();
        if (listed.FirstOrDefault(each => each.StoreId is { } id && id != source.StoreFile.Id) is { } other)
        {
            throw new StoreMaintenanceException(folder, $"{other.Path} is a snapshot of another store: it has the id "
                + $"{other.StoreId}, and the store in {source.Root} has {source.StoreFile.Id}. Choose another folder. Nothing was changed.");
        }
        if (listed.FirstOrDefault(each => each.Term > source.StoreFile.Term) is { } later)
            throw source.Superseded(later.Path, later.Term);
        return listed;
    }

    // From its beginning: what an interrupted run has copied may have been redacted since.
    private BackupReport Copy(SnapshotOptions options, StoreDuty duty, out BackupRun copying)
    {
        try
        {
            using var target = BackupTarget.Open(fileSystem, source, snapshots.Staging, clock, cancellationToken);
            copying = new BackupRun(source, target, progress, cancellationToken, duty);
            return copying.Run(new BackupOptions { IncludeKeys = options.IncludeKeys });
        }
        catch
        {
            // A disk that is full is not left full.
            TryRemoveStaging(duty);
            throw;
        }
    }

    private void TryRemoveStaging(StoreDuty duty)
    {
        try
        {
            snapshots.RemoveLeftovers(duty, CancellationToken.None);
        }
        catch (Exception e) when (e is FileSystemException or LockLostException)
        {
            // The next run removes it.
        }
    }

    private BackupReport Plan(IReadOnlyList<Snapshot> listed, SnapshotOptions options)
    {
        var time = snapshots.FreeTime(now);
        var plan = source.Plan(snapshots.PathOf(time), source.Head, (_, _) => cancellationToken.ThrowIfCancellationRequested());
        var report = plan with { SourceProblem = source.FindProblem() };
        return Thin(report, [.. listed, new Snapshot { Path = report.Target, Time = time }], time, options, static _ => { });
    }

    private BackupReport Thin(BackupReport report, IReadOnlyList<Snapshot> listed, DateTimeOffset made, SnapshotOptions options,
        Action<Snapshot> remove)
    {
        List<Snapshot> whole = [.. listed.Where(static each => each.Problem is null)];
        List<string> problems = [.. report.RemovalProblems, .. listed.Where(static each => each.Problem is not null).Select(static each =>
            $"{each.Path} {each.Problem}. It was neither counted nor removed: move it away, or delete it.")];
        // The snapshots of a former store are all alike, and the older ones may be all that there is.
        if (!KeepRules.AreSet(options) || report.SourceProblem is not null)
            return report with { RemovalProblems = problems };
        if (whole.FindAll(each => each.Head > report.Head) is { Count: > 0 } longer)
        {
            problems.AddRange(longer.Select(each => string.Create(CultureInfo.InvariantCulture,
                $"{each.Path} has events up to position {each.Head}, and the store in {source.Root} up to {report.Head}, so no snapshot is removed. "
                    + $"If the store was cut off or restored on purpose, move that snapshot away.")));
            return report with { RemovalProblems = problems };
        }
        List<string> removed = [];
        var unkept = KeepRules.FindUnkept([.. whole.Select(static each => each.Time).Order()], options);
        // Whatever the clock says, the one that was just made stays.
        unkept.Remove(made);
        foreach (var snapshot in whole.Where(each => unkept.Contains(each.Time)))
        {
            if (TryRemove(snapshot, remove, problems))
                removed.Add(snapshot.Path);
        }
        return report with { Removed = removed, RemovalProblems = problems };
    }

    private static bool TryRemove(Snapshot snapshot, Action<Snapshot> remove, List<string> problems)
    {
        try
        {
            remove(snapshot);
            return true;
        }
        catch (Exception e) when (e is FileSystemException or LockLostException)
        {
            problems.Add($"{snapshot.Path} was not removed: {e.Message} The next run tries again.");
            return false;
        }
    }
}
