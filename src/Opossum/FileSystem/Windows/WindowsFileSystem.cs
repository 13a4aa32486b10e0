using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Opossum.FileSystem.Windows;

/// <summary>
/// Windows, through its own system calls: .NET can neither replace an open file nor distinguish a link from its target. Calls that fail because
/// another program briefly holds a file, as virus scanners, indexers and backup programs often do, are retried.
/// </summary>
/// <param name="pause">Makes the pauses; null for real ones.</param>
[SupportedOSPlatform("windows")]
internal sealed unsafe class WindowsFileSystem(Action<TimeSpan>? pause = null) : IFileSystem
{
    /// <summary>The suffix of the name under which an open file is deleted; a crash may leave such a file.</summary>
    private const string AsideEnding = ".new";

    private static readonly TimeSpan inUseLimit = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan inUseFirst = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan inUseLongest = TimeSpan.FromMilliseconds(20);

    private readonly Action<TimeSpan> pause = pause ?? WindowsPause.For;

    // Loaded now: loading it at the first call would change the status that it returns.
    static WindowsFileSystem() => _ = NtDll.GetLastStatus();

    // The queried ones on volumes where a flush may skip the device.
    private string[] rangeFolders = [];

    public static FileId IdOf(SafeFileHandle opened, string path)
    {
        Kernel32.FileInformation information;
        if (!Kernel32.GetInformation(opened, &information))
            throw WindowsError.Failure("look at", path);
        return new FileId(information.Volume, (ulong)information.NumberHigh << 32 | information.NumberLow);
    }

    /// <summary>The retries for a file that another program holds.</summary>
    public Patience NewPatience() => new(pause, inUseLimit, inUseFirst, inUseLongest);

    public Volume GetVolume(string folder, bool forReading)
    {
        using var opened = OpenFolder(folder, Kernel32.ReadAttributes, "look at the file system of");
        var volume = WindowsVolume.Describe(opened, folder);
        if (volume.CanFlushRange && !forReading && !rangeFolders.Contains(folder))
            rangeFolders = [.. rangeFolders, folder];
        return volume;
    }

    /// <summary>Whether the flush of a file may skip the device.</summary>
    public bool FlushesRange(string path) => Array.Exists(rangeFolders, folder => path.StartsWith(folder, StringComparison.Ordinal));

    public EntryKind GetKind(string path)
    {
        var attributes = Kernel32.GetAttributes(WindowsPath.ForCall(path));
        if (attributes != Kernel32.NoAttributes)
            return (attributes & Kernel32.IsFolder) != 0 ? EntryKind.Folder : EntryKind.File;
        if (WindowsError.WasMissing)
            return EntryKind.Missing;
        // A program that refuses to share it has it open, so it exists.
        return WindowsError.WasInUse ? EntryKind.File : throw WindowsError.Failure("look at", path);
    }

    public bool IsLink(string path)
    {
        using var opened = Open(path, Kernel32.ReadAttributes, Kernel32.OpenExisting, Kernel32.OpenFolders | Kernel32.OpenLinkItself);
        if (opened.IsInvalid)
            return WindowsError.WasMissing ? false : throw WindowsError.Failure("look at", path);
        return WindowsLink.TagOf(opened, path) is { } tag && WindowsLink.IsLink(tag);
    }

    public FileId? FindId(string path)
    {
        using var opened = Open(path, Kernel32.ReadAttributes, Kernel32.OpenExisting, Kernel32.OpenFolders | Kernel32.OpenLinkItself);
        if (!opened.IsInvalid)
            return IdOf(opened, path);
        return WindowsError.WasMissing ? null : throw WindowsError.Failure("look at", path);
    }

    public void CreateFolder(string path)
    {
        if (Kernel32.CreateFolder(WindowsPath.ForCall(path), 0))
            return;
        var error = WindowsError.Last;
        if (error == WindowsError.AlreadyExists && GetKind(path) == EntryKind.Folder)
            return;
        throw error == WindowsError.AlreadyExists
            ? new FileSystemException(FileError.NotAFolder, "create the folder", path, "a file of that name exists")
            : WindowsError.Failure("create the folder", path, error);
    }

    public List<string> List(string folder)
    {
        try
        {
            return IFileSystem.NamesIn(folder);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw WindowsError.Failure("list", folder, exception);
        }
    }

    public IFile? CreateNew(string path)
    {
        // Otherwise a file would be created at the target of a dangling link.
        var handle = Open(path, Kernel32.GenericRead | Kernel32.GenericWrite, Kernel32.CreateNew, Kernel32.OpenLinkItself);
        if (!handle.IsInvalid)
            return new WindowsFile(handle, path, this);
        return WindowsError.Last is WindowsError.FileExists or WindowsError.AlreadyExists ? null : throw WindowsError.Failure("create", path);
    }

    public IFile? Open(string path, FileOpening opening)
    {
        var access = opening == FileOpening.Read ? Kernel32.GenericRead : Kernel32.GenericRead | Kernel32.GenericWrite;
        var flags = opening == FileOpening.WriteThrough ? Kernel32.WriteThrough : 0;
        while (true)
        {
            if (TryOpenFile(path, access, flags) is { } there)
                return new WindowsFile(there, path, this);
            if (!opening.MayCreate())
                return null;
            if (CreateNew(path) is { } created)
                return created;
        }
    }

