using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using System.Text;
using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>
/// Linux, through its own system calls: .NET's handles take share locks that keep other hosts from writing on SMB, and need more system
/// calls for the same work. Creating, writing, flushing and disposing a file takes four.
/// </summary>
internal sealed unsafe class LinuxFileSystem : IFileSystem
{
    /// <summary>
    /// The folders that are kept open for <see cref="FlushWhole"/>, by their paths. One that is opened for a flush, after the writes, reports
    /// their errors too, unless another one has reported them.
    /// </summary>
    private readonly ConcurrentDictionary<string, LinuxFile> volumeFolders = new(StringComparer.Ordinal);

    /// <summary>Whether reads bypass this machine's cache, which may show a stale file until the file changes again.</summary>
    private volatile bool passesCacheBy;

    /// <summary>Whether the flags and layouts of <see cref="LibC"/> apply to this process.</summary>
    public static bool IsSupported => OperatingSystem.IsLinux()
        && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64;

    public Volume GetVolume(string folder, bool forReading)
    {
        var opened = OpenFolder(folder);
        var volume = LinuxVolume.Describe(opened, forReading);
        // Order matters: syncfs reports the write errors since its handle was opened, so one opened later hides a loss.
        if (forReading || !volume.CanFlushWhole || !volumeFolders.TryAdd(folder, opened))
            opened.Dispose();
        // A file that bypasses the cache needlessly is read slowly, one that does not may be stale.
        if (volume.CachesIgnoreLocks)
            passesCacheBy = true;
        return volume;
    }

    public EntryKind GetKind(string path)
    {
        LibC.FileStatus status;
        if (!TryGetStatus(path, 0, &status))
            return EntryKind.Missing;
        return status.IsFolder ? EntryKind.Folder : EntryKind.File;
    }

    public bool IsLink(string path)
    {
        LibC.FileStatus status;
        return TryGetStatus(path, LibC.LinkItself, &status) && (status.IsLink || status.IsMountedVolume);
    }

    public FileId? FindId(string path)
    {
        LibC.FileStatus status;
        return TryGetStatus(path, LibC.LinkItself, &status, LibC.WantNumber) ? status.Id : null;
    }

    public void DenyReadingWithoutWriting(string path) => UnixRights.DenyReadingWithoutWriting(path);

    public void CreateFolder(string path)
    {
        var retry = new StaleRetry();
        int made;
        while ((made = LibC.MakeFolder(path, LibC.FolderMode)) < 0 && retry.IsDue())
        {
        }
        if (made == 0)
        {
            if (RootOwnership.Applies && TryOpen(path, LibC.ReadOnly | LibC.Folder | LibC.NoLink) is { } folder)
                RootOwnership.TakeOver(folder, LibC.FolderMode);
            return;
        }
        var error = ErrorNumber.Last;
        if (error == ErrorNumber.Exists && GetKind(path) == EntryKind.Folder)
            return;
        throw error == ErrorNumber.Exists
            ? new FileSystemException(FileError.NotAFolder, "create the folder", path, "a file of that name exists")
            : ErrorNumber.Failure("create the folder", path, error);
    }

    public void SpreadSubfolders(string folder)
    {
        using var opened = TryOpen(folder, LibC.ReadOnly | LibC.Folder);
        if (opened is null || !LinuxVolume.IsExt(opened))
            return;
        int flags;
        if (LibC.Control(opened, LibC.GetFlags, &flags) < 0)
            return;
        flags |= LibC.TopOfHierarchy;
        _ = LibC.Control(opened, LibC.SetFlags, &flags);
    }

    public List<string> List(string folder)
    {
        var retry = new StaleRetry();
        nint handle;
        while ((handle = LibC.OpenFolder(folder)) == 0 && retry.IsDue())
        {
        }
        return ReadNames(handle, folder, Encoding.UTF8.GetString);
    }

    public IFile? CreateNew(string path)
    {
        if (TryCreate(path, LibC.ReadWrite) is { } file)
            return file;
        return ErrorNumber.Last == ErrorNumber.Exists ? null : throw ErrorNumber.Failure("create", path);
    }

    IFolder? IFileSystem.OpenFolder(string folder) => GetKind(folder) == EntryKind.Folder ? new LinuxFolder(OpenFolder(folder)) : null;

