using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Personal;
using Opossum.Reactions.Files;
using Opossum.Storage.Definitions;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Backup;

/// <summary>One run of a restore. The folder becomes a store at its last step.</summary>
internal sealed class RestoreRun(IFileSystem fileSystem, BackupSource source, string target, TimeProvider clock,
    IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
{
    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    private readonly StoreFolder folder = new(fileSystem, source.Layout.At(target));
    private readonly StoreFolder staged = new(fileSystem,
        new StoreLayout(target, source.Layout.ShardPositions, StoreLayout.EventsFolderStagingName));
    private long earlierLeftOut;
    private StoreLock.Held? held;

    private string Staging => staged.Layout.Events;

    public BackupReport Run(RestoreOptions options)
    {
        FolderJudgement.ThrowIfNested(fileSystem, source.Root, target);
        var last = FindLast(options, out var leftOut);
        var keys = new KeyCopies(fileSystem, source.Layout, folder.Layout, cancellationToken);
        if (options.DryRun)
            return Plan(last, keys) with { LeftOut = leftOut, EarlierLeftOut = earlierLeftOut };
        // Before the lock, whose file would be made in a folder that is refused.
        TakeFolder();
        using var storeLock = new StoreLock(folder, clock);
        using var taken = storeLock.Acquire(lockTimeout, cancellationToken: cancellationToken);
        held = taken;
        TakeFolder();
        ThrowIfOtherKeys(keys);
        var storeFile = source.StoreFile.WithNewRevision();
        if (options.NewId)
            storeFile = storeFile with { Id = Guid.NewGuid() };
        var copied = Copy(last);
        // Again: an app may have made keys there meanwhile.
        ThrowIfOtherKeys(keys);
        // Order matters: after a crash, keys without the note could pass for those of the next store restored there.
        keys.CopyNote();
        var keysCopied = keys.Copy(onlyMarks: !keys.HasKeys, replaces: false);
        TagRuleFiles.Settle(fileSystem, folder.Layout, source.Rules);
        SchemaFiles.Copy(fileSystem, source.Layout, folder.Layout);
        // Order matters: once the folder is a store, an app would begin its reactions as if they were new.
        CopyMark.WriteAll(fileSystem, source.Layout.Reactions, folder.Layout.Reactions, last);
        // Every event is read, which takes long, before the folder begins to become a store.
        var keysProblem = keys.FindProblem() ?? keys.Problem ?? KeysOfCopy.FindProblem(staged, folder.Layout.Keys, last, cancellationToken);
        // Order matters: without the file, an app that opens the folder would make another store of the events.
        storeFile.Stage(fileSystem, folder.Layout);
        fileSystem.MoveFolder(Staging, folder.Layout.Events, ThrowIfStopped);
        Finish(last);
        return new BackupReport
        {
            Target = target,
            StoreId = storeFile.Id,
            Head = last,
            NotDurable = source.NotDurableAfter(last),
            IsLockDenied = source.IsLockDenied,
            Copied = last,
            Mended = 0,
            Bytes = copied,
            HasKeys = keys.HasKeys,
            KeysCopied = keys.HasKeys ? keysCopied : null,
            LeftOut = leftOut,
            KeysProblem = keysProblem,
            EarlierLeftOut = earlierLeftOut,
        };
    }

    private BackupReport Plan(long last, KeyCopies keys)
    {
        if (fileSystem.GetKind(target) != EntryKind.Missing)
        {
            TakeFolder();
            ThrowIfOtherKeys(keys);
        }
        return source.Plan(target, last, Proceed) with { KeysProblem = FindProblem(keys, last) };
    }

    // Nothing was copied yet. What two folders of keys have together is not judged.
    private string? FindProblem(KeyCopies keys, long last)
    {
        var events = new StoreFolder(fileSystem, source.Layout, forReading: true);
        if (!keys.HasKeys)
            return keys.FindProblem() ?? KeysOfCopy.FindProblem(events, folder.Layout.Keys, last, cancellationToken);
        return fileSystem.GetKind(folder.Layout.Keys) == EntryKind.Missing
            ? KeysOfCopy.FindProblem(events, source.Layout.Keys, last, cancellationToken)
            : null;
    }

    // The last position to restore, and the append that is left out because the restore was to end inside it.
    private long FindLast(RestoreOptions options, out CommitRange? leftOut)
    {
        var upTo = Math.Min(options.UpTo ?? source.Head, source.Head);
        var last = source.EndOfAppend(upTo);
        leftOut = last < upTo ? source.Read(upTo).Commit : null;
        if (options.UpToTime is not { } time)
            return last;
        long? end = null;
        foreach (var (position, reading) in source.EventFiles.Batches.ReadRange(1, last, source.EventFiles.Read))
        {
            var isLater = (reading.Stored ?? source.Read(position)).TimestampTicks > time.UtcTicks;
            if (isLater && end is null)
                (end, leftOut) = (source.EndOfAppend(position - 1), null);
            else if (!isLater && end is not null)
                earlierLeftOut++;
        }
        return end ?? last;
    }

    // Takes a folder that is missing or empty, or that an interrupted restore left.
    private void TakeFolder()
    {
        switch (fileSystem.GetKind(target))
        {
            case EntryKind.File:
                throw new StoreMaintenanceException(target, $"{target} is a file, but a store is a folder. Choose another path.");
            case EntryKind.Missing:
                folder.Create();
                return;
        }
        var names = fileSystem.List(target).FindAll(static name => !StoreLayout.IsHarmlessName(name));
        if (names.Find(name => !IsOfRestore(name)) is { } foreign)
            throw NotEmpty(foreign);
    }

    // Events without the staged file are those of a store.
    private bool IsOfRestore(string name) =>
        name is StoreLayout.EventsFolderStagingName or StoreLayout.StoreFileStagingName or StoreLayout.LockFileName or StoreLayout.RulesFolderName
            or StoreLayout.SchemasFolderName or StoreLayout.KeysFolderName or StoreLayout.PersonalFileName or StoreLayout.PersonalFileStagingName
        || (name == StoreLayout.EventsFolderName && StoreFile.ReadStaged(fileSystem, folder.Layout) is not null)
        || (name == StoreLayout.ReactionsFolderName && CopyMark.AreAll(fileSystem, folder.Layout.Reactions));

    // Keys that are there already are kept: those of the lost store, or what an interrupted restore has copied.
    private void ThrowIfOtherKeys(KeyCopies keys)
    {
        if (ReadStoreKey(folder.Layout) is { } theirs && !KeyFile.IsUnfinished(theirs)
            && (keys.HasKeys ? !theirs.AsSpan().SequenceEqual(ReadStoreKey(source.Layout)) : keys.AreOfAnother))
        {
            throw new StoreMaintenanceException(FilePath.Join(folder.Layout.Keys, KeyFolder.StoreKeyName),
                $"{folder.Layout.Keys} has keys of another store, or under another master key, than the backup. Move that folder away, and "
                + "restore again. Nothing in it was changed.");
        }
    }

    private byte[]? ReadStoreKey(StoreLayout layout) =>
        SmallFile.Read(fileSystem, FilePath.Join(layout.Keys, KeyFolder.StoreKeyName), KeyFile.LengthMax);

    private StoreMaintenanceException NotEmpty(string name) => new(target,
        $"{target} is not empty: it holds \"{name}\". Restore into an empty folder, or a path that does not exist. Nothing was changed.");

    private long Copy(long last)
    {
        var bytes = 0L;
        folder.FlushAbove();
        fileSystem.RemoveFolder(Staging);
        if (folder.HasEvents)
        {
            // Order matters: durably none before the first of them goes, or an app would take the rest for all.
            fileSystem.MoveFolder(folder.Layout.Events, Staging);
            fileSystem.FlushFolder(target);
            fileSystem.RemoveFolder(Staging);
        }
        // Nothing of another store whose restore was interrupted stays; what this store has is copied again.
        if (StoreKeyMark.Read(fileSystem, source.Layout) is null)
            fileSystem.Delete(folder.Layout.PersonalFile);
        fileSystem.RemoveFolder(folder.Layout.Schemas);
        fileSystem.RemoveFolder(folder.Layout.Reactions);
        fileSystem.CreateFolder(Staging);
        fileSystem.SpreadSubfolders(Staging);
        var (layout, copies) = (staged.Layout, new EventFileCopies(source.EventFiles, staged));
        for (var first = 1L; first <= last;)
        {
            var next = Math.Min(layout.ShardOf(first) + layout.ShardPositions, last + 1);
            var before = first - 1;
            bytes += copies.Copy([.. Enumerable.Range(0, (int)(next - first)).Select(each => before + 1 + each)],
                copied => Proceed(before + copied, last));
            first = next;
        }
        progress.Report(StoreOperation.Restore, last, last);
        return bytes;
    }

    private void Proceed(long done, long last)
    {
        ThrowIfStopped();
        progress.Report(StoreOperation.Restore, done, last);
    }

    private void ThrowIfStopped()
    {
        cancellationToken.ThrowIfCancellationRequested();
        held?.ThrowIfLost();
    }

    private void Finish(long last)
    {
        fileSystem.FlushFolder(target);
        // On a share the flush of a file makes the names of its folders durable.
        if (last > 0 && folder.Volume.IsNetwork)
        {
            using var files = new EventFiles(folder);
            files.Flush(last, last);
        }
        StoreFile.TakeStaged(fileSystem, folder.Layout);
    }
}