    /// <summary>Deletes a file. A program that has it open can still use it, but its name is free at once for another file.</summary>
    public void Delete(string path)
    {
        var call = WindowsPath.ForCall(path);
        var patience = NewPatience();
        while (!TryDeleteAsPosix(call) && !WindowsError.WasMissing)
        {
            if (WindowsError.WasUnknown && TryDeleteAside(call))
                return;
            if (WindowsError.WasMissing)
                return;
            if (!WindowsError.WasInUse || !patience.TryPause())
                throw FailureOfFile("delete", path, WindowsError.Last);
        }
    }

    /// <summary>
    /// Renames a file and replaces a file with the new name, even an open one. There are three ways. With the first, which NTFS supports, handles
    /// to the replaced file stay valid and the name is never missing. Where only the second is available, an open file blocks the move until it is
    /// closed. If it stays open, it is moved aside: then the name is missing for a moment.
    /// </summary>
    public void Move(string from, string to)
    {
        var (callFrom, callTo) = (WindowsPath.ForCall(from), WindowsPath.ForCall(to));
        var patience = NewPatience();
        while (true)
        {
            if (TryMoveAsPosix(callFrom, callTo))
                return;
            var isUnknown = WindowsError.WasUnknown;
            if (isUnknown && Kernel32.Move(callFrom, callTo, Kernel32.MoveReplaces))
                return;
            var error = WindowsError.Last;
            var isInUse = WindowsError.WasInUse || IsFileInTheWay(to, error);
            if (isInUse && patience.TryPause())
                continue;
            if (isInUse && isUnknown && TryMoveAside(callFrom, callTo))
                return;
            throw IsFileInTheWay(to, error)
                ? new FileSystemException(FileError.InUse, $"move {from} to", to, "a file of that name is in use, or may not be replaced")
                : WindowsError.Failure($"move {from} to", to, error);
        }
    }

    public void MoveFolder(string from, string to)
    {
        var (callFrom, callTo) = (WindowsPath.ForCall(from), WindowsPath.ForCall(to));
        var patience = NewPatience();
        while (!Kernel32.Move(callFrom, callTo, 0))
        {
            var error = WindowsError.Last;
            // An open file in the folder is reported like a missing permission, which is there if the folder can be opened for being moved.
            var mayBeInUse = WindowsError.WasInUse || (error == WindowsError.AccessDenied && MayMove(callFrom));
            if (mayBeInUse && patience.TryPause())
                continue;
            throw mayBeInUse
                ? new FileSystemException(FileError.InUse, $"move {from} to", to, "a file in it is in use, or it may not be moved")
                : WindowsError.Failure($"move {from} to", to, error);
        }
    }

    public void DeleteFolder(string path)
    {
        var call = WindowsPath.ForCall(path);
        var patience = NewPatience();
        while (!Kernel32.DeleteFolder(call) && !WindowsError.WasMissing)
        {
            if (!WindowsError.WasInUse || !patience.TryPause())
                throw WindowsError.Failure("delete the folder", path);
        }
    }

    /// <summary>
    /// Flushes the folder's handle, which file systems accept if the handle may add files or folders ([MS-FSA] 2.1.5.7, [MS-SMB2] 3.3.5.11). File
    /// systems without such a flush are skipped: the flush of a file covers its name.
    /// </summary>
    public void FlushFolder(string folder)
    {
        using var opened = OpenFolderToFlush(folder);
        if (!Kernel32.Flush(opened) && !WindowsError.WasUnknown && WindowsError.Last != WindowsError.AccessDenied)
            throw WindowsError.Failure("flush the folder", folder);
    }

    public void Pause(TimeSpan time) => pause(time);

    /// <summary>Does nothing: no handle is kept.</summary>
    public void Dispose()
    {
    }

    private SafeFileHandle? TryOpenFile(string path, uint access, uint flags)
    {
        var opened = Open(path, access, Kernel32.OpenExisting, Kernel32.OpenLinkItself | flags);
        if (opened.IsInvalid)
        {
            var failure = FailureOfFile("open", path, WindowsError.Last);
            return failure.Error == FileError.NotFound ? null : throw failure;
        }
        try
        {
            if (WindowsLink.TagOf(opened, path) is not { } tag)
                return opened;
            if (WindowsLink.IsLink(tag))
                throw new FileSystemException(FileError.IsALink, "open", path, FileSystemException.IsALink);
            if (WindowsLink.IsNoFile(tag))
                throw new FileSystemException(FileError.NotARegularFile, "open", path, "it is not a regular file but a pipe, a socket or a device.");
        }
        catch
        {
            opened.Dispose();
            throw;
        }
        // The driver that set the reparse point supplies the bytes, and only when the file is opened without that flag.
        opened.Dispose();
        opened = Open(path, access, Kernel32.OpenExisting, flags);
        if (!opened.IsInvalid)
            return opened;
        return WindowsError.WasMissing ? null : throw WindowsError.Failure("open", path);
    }

