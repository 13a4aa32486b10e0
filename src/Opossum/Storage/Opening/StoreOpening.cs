using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Definitions;
using Opossum.Storage.Failures;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Opening;

/// <summary>Opens a store's folder: examines it, creates what is missing, and brings the index in line with the event files.</summary>
internal sealed class StoreOpening(IFileSystem fileSystem, StoreLayout layout, StoreSettings settings, ILogger logger)
{
    private readonly string root = layout.Root;
    private readonly StoreFolder folder = new(fileSystem, layout)
    {
        Runs = settings.Runs,
        FilesBehind = settings.FilesBehind,
        SlowReads = new SlowReads(settings.TimeProvider),
    };

    /// <exception cref="StoreOpenException">The folder cannot be a store, or cannot be written.</exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process kept the lock too long.</exception>
    public OpenStore Open()
    {
        try
        {
            return settings.ReadOnly ? new ReadOnlyOpening(fileSystem, layout, settings, logger).Open() : OpenFolder();
        }
        catch (Exception e) when (e is FileSystemException or DiskStateUnknownException)
        {
            fileSystem.Dispose();
            var cause = e as FileSystemException ?? ((DiskStateUnknownException)e).Cause;
            throw new StoreOpenException(cause.Path, $"The store in {root} cannot be opened. {cause.Message} {Advice(cause)}", e,
                isTransient: cause.Error == FileError.InUse);
        }
        catch (LockLostException e)
        {
            fileSystem.Dispose();
            throw new StoreOpenException(folder.Layout.LockFile, $"The store in {root} was not opened. {e.Message} Open it again.", e,
                isTransient: true);
        }
        catch
        {
            fileSystem.Dispose();
            throw;
        }
    }

    private OpenStore OpenFolder()
    {
        var isThere = IsThere();
        ThrowIfUnsafe(folder.Volume);
        folder.ThrowIfReplica();
        var volume = folder.Volume;
        var storeLock = new StoreLock(folder, settings.TimeProvider);
        EventIndex? index = null;
        RunBuilder? runs = null;
        EventFiles? eventFiles = null;
        try
        {
            if (!storeLock.Verify())
                StoreLog.LocksStayHere(logger, root, volume.Name);
            var isNew = !isThere && TryCreate(storeLock);
            index = new EventIndex(folder, settings.TimeProvider, isFollower: false, logger);
            runs = new RunBuilder(index, folder, logger);
            eventFiles = new EventFiles(folder);
            var quarantine = new Quarantine(folder, settings.TimeProvider);
            var files = new FilesBehind(folder, index, eventFiles, settings);
            var recovery = new Recovery(folder, index, runs, eventFiles, files, quarantine, settings, logger);
            BringTogether(index, eventFiles, files, recovery, storeLock);
            if (index.Head == 0)
                FlushNames();
            StoreLog.Opened(logger, root, volume.Name, index.Head);
            if (fileSystem.GetKind(folder.Layout.RedactionFile) != EntryKind.Missing)
                StoreLog.RedactionUnfinished(logger, root);
            var hasOtherRules = !TagRuleFiles.Read(fileSystem, folder.Layout).IsSameAs(index.Published.Rules);
            if (hasOtherRules && volume.CachesIgnoreLocks)
                StoreLog.RulesNotTakenIn(logger, root, TagRuleFiles.FindProblem(folder, index.Published.Rules) ?? "");
            runs.Start();
            return new OpenStore(folder, index, eventFiles, new WritingParts(folder, storeLock, index, files, recovery, runs))
            {
                IsNew = isNew,
                HasOtherRules = hasOtherRules && !volume.CachesIgnoreLocks,
            };
        }
        catch
        {
            runs?.Dispose();
            index?.Dispose();
            eventFiles?.Dispose();
            storeLock.Dispose();
            throw;
        }
    }