    public IFile? Open(string path, FileOpening opening)
    {
        if (opening == FileOpening.Read)
            return OpenForReading(path);
        var access = opening switch
        {
            FileOpening.WriteThrough => LibC.WriteOnly | LibC.Synchronous,
            FileOpening.LockOrCreate or FileOpening.Lock => LibC.WriteOnly,
            _ => LibC.ReadWrite,
        };
        // Only for a file that it creates itself, root answers for the owner.
        var file = (RootOwnership.Applies && opening.MayCreate() ? TryCreate(path, access) : null)
            ?? TryOpenFile(path, opening.MayCreate() ? access | LibC.Create : access);
        if (file is null)
            return ErrorNumber.Last == ErrorNumber.Missing && !opening.MayCreate() ? null : throw ErrorNumber.Failure("open", path);
        return opening is FileOpening.LockOrCreate or FileOpening.Lock ? AlsoForReading(file) : file;
    }

    public IUncachedFile? OpenUncached(string path)
    {
        if (TryOpenDirect(path) is { } direct)
            return direct;
        if (ErrorNumber.Last != ErrorNumber.Missing && ErrorNumber.Last != ErrorNumber.Invalid)
            throw ErrorNumber.Failure("open", path);
        // A file system without O_DIRECT is a local one, or one whose client asks the server when a file is opened.
        return OpenCached(path) is { } file ? new ReopenedFile(() => OpenCached(path), path, file) : null;
    }

    public void Delete(string path)
    {
        var retry = new StaleRetry();
        while (LibC.Unlink(path) < 0 && ErrorNumber.Last != ErrorNumber.Missing)
        {
            if (!retry.IsDue())
                throw ErrorNumber.Failure("delete", path);
        }
    }

    public void Move(string from, string to)
    {
        if (!TryMove(from, to))
            throw ErrorNumber.Failure($"move {from} to", to);
    }

    public void MoveFolder(string from, string to)
    {
        if (TryMove(from, to))
            return;
        if (ErrorNumber.Last != ErrorNumber.OtherDevice)
            throw ErrorNumber.Failure($"move {from} to", to);
        FolderCopy.Move(this, from, to);
    }

    public void DeleteFolder(string path)
    {
        var retry = new StaleRetry();
        while (LibC.RemoveFolder(path) < 0 && ErrorNumber.Last != ErrorNumber.Missing)
        {
            if (!retry.IsDue())
                throw ErrorNumber.FolderFailure(path);
        }
    }

    public bool RemoveFolder(string path, ref int filesLeft) => LinuxFolderRemoval.TryRemove(path, ref filesLeft);

    public void FlushFolder(string folder)
    {
        using var opened = OpenFolder(folder);
        while (LibC.Flush(opened) < 0)
        {
            // EINVAL: the file system has no flush of folders, as that of VirtualBox's shared folders.
            if (ErrorNumber.Last == ErrorNumber.Invalid)
                return;
            if (!ErrorNumber.WasInterrupted)
                throw ErrorNumber.Failure("flush", folder);
        }
    }

    public void FlushWhole(string folder)
    {
        var opened = volumeFolders.GetOrAdd(folder, OpenFolder);
        while (LibC.FlushWhole(opened) < 0)
        {
            if (!ErrorNumber.WasInterrupted)
                throw ErrorNumber.Failure("flush the file system of", folder);
        }
    }

    public long GetDirtyBytes() => LinuxDirtyBytes.Get(this);

    public void Pause(TimeSpan time) => Sleep(time);

    /// <summary>Reads the names in an opened folder and closes it.</summary>
    /// <param name="handle">The folder; 0: it could not be opened, and the last error holds the reason.</param>
    public static List<T> ReadNames<T>(nint handle, string folder, Func<ReadOnlySpan<byte>, T> make)
    {
        if (handle == 0)
            throw ErrorNumber.Failure("list", folder);
        try
        {
            var names = new List<T>();
            for (var entry = LibC.ReadFolder(handle); entry != null; entry = LibC.ReadFolder(handle))
            {
                var name = MemoryMarshal.CreateReadOnlySpanFromNullTerminated(&entry->Name);
                if (!name.SequenceEqual("."u8) && !name.SequenceEqual(".."u8))
                    names.Add(make(name));
            }
            return ErrorNumber.Last == 0 ? names : throw ErrorNumber.Failure("list", folder);
        }
        finally
        {
            _ = LibC.CloseFolder(handle);
        }
    }

