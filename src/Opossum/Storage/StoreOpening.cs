using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>Opens a store's folder: judges what is there, creates what is missing, and brings index and event files together.</summary>
internal sealed class StoreOpening(IFileSystem fileSystem, string root, StoreSettings settings, ILogger logger)
{
    private readonly StoreLayout layout = new(root);

    /// <exception cref="StoreOpenException">The folder cannot be a store, or cannot be written.</exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process kept the lock too long.</exception>
    public OpenStore Open()
    {
        try
        {
            return settings.ReadOnly ? new ReadOnlyOpening(fileSystem, root, settings, logger).Open() : OpenFolder();
        }
        catch (Exception e) when (e is FileSystemException or FlushFailedException)
        {
            fileSystem.Dispose();
            var cause = e as FileSystemException ?? ((FlushFailedException)e).Cause;
            throw new StoreOpenException(cause.Path, $"The store in {root} cannot be opened. {cause.Message} {Advice(cause)}", e, isTransient: cause.Error == FileError.InUse);
        }
        catch (LockLostException e)
        {
            fileSystem.Dispose();
            throw new StoreOpenException(layout.LockFile, $"The store in {root} was not opened. {e.Message} Open it again.", e, isTransient: true);
        }
        catch
        {
            fileSystem.Dispose();
            throw;
        }
    }

    private OpenStore OpenFolder()
    {
        var storeFile = JudgeFolder();
        var volume = JudgeVolume();
        var storeLock = new StoreLock(fileSystem, layout.LockFile, volume, settings.TimeProvider);
        EventIndex? index = null;
        try
        {
            if (!storeLock.Verify())
                StoreLog.LocksStayHere(logger, root, volume.Name);
            if (!volume.IsNetwork || storeFile is null)
                fileSystem.DenyReadingWithoutWriting(layout.LockFile);
            storeFile ??= CreateStore(storeLock, volume);
            // Whoever made what is there may have ended before he flushed its name.
            if (!volume.FileFlushCoversName)
                fileSystem.FlushFolder(root);
            index = new EventIndex(fileSystem, layout, volume, storeFile.Id, settings.TimeProvider);
            var eventFiles = new EventFiles(fileSystem, layout, volume) { TakesUnknown = storeFile.IsOfNewerMinor };
            var recovery = new Recovery(fileSystem, layout, volume, index, eventFiles, new Quarantine(fileSystem, layout, settings.TimeProvider), settings, logger);
            BringTogether(index, eventFiles, recovery, storeLock, volume);
            StoreLog.Opened(logger, root, volume.Name, index.Head);
            var creator = new EventFileCreator(fileSystem, layout, volume, eventFiles);
            return new OpenStore(fileSystem, layout, volume, index, eventFiles, storeLock, new Committer(storeLock, index, eventFiles, creator, recovery, volume, settings, logger));
        }
        catch
        {
            index?.Dispose();
            storeLock.Dispose();
            throw;
        }
    }

    // Null: there is no store yet, and the folder may become one.
    private StoreFile? JudgeFolder()
    {
        switch (fileSystem.GetKind(root))
        {
            case EntryKind.File:
                throw new StoreOpenException(root, $"{root} is a file, but a store is a folder. Choose another path.");
            case EntryKind.Missing when !settings.Create:
                throw NoStore("is not there");
            case EntryKind.Missing:
                CreateFolders(root);
                return null;
        }
        StoreFolders.ThrowIfLinked(fileSystem, layout);
        if (StoreFile.Read(fileSystem, layout) is { } storeFile)
            return storeFile;
        if (!settings.Create && fileSystem.GetKind(layout.Events) != EntryKind.Folder)
            throw NoStore("is not a store");
        if (StoreLayout.FindForeignName(fileSystem.List(root)) is { } foreign)
            throw new StoreOpenException(root, $"{root} is not a store: it holds \"{foreign}\" and no {StoreLayout.StoreFileName}. Choose a store's folder, an empty one, or one that is not there yet. Nothing was changed.");
        return null;
    }

    private StoreOpenException NoStore(string what) =>
        new(root, $"{root} {what}, and {nameof(OpossumOptions)}.{nameof(OpossumOptions.CreateIfMissing)} is false. Choose the folder of a store. Nothing was changed.");

    private Volume JudgeVolume()
    {
        var volume = fileSystem.GetVolume(root);
        if (volume.LockRefusal is { } refusal)
            throw new StoreOpenException(root, $"The store in {root} cannot be opened safely. {refusal}");
        if (volume.IsNetwork && !settings.Flush)
            throw new StoreOpenException(root, $"{root} lies on a network file system ({volume.Name}), where {nameof(OpossumOptions)}.{nameof(OpossumOptions.FlushEventsImmediately)} = false is not possible: no machine can flush what another has not written yet. Set it to true.");
        return volume;
    }

