using Microsoft.Win32.SafeHandles;
using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Portable;

/// <summary>An open file through .NET's calls, and the system's where .NET has none: locks, and whether the file still has a name.</summary>
internal sealed unsafe class PortableFile(SafeFileHandle handle, string path) : IFile
{
    public int Read(Span<byte> buffer, long offset)
    {
        try
        {
            var done = 0;
            while (done < buffer.Length)
            {
                var count = RandomAccess.Read(handle, buffer[done..], offset + done);
                if (count == 0)
                    break;
                done += count;
            }
            return done;
        }
        catch (Exception exception) when (PortableError.IsOne(exception))
        {
            throw PortableError.Failure("read", path, exception);
        }
    }

    public void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        try
        {
            RandomAccess.Write(handle, bytes, offset);
        }
        catch (Exception exception) when (PortableError.IsOne(exception))
        {
            throw PortableError.Failure("write", path, exception);
        }
    }

    /// <summary>
    /// F_FULLFSYNC on macOS. There fsync runs first, because it reports what .NET ignores silently (a file system that cannot flush), and
    /// because it sends the bytes to a server.
    /// </summary>
    public void Flush()
    {
        if (OperatingSystem.IsMacOS())
        {
            while (LibC.Flush(handle) < 0)
            {
                if (!ErrorNumber.WasInterrupted)
                    throw ErrorNumber.Failure("flush", path);
            }
        }
        PortableError.Guard("flush", path, () => RandomAccess.FlushToDisk(handle));
    }

    /// <summary>Does nothing: <see cref="FlushRange"/> does all the work.</summary>
    public void BeginFlushRange()
    {
    }

    public void FlushRange() => Flush();

    public void SetLength(long length) => PortableError.Guard("set the length of", path, () => RandomAccess.SetLength(handle, length));

    public long GetLength() => PortableError.Guard("find the length of", path, () => RandomAccess.GetLength(handle));

    public bool IsUnlinked() => Look().Links == 0;

    public FileId GetId() => Look().Id;

    /// <summary>
    /// Locks the whole file with flock, whatever the offset: byte locks of a handle use fcntl, which is variadic in C and cannot be called
    /// from .NET on macOS with Arm64.
    /// </summary>
    public bool TryLock(long offset)
    {
        while (LibC.LockFile(handle, LibC.LockExclusiveNow) < 0)
        {
            if (ErrorNumber.Last == ErrorNumber.TryAgain)
                return false;
            if (!ErrorNumber.WasInterrupted)
                throw ErrorNumber.Failure("lock", path);
        }
        return true;
    }

    public void Unlock(long offset)
    {
        while (LibC.LockFile(handle, LibC.LockNone) < 0)
        {
            if (!ErrorNumber.WasInterrupted)
                throw ErrorNumber.Failure("unlock", path);
        }
    }

    public void Dispose() => handle.Dispose();

    private (uint Links, FileId Id) Look()
    {
        if (OperatingSystem.IsMacOS())
        {
            LibC.FileStatusMac statusMac;
            if (LibC.GetStatusMac(handle, &statusMac) == 0)
                return (statusMac.Links, new FileId(statusMac.Device, statusMac.Number));
        }
        else
        {
            LibC.FileStatus status;
            if (LibC.GetStatus(handle, "", LibC.EmptyPath, LibC.WantLinks | LibC.WantNumber, &status) == 0)
                return (status.Links, status.Id);
        }
        throw ErrorNumber.Failure("look at", path);
    }
}