    private SafeFileHandle OpenFolder(string folder, uint access, string operation)
    {
        var opened = Open(folder, access, Kernel32.OpenExisting, Kernel32.OpenFolders);
        if (opened.IsInvalid)
            throw WindowsError.Failure(operation, folder);
        return opened;
    }

    // A user who created a folder in another one may have the right to create folders there, but not files.
    private SafeFileHandle OpenFolderToFlush(string folder)
    {
        var opened = Open(folder, Kernel32.AddFile | Kernel32.Synchronize, Kernel32.OpenExisting, Kernel32.OpenFolders);
        if (!opened.IsInvalid)
            return opened;
        if (WindowsError.Last != WindowsError.AccessDenied)
            throw WindowsError.Failure("open the folder", folder);
        return OpenFolder(folder, Kernel32.AddSubfolder | Kernel32.Synchronize, "open the folder");
    }

    private SafeFileHandle Open(string path, uint access, uint disposition, uint flags)
    {
        var call = WindowsPath.ForCall(path);
        var patience = NewPatience();
        while (true)
        {
            var handle = Kernel32.Open(call, access, Kernel32.ShareAll, 0, disposition, Kernel32.Normal | flags, 0);
            if (!handle.IsInvalid || !WindowsError.WasInUse || !patience.TryPause())
                return handle;
        }
    }

    private static bool TryMoveAsPosix(string from, string to)
    {
        using var file = OpenToRename(from);
        if (file.IsInvalid)
            return false;
        var size = sizeof(Kernel32.FileRenameInformation) + ((to.Length + 1) * sizeof(char));
        var information = (Kernel32.FileRenameInformation*)NativeMemory.AllocZeroed((nuint)size);
        try
        {
            information->Flags = Kernel32.RenameReplaces | Kernel32.RenameAsPosix;
            information->NameBytes = (uint)to.Length * sizeof(char);
            to.CopyTo(new Span<char>(&information->NameBytes + 1, to.Length));
            return Kernel32.SetInformation(file, Kernel32.RenameInformationEx, information, (uint)size);
        }
        finally
        {
            NativeMemory.Free(information);
        }
    }

    private static bool TryDeleteAsPosix(string path)
    {
        using var file = OpenToRename(path);
        var how = Kernel32.DeletionDeletes | Kernel32.DeletionAsPosix;
        return !file.IsInvalid && Kernel32.SetInformation(file, Kernel32.DispositionInformationEx, &how, sizeof(uint));
    }

    // ReplaceFile does the same, but not while the new file is open, as the flush after the move needs it to be.
    private static bool TryMoveAside(string from, string to)
    {
        var aside = NewNameAside(to);
        if (!Kernel32.Move(to, aside, 0))
            return false;
        if (!Kernel32.Move(from, to, 0))
        {
            PutBack(aside, to);
            return false;
        }
        // While it is open it keeps this name, which no program uses.
        Kernel32.DeleteFile(aside);
        return true;
    }

    private static bool TryDeleteAside(string path)
    {
        var aside = NewNameAside(path);
        if (!Kernel32.Move(path, aside, 0))
            return false;
        if (Kernel32.DeleteFile(aside))
            return true;
        PutBack(aside, path);
        return false;
    }

    // Keeps the error of the failed call, which is reported afterwards.
    private static void PutBack(string aside, string path)
    {
        var error = WindowsError.Last;
        Kernel32.Move(aside, path, 0);
        Marshal.SetLastPInvokeError(error);
    }

    // The name is longer, so that it may need the other form.
    private static string NewNameAside(string path) => WindowsPath.ForCall($"{path}.{Guid.NewGuid():N}{AsideEnding}");

    private static SafeFileHandle OpenToRename(string path) =>
        Kernel32.Open(path, Kernel32.Delete | Kernel32.Synchronize, Kernel32.ShareAll, 0, Kernel32.OpenExisting,
            Kernel32.Normal | Kernel32.OpenLinkItself, 0);

    // False: this user has no right to move the folder. An open file in it keeps nobody from opening it.
    private static bool MayMove(string folder)
    {
        using var opened = Kernel32.Open(folder, Kernel32.Delete | Kernel32.Synchronize, Kernel32.ShareAll, 0, Kernel32.OpenExisting,
            Kernel32.OpenFolders | Kernel32.OpenLinkItself, 0);
        return !opened.IsInvalid || WindowsError.Last != WindowsError.AccessDenied;
    }

    // An open file is refused as if permission were missing.
    private bool IsFileInTheWay(string path, int error) => error == WindowsError.AccessDenied && GetKind(path) == EntryKind.File;

    // A folder opened or deleted as a file is refused as if permission were missing.
    private FileSystemException FailureOfFile(string operation, string path, int error)
    {
        if (error != WindowsError.AccessDenied || GetKind(path) != EntryKind.Folder)
            return WindowsError.Failure(operation, path, error);
        return IsLink(path)
            ? new FileSystemException(FileError.IsALink, operation, path, FileSystemException.IsALink)
            : new FileSystemException(FileError.IsAFolder, operation, path, "it is a folder");
    }
}