    private StoreFile CreateStore(StoreLock storeLock, Volume volume)
    {
        using var held = storeLock.Acquire(settings.LockTimeout);
        // Somebody else may have created the store while the lock was waited for.
        if (StoreFile.Read(fileSystem, layout) is { } present)
            return present;
        if (fileSystem.GetKind(layout.Events) == EntryKind.Missing)
        {
            fileSystem.CreateFolder(layout.Events);
            fileSystem.SpreadSubfolders(layout.Events);
        }
        // Order matters: whoever finds the store's file believes that the folders above it are durable.
        if (!volume.FileFlushCoversName)
            FlushFoldersAbove(root);
        var created = new StoreFile(StoreLayout.Format, Guid.NewGuid(), settings.TimeProvider.GetUtcNow());
        if (!created.TryWrite(fileSystem, layout))
            return StoreFile.Read(fileSystem, layout)!;
        StoreLog.Created(logger, root, volume.Name);
        return created;
    }

    private void BringTogether(EventIndex index, EventFiles eventFiles, Recovery recovery, StoreLock storeLock, Volume volume)
    {
        var judgement = new IndexJudgement(index, eventFiles, layout);
        if (fileSystem.GetKind(layout.Events) == EntryKind.Folder
            && index.TryLoad() && judgement.IsSound() && index.CatchUp() == IndexState.Current && eventFiles.ListBehind(index.Head).Count == 0
            && (volume.IsNetwork || storeLock.ReadDurableUpTo() is null))
        {
            return;
        }
        using var held = storeLock.Acquire(settings.LockTimeout);
        // Under the lock nobody appends: what does not fit now does not fit.
        if (fileSystem.GetKind(layout.Events) == EntryKind.Missing)
        {
            fileSystem.CreateFolder(layout.Events);
            fileSystem.FlushFolder(root);
        }
        if (!index.TryLoad(underLock: true))
        {
            if (eventFiles.ListBehind(0).Count > 0)
                StoreLog.IndexNotUsable(logger, root, "is missing, or of another format or store");
            index.Create();
        }
        else if (!judgement.IsOfTheseEvents(held.DurableUpTo ?? index.Head, out var lostCopies) || !TryMend(index, eventFiles, lostCopies))
        {
            // Order matters: from an index that was replaced no damaged event file can be restored any more.
            recovery.ThrowIfDamaged();
            StoreLog.IndexNotUsable(logger, root, "does not fit the event files");
            index.Create();
        }
        recovery.Run(held);
    }

    // Writes again the packed copies that were lost; false when one cannot be made of its event file.
    private static bool TryMend(EventIndex index, EventFiles eventFiles, List<long> lostCopies) =>
        lostCopies.TrueForAll(position => eventFiles.Read(position, out _) is { } stored && index.TryMend(stored));

    private void CreateFolders(string path)
    {
        var parent = FilePath.FolderOf(path);
        if (parent is not null && fileSystem.GetKind(parent) == EntryKind.Missing)
            CreateFolders(parent);
        fileSystem.CreateFolder(path);
        if (parent is not null)
            fileSystem.FlushFolder(parent);
    }

    private void FlushFoldersAbove(string path)
    {
        for (var parent = FilePath.FolderOf(path); parent is not null; parent = FilePath.FolderOf(parent))
        {
            try
            {
                fileSystem.FlushFolder(parent);
            }
            catch (FileSystemException e) when (e.Error == FileError.AccessDenied)
            {
                // What this user may not open he has not made.
                return;
            }
        }
    }

    private string Advice(FileSystemException e) => e.Error switch
    {
        FileError.AccessDenied when settings.ReadOnly => "Give this process the right to read there.",
        FileError.AccessDenied or FileError.ReadOnly => $"Give this process the right to write there, or choose another path. To read alone, set {nameof(OpossumOptions)}.{nameof(OpossumOptions.ReadOnly)}.",
        FileError.IsALink => "Put what it leads to in its place.",
        FileError.NotARegularFile => "Move it away.",
        FileError.InUse => $"{FileSystemException.InUseAdvice} Then open it again.",
        FileError.DiskFull => "Free some space.",
        FileError.NotAFolder => "A part of the path is a file; choose another path.",
        FileError.Moved => "Open it again.",
        _ => "See whether the disk or the share can be reached.",
    };
}
