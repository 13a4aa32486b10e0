using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Failures;

namespace Opossum.Storage.Folders;

/// <summary>The folder of a store: its file system, the names in it, its volume, and the store's id. Every open starts with one.</summary>
/// <param name="layout">The folder's path, and the names in it.</param>
/// <param name="forReading">Whether the folder is only read: then flushes are not probed, because probing writes.</param>
internal sealed class StoreFolder(IFileSystem fileSystem, StoreLayout layout, bool forReading = false)
{
    private Volume? volume;

    /// <summary>The folder of a store that is there.</summary>
    /// <param name="layout">The folder's path, and the names in it.</param>
    /// <param name="forReading">Whether the folder is only read.</param>
    /// <param name="takesEvents">Whether a folder with event files will do that has lost store.json.</param>
    /// <exception cref="StoreOpenException">The folder is not a store.</exception>
    public static StoreFolder OpenExisting(IFileSystem fileSystem, StoreLayout layout, bool forReading = false,
        bool takesEvents = false)
    {
        var root = layout.Root;
        if (fileSystem.GetKind(root) != EntryKind.Folder)
            throw new StoreOpenException(root, $"{root} does not exist or is not a folder, so it is not a store.");
        var folder = new StoreFolder(fileSystem, layout, forReading);
        if (folder.Read() is null && !(takesEvents && folder.HasEvents))
        {
            throw new StoreOpenException(layout.StoreFile, folder.FindReplica() is { } replica
                ? $"{root} is a replica of {replica.Source} that has lost {StoreLayout.StoreFileName}. Start following again, or promote it: both "
                    + "write the file again. Nothing was changed."
                : $"{root} is not a store: it has no {StoreLayout.StoreFileName}. If it is a store that has lost this file, "
                    + "open it for writing (opossum repair open): this writes the file again. Nothing was changed.");
        }
        return folder;
    }

    public IFileSystem FileSystem => fileSystem;

    public string Root => layout.Root;

    public StoreLayout Layout => layout;

    /// <summary>How the index of older events is made and read.</summary>
    public RunSettings Runs { get; init; } = new();

    /// <summary>How far event files may lag the log.</summary>
    public FilesBehindSettings FilesBehind { get; init; } = new();

    public SlowReads SlowReads { get; init; } = new(TimeProvider.System);

    /// <summary>The volume of the folder. Queried once; the folder must exist by then.</summary>
    public Volume Volume => volume ??= fileSystem.GetVolume(layout.Root, forReading);

    /// <summary>
    /// The volume that the folder is on or, where it is missing, would be: that of the next folder above it that is there. Null: this user may not
    /// look at that one.
    /// </summary>
    public Volume? VolumeToBe
    {
        get
        {
            var existing = layout.Root;
            while (fileSystem.GetKind(existing) == EntryKind.Missing && FilePath.FolderOf(existing) is { } above)
                existing = above;
            if (existing == layout.Root)
                return Volume;
            try
            {
                return fileSystem.GetVolume(existing, forReading: true);
            }
            catch (FileSystemException e) when (e.Error == FileError.AccessDenied)
            {
                return null;
            }
        }
    }

    /// <summary>The store's id, which its index carries; null before store.json is read or written, and when store.json has none.</summary>
    public Guid? Id { get; private set; }

    /// <summary>Uses the id that the index carries where store.json is missing, so that the index counts as this store's.</summary>
    public void UseIdOfIndex(Guid? id) => Id ??= id;

    /// <summary>Whether store.json names a minor format newer than this version: then event files may hold members that it does not know.</summary>
    public bool IsOfNewerMinor { get; private set; }

    public bool HasEvents => fileSystem.GetKind(layout.Events) == EntryKind.Folder;

    /// <summary>Whether what an opening for appends makes before the first append is missing, as in a backup.</summary>
    public bool IsBackup => fileSystem.GetKind(layout.IndexFile) == EntryKind.Missing && fileSystem.GetKind(layout.Log) == EntryKind.Missing;