    /// <summary>Creates a new file; null: the last error holds the reason.</summary>
    /// <param name="within">The folder of the path, open; null: the path leads to it.</param>
    /// <param name="owner">Its status, for what root creates; null: it is asked for.</param>
    public static LinuxFile? TryCreate(string path, int access, LinuxFile? within = null, LibC.FileStatus* owner = null)
    {
        var file = TryOpen(path, access | LibC.Create | LibC.Exclusive, within);
        if (file is not null && RootOwnership.Applies)
            RootOwnership.TakeOver(file, LibC.FileMode, owner);
        return file;
    }

    public static void Sleep(TimeSpan time)
    {
        if (time <= TimeSpan.Zero)
            return;
        // Thread.Sleep takes whole milliseconds only.
        var wait = new LibC.TimeSpec { Seconds = time.Ticks / TimeSpan.TicksPerSecond, Nanoseconds = time.Ticks % TimeSpan.TicksPerSecond * 100 };
        while (LibC.Sleep(&wait, &wait) < 0 && ErrorNumber.WasInterrupted)
        {
        }
    }

    public void Dispose()
    {
        foreach (var opened in volumeFolders.Values)
            opened.Dispose();
    }

    // False: the last error holds the reason.
    private static bool TryMove(string from, string to)
    {
        var retry = new StaleRetry();
        while (LibC.Rename(from, to) < 0)
        {
            if (!retry.IsDue())
                return false;
        }
        return true;
    }

    // False: nothing has this name.
    private static bool TryGetStatus(string path, int flags, LibC.FileStatus* status, uint wanted = LibC.WantType)
    {
        var retry = new StaleRetry();
        while (LibC.GetStatus(LibC.CurrentFolder, path, flags, wanted, status) < 0)
        {
            if (retry.IsDue())
                continue;
            return ErrorNumber.Last is ErrorNumber.Missing or ErrorNumber.NotAFolder ? false : throw ErrorNumber.Failure("look at", path);
        }
        return true;
    }

    // Bypasses this machine's cache where that is needed and the file system supports it.
    private IFile? OpenForReading(string path)
    {
        if (!passesCacheBy)
            return OpenCached(path);
        if (TryOpenDirect(path) is { } direct)
            return direct;
        return ErrorNumber.Last switch
        {
            ErrorNumber.Missing => null,
            ErrorNumber.Invalid => OpenCached(path),
            _ => throw ErrorNumber.Failure("open", path),
        };
    }

    private static LinuxFile? OpenCached(string path)
    {
        var file = TryOpenFile(path, LibC.ReadOnly);
        return file is not null || ErrorNumber.Last == ErrorNumber.Missing ? file : throw ErrorNumber.Failure("open", path);
    }

    private static LinuxDirectFile? TryOpenDirect(string path)
    {
        LinuxFile? Reopen() => TryOpenFile(path, LibC.ReadOnly | LibC.Direct);
        return Reopen() is { } file ? new LinuxDirectFile(file, Reopen, otherwise: new ReopenedFile(() => OpenCached(path), path)) : null;
    }

    private static LinuxFile? TryOpen(string path, int flags, LinuxFile? within = null)
    {
        flags |= LibC.CloseOnExec;
        var name = within is null ? path : Path.GetFileName(path);
        var retry = new StaleRetry();
        while (true)
        {
            var descriptor = within is null ? LibC.Open(name, flags, LibC.FileMode) : LibC.OpenIn(within, name, flags, LibC.FileMode);
            if (descriptor >= 0)
                return new LinuxFile(descriptor, path);
            if (!retry.IsDue())
                return null;
        }
    }

    // Opens a regular file and nothing else. Null: the last error holds the reason.
    private static LinuxFile? TryOpenFile(string path, int flags)
    {
        flags |= LibC.NoLink;
        // Without the flag, opening a pipe would wait for its other end. For a regular file it only means not waiting for a program that holds a
        // lease on it, such as a file server on this machine: then the file is a regular one, and the open is repeated with waiting.
        var file = TryOpen(path, flags | LibC.NoWait);
        if (file is null && ErrorNumber.Last == ErrorNumber.TryAgain)
            file = TryOpen(path, flags);
        if (file is null)
            RegularFile.ThrowIfDenied(path);
        else
            RegularFile.CheckOrClose(file, path);
        return file;
    }

    private LinuxLockFile AlsoForReading(LinuxFile file)
    {
        try
        {
            return new LinuxLockFile(file, OpenForReading(file.Path) ?? throw ErrorNumber.Failure("open", file.Path));
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private static LinuxFile OpenFolder(string path) =>
        TryOpen(path, LibC.ReadOnly | LibC.Folder) ?? throw ErrorNumber.Failure("open the folder", path);
}
