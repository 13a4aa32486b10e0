using Opossum.FileSystem;
using Opossum.Storage.Failures;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Backup;

/// <summary>The folder of a backup: under its own lock, and known to belong to the store.</summary>
internal sealed class BackupTarget : IDisposable
{
    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    private static readonly RunSettings runs = new() { InBackground = false };

    private readonly StoreLock? storeLock;
    private StoreLock.Held? held;

    private BackupTarget(StoreFolder folder, StoreLock? storeLock)
    {
        Folder = folder;
        EventFiles = new EventFiles(folder);
        this.storeLock = storeLock;
    }

    public StoreFolder Folder { get; }

    public EventFiles EventFiles { get; }

    /// <summary>The lock, while it is held.</summary>
    public StoreLock.Held Held => held!.Value;

    /// <summary>Opens the folder, and holds its lock until this is disposed.</summary>
    /// <param name="cancellationToken">Ends the wait for the lock.</param>
    /// <param name="prepare">
    /// Called under the lock before anything else is written; throws to refuse the folder. Null: a folder that is a replica or was opened as a
    /// store is refused, and one that has a later term.
    /// </param>
    /// <exception cref="StoreMaintenanceException">It cannot be a backup of the store.</exception>
    public static BackupTarget Open(IFileSystem fileSystem, BackupSource source, string target, TimeProvider clock,
        CancellationToken cancellationToken, Action<BackupTarget>? prepare = null)
    {
        ThrowIfUnfit(fileSystem, source, target);
        var folder = new StoreFolder(fileSystem, source.Layout.At(target)) { Runs = runs };
        ThrowIfNoLocks(folder);
        if (fileSystem.GetKind(target) == EntryKind.Missing)
        {
            folder.Create();
            ThrowIfNoLocks(folder);
        }
        ThrowIfOther(folder, source);
        var storeLock = new StoreLock(folder, clock);
        var backup = new BackupTarget(folder, storeLock);
        try
        {
            storeLock.Verify();
            backup.Hold(cancellationToken);
            if (prepare is null)
                ThrowIfNoBackup(backup, source);
            else
                prepare(backup);
            backup.Begin(source);
            return backup;
        }
        catch
        {
            backup.Dispose();
            throw;
        }
    }

    /// <summary>The same for a dry run: what would be refused is, and nothing is made, locked or written. Null: there is no folder yet.</summary>
    /// <exception cref="StoreMaintenanceException">It cannot be a backup of the store.</exception>
    public static BackupTarget? Look(IFileSystem fileSystem, BackupSource source, string target)
    {
        ThrowIfUnfit(fileSystem, source, target);
        var folder = new StoreFolder(fileSystem, source.Layout.At(target), forReading: true);
        ThrowIfNoLocks(folder);
        if (fileSystem.GetKind(target) == EntryKind.Missing)
            return null;
        ThrowIfOther(folder, source);
        var backup = new BackupTarget(folder, storeLock: null);
        ThrowIfNoBackup(backup, source);
        return backup;
    }

    /// <exception cref="StoreMaintenanceException">Locks do not work in the folder.</exception>
    public static void ThrowIfNoLocks(StoreFolder folder)
    {
        if (folder.VolumeToBe?.LockRefusal is { } refusal)
        {
            throw new StoreMaintenanceException(folder.Root, $"{folder.Root} cannot be a backup's folder, because two backups could write there at "
                + $"the same time. {refusal} Or back up to another folder, and copy that.");
        }
    }

    /// <summary>Takes the lock again after <see cref="Release"/>.</summary>
    /// <exception cref="StoreLockTimeoutException">It was not free in time.</exception>
    public void Hold(CancellationToken cancellationToken) => held = storeLock!.Acquire(lockTimeout, cancellationToken: cancellationToken);

    /// <summary>Gives the lock to others for a while.</summary>
    public void Release()
    {
        held?.Dispose();
        held = null;
    }

    /// <exception cref="LockLostException">Another machine has taken the lock of the target.</exception>
    public void ThrowIfLost() => held?.ThrowIfLost();

    public void Dispose()
    {
        Release();
        EventFiles.Dispose();
        storeLock?.Dispose();
    }