    // False: there is no store yet, and the folder may become one.
    private bool IsThere()
    {
        switch (fileSystem.GetKind(root))
        {
            case EntryKind.File:
                throw new StoreOpenException(root, $"{root} is a file, but a store is a folder. Choose another path.");
            case EntryKind.Missing when !settings.Create:
                throw NoStore("is not there");
            case EntryKind.Missing:
                if (folder.VolumeToBe is { } volume)
                    ThrowIfUnsafe(volume);
                folder.Create();
                return false;
        }
        if (folder.Read() is not null)
            return true;
        if (!settings.Create && !folder.HasEvents)
            throw NoStore("is not a store");
        if (StoreLayout.FindForeignName(fileSystem.List(root)) is { } foreign)
        {
            throw new StoreOpenException(root,
                $"{root} is not a store: it holds \"{foreign}\" and no {StoreLayout.StoreFileName}. Choose a store's folder, an empty folder, or "
                    + "one that does not exist yet. Nothing was changed.");
        }
        if (folder.HasEvents && fileSystem.List(folder.Layout.Events).Find(static name => StoreLayout.TryParseEventFileName(name, out _)) is { } flat)
        {
            throw new StoreOpenException(root,
                $"{root} is not a store: it has no {StoreLayout.StoreFileName}, and {StoreLayout.EventsFolderName}/{flat} lies in no folder of "
                    + "positions. If it has events in the flat layout, copy them into a store with: opossum migrate. Nothing was changed.");
        }
        return false;
    }

    private StoreOpenException NoStore(string what) =>
        new(root,
            $"{root} {what}, and none is to be created ({nameof(OpossumOptions.CreateIfMissing)}). Choose the folder of a store. Nothing was "
                + "changed.");

    private void ThrowIfUnsafe(Volume volume)
    {
        if (volume.LockRefusal is { } refusal)
            throw new StoreOpenException(root, $"The store in {root} cannot be opened safely. {refusal}");
        if (volume.IsNetwork && !settings.Flush)
        {
            throw new StoreOpenException(root,
                $"{root} lies on a network file system ({volume.Name}), where "
                    + $"{nameof(OpossumOptions)}.{nameof(OpossumOptions.FlushEventsImmediately)} = false is not possible: a machine cannot flush "
                    + "what another has not yet written to the server. Set it to true.");
        }
        if (volume.IsNetwork && settings.UseJournal)
        {
            throw new StoreOpenException(root,
                $"{root} lies on a network file system ({volume.Name}), where {nameof(OpossumOptions)}.{nameof(OpossumOptions.UseJournal)} = true is "
                    + "not possible: a machine may lose the store's lock without an error there, and only the names of event files then keep two "
                    + "machines from taking the same position. Set it to false.");
        }
    }

    // Whether it is a new one: the file of a store that has events may have been lost.
    private bool TryCreate(StoreLock storeLock)
    {
        using var held = storeLock.Acquire(settings.LockTimeout);
        // Another process may have created the store while this one waited for the lock.
        if (folder.Read() is not null)
            return false;
        // Order matters: with another id the index would be replaced, and it may have the only copy of an event.
        var id = IndexHeader.FindStoreId(fileSystem, folder.Layout);
        var hadEvents = fileSystem.GetKind(folder.Layout.Events) != EntryKind.Missing;
        if (hadEvents && IsRestored(id))
        {
            folder.FlushAbove();
            // Order matters: a power cut in between must not leave store.json without the events.
            fileSystem.FlushFolder(root);
            StoreFile.TakeStaged(fileSystem, folder.Layout);
            folder.Read();
            return false;
        }
        if (!hadEvents)
        {
            fileSystem.CreateFolder(folder.Layout.Events);
            fileSystem.SpreadSubfolders(folder.Layout.Events);
        }
        // A process that finds the store's file relies on the folders above it being durable.
        folder.FlushAbove();
        var storeFile = new StoreFile(StoreLayout.Format, id ?? Guid.NewGuid(), settings.TimeProvider.GetUtcNow());
        // Where the file was lost, its revision is not known, and a replica may have it.
        if (!folder.TryWrite(hadEvents ? storeFile.WithNewRevision() : storeFile))
            return false;
        StoreLog.Created(logger, root, folder.Volume.Name);
        return !hadEvents && id is null;
    }

    // A restore ended before its last step: the events have their name, so they are whole, and the store's file is there under its staging name.
    private bool IsRestored(Guid? idOfIndex) => StoreFile.ReadStaged(fileSystem, folder.Layout) is { } staged
        && (idOfIndex ?? staged.Id) == staged.Id
        && fileSystem.GetKind(FilePath.Join(root, StoreLayout.EventsFolderStagingName)) == EntryKind.Missing;

