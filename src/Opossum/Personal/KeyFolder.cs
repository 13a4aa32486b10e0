using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>
/// The folder of keys, and the forgettings that have begun, which are always in the store's own folder. It reads and writes their files.
/// </summary>
/// <param name="lockTimeout">How long to wait for another process that writes there.</param>
internal sealed class KeyFolder(StoreFolder store, string path, TimeSpan lockTimeout)
{
    private const string Ending = ".json";
    public const string StoreKeyName = "store-key" + Ending;
    private const string LockName = ".lock";

    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan longestPause = TimeSpan.FromMilliseconds(50);

    private readonly IFileSystem fileSystem = store.FileSystem;
    private readonly Lock gate = new();
    private bool areNamesDurable;

    public string Path => path;

    public string StoreKeyFile { get; } = FilePath.Join(path, StoreKeyName);

    /// <summary>Whether something was encrypted in the store.</summary>
    /// <exception cref="PersonalDataException">The folder cannot be read.</exception>
    public bool HasStoreKey
    {
        get
        {
            try
            {
                return fileSystem.GetKind(StoreKeyFile) == EntryKind.File;
            }
            catch (FileSystemException e)
            {
                throw Unusable(e);
            }
        }
    }

    private Volume Volume => field ??= path == store.Layout.Keys ? store.Volume : fileSystem.GetVolume(path);

    public string FileOf(Tag subject) => FilePath.Join(path, NameOf(subject));

    /// <summary>The file that says that forgetting a person has begun and is not finished.</summary>
    public string BegunFileOf(Tag subject) => FilePath.Join(store.Layout.Keys, KeyFileName.Of(subject.ToString()) + StoreLayout.ForgettingEnding);

    /// <summary>Reads a person's file.</summary>
    /// <param name="pastCache">Whether to read it from the server, as under the lock on a share.</param>
    /// <returns>The file; null when it is missing, or a process ended before it had written it.</returns>
    /// <exception cref="PersonalDataException">The file is damaged, or is another person's.</exception>
    public KeyFile? Read(Tag subject, bool pastCache = false) => Read(FileOf(subject), subject, pastCache);

    /// <summary>The same; null also when the file is damaged, or is another person's.</summary>
    public KeyFile? ReadWhateverItIs(Tag subject, bool pastCache = false) => ReadWhateverItIs(subject, out _, pastCache);

    /// <inheritdoc cref="ReadWhateverItIs(Tag, bool)"/>
    public KeyFile? ReadWhateverItIs(Tag subject, out bool isDamaged, bool pastCache = false) =>
        ReadWhateverItIs(FileOf(subject), subject, out isDamaged, pastCache);

    /// <summary>
    /// The file that is a person's key, or is damaged, in the store's own folder, where the keys are elsewhere: it was left there when they were
    /// moved, or came back with a backup. Null: there is none.
    /// </summary>
    public string? FindLeftInStore(Tag subject, bool pastCache = false)
    {
        var file = InStore(subject);
        return file != FileOf(subject) && (ReadWhateverItIs(file, subject, out var isDamaged, pastCache) is { Key: not null } || isDamaged)
            ? file : null;
    }

    /// <summary>Whether a forgetting has begun and is not finished, whatever its file has.</summary>
    /// <exception cref="PersonalDataException">The folder cannot be read.</exception>
    public bool HasBegun(Tag subject, bool pastCache = false)
    {
        try
        {
            return ReadBytes(BegunFileOf(subject), pastCache) is not null;
        }
        catch (FileSystemException e)
        {
            throw Unusable(e);
        }
    }

    /// <summary>Reads what a forgetting has begun with; null when none has begun, or its file is unfinished, damaged or another person's.</summary>
    /// <param name="isBegun">As <see cref="HasBegun"/> says.</param>
    public KeyFile? FindBegun(Tag subject, out bool isBegun, bool pastCache = false)
    {
        isBegun = HasBegun(subject, pastCache);
        return isBegun ? ReadWhateverItIs(BegunFileOf(subject), subject, out _, pastCache) : null;
    }

    /// <summary>Reads a small file, and of a longer one one byte more than <see cref="KeyFile.LengthMax"/>; null when it is missing.</summary>
    public byte[]? ReadBytes(string file, bool pastCache = false)
    {
        if (!pastCache || !store.Volume.ViewMayBeStale)
            return SmallFile.Read(fileSystem, file, KeyFile.LengthMax);
        var bytes = new byte[KeyFile.LengthMax + 1];
        return fileSystem.ReadPastCache(file, bytes, 0) is { } length ? bytes[..length] : null;
    }