    private static void ThrowIfUnfit(IFileSystem fileSystem, BackupSource source, string target)
    {
        FolderJudgement.ThrowIfNested(fileSystem, source.Root, target);
        if (fileSystem.GetKind(target) == EntryKind.File)
            throw new StoreMaintenanceException(target, $"{target} is a file, but a backup is a folder. Choose another path.");
    }

    /// <summary>
    /// Notes the term of the store, once the history here is known to be the store's: a store that is restored from here is in that term.
    /// </summary>
    public void TakeTerm(StoreFile source)
    {
        if (Folder.Read() is { } ours && ours.Term < source.Term)
            (ours with { Term = source.Term }).Replace(Folder.FileSystem, Folder.Layout);
    }

    /// <summary>
    /// Notes the revision of the store, once every event here is as it is there: what follows this folder compares every event then too.
    /// </summary>
    public void TakeRevision(StoreFile source)
    {
        if (Folder.Read() is { } ours && ours.Revision != source.Revision)
            (ours with { Revision = source.Revision }).Replace(Folder.FileSystem, Folder.Layout);
    }

    private static void ThrowIfNoBackup(BackupTarget target, BackupSource source)
    {
        if (target.Folder.FindReplica() is { } replica)
        {
            throw new StoreMaintenanceException(target.Folder.Root,
                $"{target.Folder.Root} is no backup: it follows {replica.Source}. Back up to another folder. Nothing was changed.");
        }
        if (target.Folder.Read() is { } theirs && theirs.Term > source.StoreFile.Term)
            throw source.Superseded(target.Folder.Root, theirs.Term);
        // An app may have it open, and what is redacted in the store would stay in its index and its lines.
        if (!target.Folder.IsBackup)
        {
            throw new StoreMaintenanceException(target.Folder.Root, $"{target.Folder.Root} was opened as a store, and is no backup any more: "
                + "an app may use it. Back up to another folder. Nothing was changed.");
        }
    }

    private void Begin(BackupSource source)
    {
        var fileSystem = Folder.FileSystem;
        // The id before any event, or an interrupted first backup would not tell whose it is.
        if (ThrowIfOther(Folder, source) is null)
        {
            Folder.FlushAbove();
            Folder.TryWrite(source.StoreFile);
        }
        if (!Folder.HasEvents)
        {
            fileSystem.CreateFolder(Folder.Layout.Events);
            fileSystem.SpreadSubfolders(Folder.Layout.Events);
        }
        // Also when both existed: the run that created them may have ended before flushing them.
        DurableFile.TryFlush(fileSystem, Folder.Layout.StoreFile);
        fileSystem.FlushFolder(Folder.Root);
    }

    // Null: it is empty, or was begun by a run that ended before it had written the id, or is a replica of the store that has lost it.
    private static StoreFile? ThrowIfOther(StoreFolder folder, BackupSource source)
    {
        var root = folder.Root;
        var storeFile = folder.Read();
        if (storeFile is null)
        {
            var foreign = StoreLayout.FindForeignName(folder.FileSystem.List(root)) ?? (folder.HasEvents ? StoreLayout.EventsFolderName : null);
            if (foreign is not null && !IsReplica())
            {
                throw new StoreMaintenanceException(root, $"{root} is not empty and is not a backup: it holds \"{foreign}\" and no "
                    + $"{StoreLayout.StoreFileName}. Choose an empty folder, a backup of this store, or a path that does not exist. Nothing was "
                    + "changed.");
            }
        }
        else if (storeFile.Id != source.StoreFile.Id)
        {
            throw new StoreMaintenanceException(root,
                $"{root} is a backup of another store: it has the id {storeFile.Id}, and the store in {source.Root} "
                + $"has {source.StoreFile.Id}. Choose another folder. Nothing was changed.");
        }
        return storeFile;

        // Where the index is lost too, the events decide.
        bool IsReplica() => folder.FindReplica() is not null
            && (IndexHeader.FindStoreId(folder.FileSystem, folder.Layout) ?? source.StoreFile.Id) == source.StoreFile.Id;
    }
}