    private void BringTogether(EventIndex index, EventFiles eventFiles, FilesBehind files, Recovery recovery, StoreLock storeLock)
    {
        var judgement = new IndexJudgement(index, eventFiles, folder.Layout);
        var isShare = folder.Volume.IsNetwork;
        if (folder.HasEvents && index.TryLoad() && IsCurrent())
            return;
        using var held = storeLock.Acquire(settings.LockTimeout);
        // Under the lock no process appends, so a mismatch found now is real.
        if (fileSystem.GetKind(folder.Layout.Events) == EntryKind.Missing)
            fileSystem.CreateFolder(folder.Layout.Events);
        FlushNames();
        var (isLoaded, isEmptied) = (index.TryLoad(underLock: true), false);
        // Order matters: judged before, an acknowledged event that has only its line would seem to be missing.
        recovery.WriteFiles(held);
        if (isLoaded && !isShare && IsCurrent())
            return;
        if (!isLoaded)
        {
            if (eventFiles.Listing.After(0).Count > 0)
                StoreLog.IndexNotUsable(logger, root, "is missing, or has another format, or belongs to another store");
            recovery.EmptyIndex(held);
            isEmptied = true;
        }
        else if (!judgement.IsOfTheseEvents(FilesNote.Durable(held.Files) ?? index.Head, out var lostLines)
            || !TryMend(index, eventFiles, lostLines, held))
        {
            StoreLog.IndexNotUsable(logger, root, "does not match the event files");
            recovery.EmptyIndex(held);
            isEmptied = true;
        }
        recovery.Run(held, isEmptied);
        if (settings.Flush && held.Files is { HasLines: false, IsUnknown: false })
            TryFlush(files, held);

        // Reads so little that the time of an opening does not grow with the number of events.
        bool IsCurrent() => judgement.IsSound() && index.CatchUp() == IndexState.Current
            && (isShare
                ? eventFiles.Listing.Newest() == index.Head
                : eventFiles.Listing.After(index.Head).Count == 0 && !index.HasLinesAnywhereAfter)
            && (storeLock.ReadFiles() is not { } note || (note.HasLines && note.UpTo >= index.Head));
    }

    // A process that created the store or a folder in it may have ended before flushing the names. So an opening that finds no event, or something
    // to mend, flushes them. Others rely on the process that appended the first event.
    private void FlushNames()
    {
        if (!folder.Volume.FileFlushCoversName)
            fileSystem.FlushFolder(root);
    }

    // What a process that ended did not flush. Backups leave it out, and each opening would compare it again. A process that has the duty flushes it.
    private void TryFlush(FilesBehind files, StoreLock.Held held)
    {
        try
        {
            using var duty = StoreDuty.TryTakeFiles(folder, held);
            if (duty is not null)
                files.Settle(held);
        }
        catch (Exception e) when (e is FileSystemException or DiskStateUnknownException)
        {
            // The note stays. The first append tries it again, and reports the failure.
        }
    }

    // Writes the lost lines again; false when one cannot be built from its event file.
    private static bool TryMend(EventIndex index, EventFiles eventFiles, List<long> lostLines, StoreLock.Held held) =>
        lostLines.TrueForAll(position => eventFiles.Read(position, out _) is { } stored && index.TryMend(stored, held));

    private string Advice(FileSystemException e) => e.Error switch
    {
        FileError.AccessDenied when settings.ReadOnly => "Give this process the right to read there.",
        FileError.AccessDenied or FileError.ReadOnly =>
            "Give this process the right to write there, or choose another path. To only read, open it for reading only.",
        FileError.IsALink => "Replace it by the folder or file that it leads to.",
        FileError.NotARegularFile => "Move it away.",
        FileError.InUse => $"{FileSystemException.InUseAdvice} Then open it again.",
        FileError.DiskFull => "Free some space.",
        FileError.TooManyOpenFiles => "Close files or raise the process's limit.",
        FileError.NotAFolder => "A part of the path is a file; choose another path.",
        FileError.NameTooLong => "Choose a shorter path.",
        FileError.Moved => "Open it again.",
        _ => "Check that the disk or the share can be reached.",
    };
}