    /// <summary>
    /// Creates the folder and those above it, durably unless the flush of its first file does that. Folders that exist stay as they are.
    /// </summary>
    public void Create()
    {
        var made = new Stack<string>();
        for (var path = layout.Root; path is not null && fileSystem.GetKind(path) == EntryKind.Missing; path = FilePath.FolderOf(path))
            made.Push(path);
        foreach (var path in made)
            fileSystem.CreateFolder(path);
        // Afterwards nobody knows which ones were made here, and FlushAbove passes over one that it may not read.
        if (Volume.FileFlushCoversName)
            return;
        foreach (var path in made)
        {
            if (FilePath.FolderOf(path) is { } parent)
                fileSystem.FlushFolder(parent);
        }
    }

    /// <inheritdoc cref="OwnFolderExtensions.FlushAbove"/>
    public void FlushAbove() => fileSystem.FlushAbove(layout.Root, Volume);

    /// <summary>Reads store.json; null when it is missing or empty.</summary>
    /// <exception cref="FileSystemException">As for <see cref="ThrowIfLinked"/>.</exception>
    /// <exception cref="StoreOpenException">It is not a store file, or has a newer format.</exception>
    public StoreFile? Read()
    {
        ThrowIfLinked();
        return Note(StoreFile.Read(fileSystem, layout));
    }

    /// <summary>What says that the folder is not the store but follows it, or was one in whose place another was promoted; null: neither.</summary>
    public ReplicaFile? FindReplica() => ReplicaFile.Find(fileSystem, layout, StoreFile.Read(fileSystem, layout));

    /// <exception cref="StoreOpenException">The folder is not the store but follows it, or is a former one.</exception>
    public void ThrowIfReplica()
    {
        if (FindReplica() is { } replica)
        {
            throw new StoreOpenException(layout.ReplicaFile,
                $"Nothing was opened: {replica.InWords(layout.Root, StoreFile.Read(fileSystem, layout))}");
        }
    }

    /// <summary>The same for a check, which continues without the file.</summary>
    /// <param name="problem">Why it is not a store file, as the end of a sentence that begins with its path; null when it is one, or is
    /// missing.</param>
    /// <exception cref="StoreOpenException">It has a newer format.</exception>
    public StoreFile? TryRead(out string? problem) => Note(StoreFile.TryRead(fileSystem, layout, out problem));

    /// <summary>Writes store.json, under the lock; does nothing when another process has written it.</summary>
    /// <returns>Whether this process wrote it.</returns>
    public bool TryWrite(StoreFile file)
    {
        var isNew = file.TryWrite(fileSystem, layout);
        Note(isNew ? file : StoreFile.Read(fileSystem, layout));
        return isNew;
    }

    /// <summary>Checks that its folders are not symbolic links: beyond a link, the guarantees about flushing and renaming would not hold.</summary>
    /// <exception cref="FileSystemException">One of them is a link.</exception>
    public void ThrowIfLinked()
    {
        fileSystem.ThrowIfLink(layout.Events);
        fileSystem.ThrowIfLink(layout.Index);
        fileSystem.ThrowIfLink(layout.Quarantine);
        fileSystem.ThrowIfLink(layout.Log);
    }

    /// <summary>Runs a flush of the store's files.</summary>
    /// <exception cref="DiskStateUnknownException">The flush failed.</exception>
    public void MakeDurable(Action flush) => MakeDurable(flush, static flush => flush());

    /// <summary>The same without a closure, for the path of every append.</summary>
    public void MakeDurable<T>(T target, Action<T> flush)
    {
        using var duration = Instruments.Measure(Instruments.FlushDuration, layout.Root);
        try
        {
            flush(target);
        }
        catch (FileSystemException e)
        {
            throw new DiskStateUnknownException(e);
        }
    }

    private StoreFile? Note(StoreFile? file)
    {
        Id = file?.Id;
        IsOfNewerMinor = file?.Minor > StoreLayout.FormatMinor;
        return file;
    }
}