    public bool HasKeyOfPerson() => ReadAll(path).Any(static each => each.Key is not null);

    /// <summary>The persons who have a file, also one that was left in the store's folder, which is whole.</summary>
    /// <exception cref="PersonalDataException">A folder or a file cannot be read.</exception>
    public IEnumerable<Tag> FindPersons()
    {
        try
        {
            string[] folders = [path, store.Layout.Keys];
            return [.. folders.Distinct().Where(each => fileSystem.GetKind(each) == EntryKind.Folder).SelectMany(ReadAll)
                .Select(static each => each.Subject).Distinct()];
        }
        catch (FileSystemException e)
        {
            throw Unusable(e);
        }
    }

    /// <summary>
    /// Does some work while no other process or thread writes to the folder, which is made if it is missing, and so is the one above.
    /// </summary>
    /// <exception cref="PersonalDataException">The folder cannot be written, or another process kept it too long.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled while another process kept it.</exception>
    public T WithLock<T>(Func<T> work, CancellationToken cancellationToken = default)
    {
        lock (gate)
        {
            try
            {
                Create(store.Layout.Keys);
                // With AddOpossumStores it is a folder in the one that the options name. No more are made: a volume may not be mounted.
                if (fileSystem.GetKind(path) == EntryKind.Missing && FilePath.FolderOf(path) is { } above)
                    Create(above);
                Create(path);
                MakeNamesDurable();
                using var file = new LockFile(fileSystem, Volume, FilePath.Join(path, LockName));
                var patience = new Patience(fileSystem.Pause, lockTimeout, pause, longestPause);
                while (!file.Handle.TryLock(LockByte.Offset))
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    if (!patience.TryPause())
                    {
                        throw new PersonalDataException(path, $"Another process has been writing to the folder of keys {path} for longer than "
                            + $"{lockTimeout}. Try again.", isTransient: true);
                    }
                }
                return work();
            }
            catch (FileSystemException e)
            {
                throw Unusable(e);
            }
        }
    }

    /// <summary>Creates new files and makes them durable, under the lock. A file that a process left unfinished is replaced.</summary>
    public void CreateFiles(IReadOnlyList<(string Path, byte[] Bytes)> files)
    {
        foreach (var (file, bytes) in files)
        {
            using var created = fileSystem.CreateNew(file) ?? CreateAgain(file);
            created.Write([.. bytes.AsSpan()[..^1], KeyFile.EndUntilDurable], 0);
        }
        MakeDurable([.. files.Select(static each => each.Path)], static file => file.Flush());
    }

    /// <summary>Makes files durable that were created before, perhaps by another process, under the lock.</summary>
    public void MakeDurable(IReadOnlyList<string> files) => MakeDurable(files, static file =>
    {
        // A failed flush may have left them marked clean, and the next flush would skip them.
        var bytes = new byte[file.GetLength()];
        file.Write(bytes.AsSpan(0, file.Read(bytes, 0)), 0);
        file.Flush();
    });

    // A share's server may have given the lock to another process, whose key has encrypted values by now.
    private IFile CreateAgain(string file) => ReadBytes(file, pastCache: true) is { } there && !KeyFile.IsUnfinished(there)
        ? throw new FileSystemException(FileError.HandleLost, "create", file, "another process has just made it")
        : DurableFile.CreateAgain(fileSystem, file);

    /// <summary>Replaces or creates a file, durably, under the lock.</summary>
    public void Replace(string file, ReadOnlySpan<byte> bytes) => DurableFile.Replace(fileSystem, file, bytes);

    /// <summary>
    /// Leaves a person's mark in the store's own folder too, where the keys are elsewhere and no mark is there, under the lock: keys that were
    /// there before they were moved may be left, and are in copies of the store, which follow that folder alone.
    /// </summary>
    public void MarkInStore(Tag subject, KeyFile mark)
    {
        var file = InStore(subject);
        if (file == FileOf(subject) || ReadWhateverItIs(file, subject, out _, pastCache: true) is { Key: null })
            return;
        TryErase(file);
        Replace(file, mark.ToBytes());
    }

    /// <summary>
    /// Overwrites a file's bytes with zeros, where the file system keeps them in place, under the lock; false when the file is missing.
    /// </summary>
    public bool TryErase(string file) => TryErase(fileSystem, file);

    /// <inheritdoc cref="TryErase(string)"/>
    public static bool TryErase(IFileSystem fileSystem, string file)
    {
        using var opened = fileSystem.Open(file, FileOpening.ReadWrite);
        if (opened is null)
            return false;
        opened.Write(new byte[opened.GetLength()], 0);
        opened.Flush();
        return true;
    }

    /// <summary>Deletes a file, durably, under the lock.</summary>
    public void Delete(string file)
    {
        fileSystem.Delete(file);
        fileSystem.FlushFolder(FilePath.FolderOf(file)!);
    }

    /// <summary>The same failure as an error of the store.</summary>
    public PersonalDataException Unusable(FileSystemException e) => new(e.Path,
        $"The folder of keys {path} cannot be used. {e.Message} "
            + $"{(e.Error == FileError.InUse ? FileSystemException.InUseAdvice : "Check that it can be read and written.")} Then try again.",
        isTransient: e.Error is FileError.InUse or FileError.DiskFull or FileError.HandleLost or FileError.NotAnswering, e);

    private KeyFile? ReadWhateverItIs(string file, Tag subject, out bool isDamaged, bool pastCache)
    {
        isDamaged = false;
        try
        {
            return Read(file, subject, pastCache);
        }
        catch (PersonalDataException e) when (!e.IsTransient && e.InnerException is null)
        {
            isDamaged = true;
            return null;
        }
    }

    private KeyFile? Read(string file, Tag subject, bool pastCache)
    {
        try
        {
            // On a share this machine may have read a part of another machine's write.
            var patience = new Patience(fileSystem.Pause, TimeSpan.FromMilliseconds(10), pause, pause);
            while (true)
            {
                if (ReadBytes(file, pastCache) is not { } bytes)
                    return null;
                if (KeyFile.Parse(bytes, out var problem) is { } read)
                    return IsOf(read, subject, file) ? read : null;
                if (store.Volume.ViewMayBeStale && patience.TryPause())
                    continue;
                return KeyFile.IsUnfinished(bytes) ? null
                    : throw new PersonalDataException(file, $"{file} {problem}. {Restoring(subject)}");
            }
        }
        catch (FileSystemException e)
        {
            throw Unusable(e);
        }
    }

    private IEnumerable<KeyFile> ReadAll(string folder)
    {
        foreach (var name in fileSystem.List(folder))
        {
            if (name.EndsWith(Ending, StringComparison.Ordinal) && name != StoreKeyName
                && ReadBytes(FilePath.Join(folder, name)) is { } bytes && KeyFile.Parse(bytes, out _) is { } file)
            {
                yield return file;
            }
        }
    }

    private string InStore(Tag subject) => FilePath.Join(store.Layout.Keys, NameOf(subject));

    private static string NameOf(Tag subject) => KeyFileName.Of(subject.ToString()) + Ending;

    private static bool IsOf(KeyFile read, Tag subject, string file) => read.Subject == subject ? true
        : throw new PersonalDataException(file,
            $"{file} is the file of {read.Subject}, which does not match its name. {Restoring(subject)}");

    private static string Restoring(Tag subject) => $"Restore the file of {subject} from a backup of the keys.";

    private void MakeDurable(IReadOnlyList<string> files, Action<IFile> flush)
    {
        fileSystem.ForEach(files.Count, at => Use(files[at], flush));
        fileSystem.FlushFolder(path);
        // Not flushed: if a power cut takes it, the file is flushed again before its key is used.
        fileSystem.ForEach(files.Count, at => Use(files[at], NoteDurable));
    }

    private void Use(string file, Action<IFile> use)
    {
        using var opened = fileSystem.Open(file, FileOpening.ReadWrite);
        if (opened is not null)
            use(opened);
    }

    // In place: a file that a power cut leaves longer than what was written counts as unfinished.
    private static void NoteDurable(IFile file)
    {
        var end = file.GetLength() - 1;
        Span<byte> last = stackalloc byte[1];
        if (end > 0 && file.Read(last, end) == 1 && last[0] == KeyFile.EndUntilDurable)
            file.Write([KeyFile.EndOfDurable], end);
    }

    private void Create(string folder)
    {
        if (fileSystem.GetKind(folder) != EntryKind.Missing)
            return;
        fileSystem.CreateFolder(folder);
        areNamesDurable = false;
    }

    // Once also where the folders were there: the process that created them may have ended before it flushed their names.
    private void MakeNamesDurable()
    {
        if (areNamesDurable)
            return;
        fileSystem.FlushAbove(store.Layout.Keys, store.Volume);
        if (path != store.Layout.Keys)
            fileSystem.FlushAbove(path, Volume);
        areNamesDurable = true;
    }
}
