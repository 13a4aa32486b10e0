using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Portable;

/// <summary>macOS, through .NET's calls where they exist. It also runs on Linux, so that its logic is tested there.</summary>
internal sealed class PortableFileSystem : IFileSystem
{
    private const FileShare All = FileShare.ReadWrite | FileShare.Delete;

    /// <summary>Does nothing: no handle is kept.</summary>
    public void Dispose()
    {
    }

    /// <summary>
    /// On macOS a flush of a file makes its name durable too: F_FULLFSYNC (fcntl(2)) has the device empty its cache after the file system has
    /// written its journal. This was not tested by power cuts.
    /// </summary>
    public Volume GetVolume(string folder, bool forReading)
    {
        if (!Directory.Exists(folder))
            throw new FileSystemException(FileError.NotFound, "look at the file system of", folder, "the folder does not exist");
        var drive = new DriveInfo(folder);
        var (name, type) = PortableError.Guard("look at the file system of", folder, () => (drive.DriveFormat, drive.DriveType), wantsFolder: true);
        return new Volume
        {
            Name = name,
            FileFlushCoversName = OperatingSystem.IsMacOS(),
            IsNetwork = type == DriveType.Network,
            ForbidsKeptWriteHandles = name == "nfs",
        };
    }

    public EntryKind GetKind(string path)
    {
        if (Directory.Exists(path))
            return EntryKind.Folder;
        if (File.Exists(path))
            return EntryKind.File;
        try
        {
            // The two calls above also return false when access is denied.
            _ = File.GetAttributes(path);
            return EntryKind.Missing;
        }
        catch (Exception exception) when (PortableError.IsOne(exception))
        {
            var error = PortableError.Classify(exception, path);
            return error is FileError.NotFound or FileError.NotAFolder ? EntryKind.Missing : throw PortableError.Failure("look at", path, exception);
        }
    }

    public bool IsLink(string path) => PortableError.Guard("look at", path, () => new FileInfo(path).LinkTarget is not null);

    public FileId? FindId(string path)
    {
        using var file = Open(path, FileOpening.Read);
        return file?.GetId();
    }

    public void DenyReadingWithoutWriting(string path) => UnixRights.DenyReadingWithoutWriting(path);

    public void CreateFolder(string path)
    {
        // Directory.CreateDirectory would make the parents too.
        if (Path.GetDirectoryName(path) is { } parent && !Directory.Exists(parent))
        {
            throw new FileSystemException(File.Exists(parent)
                ? FileError.NotAFolder
                : FileError.NotFound, "create the folder", path, "its parent is not a folder");
        }

        if (File.Exists(path))
            throw new FileSystemException(FileError.NotAFolder, "create the folder", path, "a file of that name exists");
        PortableError.Guard("create the folder", path, () => Directory.CreateDirectory(path));
    }

    public List<string> List(string folder) => PortableError.Guard("list", folder, () => IFileSystem.NamesIn(folder), wantsFolder: true);

    public IFile? CreateNew(string path)
    {
        try
        {
            var handle = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, All);
            // .NET has taken a shared flock, which would keep all other handles from locking the file.
            _ = LibC.LockFile(handle, LibC.LockNone);
            return new PortableFile(handle, path);
        }
        catch (IOException exception) when (PortableError.IsTaken(exception))
        {
            return null;
        }
        catch (Exception exception) when (PortableError.IsOne(exception))
        {
            throw PortableError.Failure("create", path, exception);
        }
    }

    public IFile? Open(string path, FileOpening opening)
    {
        if (!opening.MayCreate())
            return TryOpen(path, opening);
        while (true)
        {
            if (TryOpen(path, opening) is { } there)
                return there;
            if (CreateNew(path) is { } created)
                return created;
        }
    }

    public void Delete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (DirectoryNotFoundException)
        {
        }
        catch (Exception exception) when (PortableError.IsOne(exception))
        {
            throw PortableError.Failure("delete", path, exception);
        }
    }

    public void Move(string from, string to) => PortableError.Guard($"move {from} to", to, () => File.Move(from, to, overwrite: true));

    public void MoveFolder(string from, string to) =>
        PortableError.Guard($"move {from} to", to, () => Directory.Move(from, to), wantsFolder: true);

    public void DeleteFolder(string path)
    {
        try
        {
            Directory.Delete(path);
        }
        catch (DirectoryNotFoundException)
        {
        }
        catch (Exception exception) when (PortableError.IsOne(exception))
        {
            throw PortableError.Failure("delete the folder", path, exception, wantsFolder: true);
        }
    }

    public void FlushFolder(string folder)
    {
        using var handle = OpenDescriptor(folder, LibC.ReadOnly) ?? throw ErrorNumber.Failure("open the folder", folder);
        new PortableFile(handle, folder).Flush();
    }

    /// <summary>Thread.Sleep takes whole milliseconds only.</summary>
    public void Pause(TimeSpan time)
    {
        if (time.TotalMilliseconds >= 1)
        {
            Thread.Sleep(time);
            return;
        }
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < time)
            Thread.Yield();
    }

    private static PortableFile? TryOpen(string path, FileOpening opening)
    {
        // Opening a pipe would wait for its other end, and .NET cannot distinguish one from a file.
        var flags = OperatingSystem.IsMacOS() ? LibC.NoLinkMac | LibC.NoWaitMac : LibC.NoLink | LibC.NoWait;
        if (opening == FileOpening.WriteThrough)
            flags |= OperatingSystem.IsMacOS() ? LibC.SynchronousMac : LibC.Synchronous;
        var handle = OpenDescriptor(path, (opening == FileOpening.Read ? LibC.ReadOnly : LibC.ReadWrite) | flags);
        if (handle is null)
        {
            RegularFile.ThrowIfDenied(path);
            return ErrorNumber.Last == ErrorNumber.Missing ? null : throw ErrorNumber.Failure("open", path);
        }
        RegularFile.CheckOrClose(handle, path);
        return new PortableFile(handle, path);
    }

    /// <summary>
    /// Opens without .NET, which takes a flock on every handle of a local file and fails while another process holds one: the store's lock
    /// file could not be opened while the lock is held.
    /// </summary>
    private static SafeFileHandle? OpenDescriptor(string path, int flags)
    {
        flags |= OperatingSystem.IsMacOS() ? LibC.CloseOnExecMac : LibC.CloseOnExec;
        while (true)
        {
            var descriptor = LibC.OpenExisting(path, flags);
            if (descriptor >= 0)
                return new SafeFileHandle(descriptor, ownsHandle: true);
            if (!ErrorNumber.WasInterrupted)
                return null;
        }
    }
}
