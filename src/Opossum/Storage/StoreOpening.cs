using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>Opens a store's folder: judges what is there, creates what is missing, and brings index and event files together.</summary>
internal sealed class StoreOpening(IFileSystem fileSystem, string root, StoreSettings settings, ILogger logger)
{
    // So many packed copies are made again one by one at the most; if more are lost, the index is built anew.
    private const int LostCopiesMax = 10_000;

    private readonly StoreLayout layout = new(root);

    /// <exception cref="StoreOpenException">The folder cannot be a store, or cannot be written.</exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process kept the lock too long.</exception>
    public OpenStore Open()
    {
        try
        {
            return OpenFolder();
        }
        catch (FileSystemException e)
        {
            fileSystem.Dispose();
            throw new StoreOpenException(e.Path, $"The store in {root} cannot be opened. {e.Message} {Advice(e)}", e);
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
            storeLock.Verify();
            storeFile ??= CreateStore(storeLock, volume);
            index = new EventIndex(fileSystem, layout, volume, storeFile.Id, settings.TimeProvider);
            var eventFiles = new EventFiles(fileSystem, layout, volume);
            var recovery = new Recovery(fileSystem, layout, volume, index, eventFiles, settings, logger);
            BringTogether(index, eventFiles, recovery, storeLock, volume);
            StoreLog.Opened(logger, root, volume.Name, index.Head);
            return new OpenStore(fileSystem, layout, volume, storeLock, index, eventFiles, recovery);
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
            case EntryKind.Missing:
                CreateFolders(root);
                return null;
        }
        if (StoreFile.Read(fileSystem, layout) is { } storeFile)
            return storeFile;
        var foreign = fileSystem.List(root).Find(static name => !StoreLayout.IsOwnName(name) && !StoreLayout.IsHarmlessName(name));
        if (foreign is not null)
            throw new StoreOpenException(root, $"{root} is not a store: it holds \"{foreign}\" and no {StoreLayout.StoreFileName}. Choose a store's folder, an empty one, or one that is not there yet. Nothing was changed.");
        return null;
    }

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
        var created = new StoreFile(StoreLayout.Format, Guid.NewGuid(), settings.TimeProvider.GetUtcNow());
        created.Write(fileSystem, layout);
        StoreLog.Created(logger, root, volume.Name);
        return created;
    }

    private void BringTogether(EventIndex index, EventFiles eventFiles, Recovery recovery, StoreLock storeLock, Volume volume)
    {
        if (fileSystem.GetKind(layout.Events) == EntryKind.Folder
            && index.TryLoad() && IsSound(index, eventFiles) && index.CatchUp() == IndexState.Current && eventFiles.ListBehind(index.Head).Count == 0
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
        if (!index.TryLoad())
        {
            if (eventFiles.ListBehind(0).Count > 0)
                StoreLog.IndexNotUsable(logger, root, "is missing, or of another format or store");
            index.Create();
        }
        else if (!TryMend(index, eventFiles) || !AreStored(index, eventFiles, held.DurableUpTo ?? index.Head))
        {
            StoreLog.IndexNotUsable(logger, root, "does not fit the event files");
            index.Create();
        }
        recovery.Run();
    }

    // Somebody may have restored another Events folder: the first and the last event are held against their files.
    private static bool IsSound(EventIndex index, EventFiles eventFiles) =>
        index.Head == 0 || (Fits(index, eventFiles, 1) && Fits(index, eventFiles, index.Head));

    // A power cut may have taken the last packed copies, which are not flushed: they are made again, if those before them fit.
    private static bool TryMend(EventIndex index, EventFiles eventFiles)
    {
        var intact = index.Head;
        while (intact > 0 && index.Head - intact < LostCopiesMax && PackedEvents.FileChecksum(index.ReadPacked(intact), intact) is null)
            intact--;
        if (intact > 0 && !(Fits(index, eventFiles, 1) && Fits(index, eventFiles, intact)))
            return false;
        for (var position = intact + 1; position <= index.Head; position++)
        {
            if (eventFiles.Read(position, out _) is not { } stored || !index.TryMend(stored))
                return false;
        }
        return true;
    }

    // A power cut may have taken events that were appended without flushing, and left the index, which is not flushed either, naming them.
    private static bool AreStored(EventIndex index, EventFiles eventFiles, long durable)
    {
        for (var position = durable + 1; position <= index.Head; position++)
        {
            if (eventFiles.Read(position, out _) is not { } stored || PackedEvents.FileChecksum(index.ReadPacked(position), position) != stored.Checksum)
                return false;
        }
        return true;
    }

    private static bool Fits(EventIndex index, EventFiles eventFiles, long position) =>
        PackedEvents.FileChecksum(index.ReadPacked(position), position) is { } checksum && eventFiles.StatedChecksum(position) == checksum;

    private void CreateFolders(string path)
    {
        var parent = Path.GetDirectoryName(path);
        if (parent is not null && fileSystem.GetKind(parent) == EntryKind.Missing)
            CreateFolders(parent);
        fileSystem.CreateFolder(path);
        if (parent is not null)
            fileSystem.FlushFolder(parent);
    }

    private static string Advice(FileSystemException e) => e.Error switch
    {
        FileError.AccessDenied or FileError.ReadOnly => "Give this process the right to write there, or choose another path.",
        FileError.DiskFull => "Free some space.",
        FileError.NotAFolder => "A part of the path is a file; choose another path.",
        _ => "See whether the disk or the share can be reached.",
    };
}
