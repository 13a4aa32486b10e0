using System.Globalization;
using System.Runtime.InteropServices;
using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>
/// An open file or folder on Linux. It is the handle itself: opening costs one object, the garbage collector closes a file that was not
/// disposed, and a number that one thread closes is never used by another.
/// </summary>
internal sealed unsafe class LinuxFile : SafeHandle, IFile
{
    private readonly string path;
    private bool? deniesTakenLocks;

    public LinuxFile(int descriptor, string path)
        : base(-1, ownsHandle: true)
    {
        this.path = path;
        SetHandle(descriptor);
    }

    public string Path => path;

    public override bool IsInvalid => handle < 0;

    public int Read(Span<byte> buffer, long offset)
    {
        var done = 0;
        fixed (byte* start = buffer)
        {
            while (done < buffer.Length)
            {
                var count = LibC.Read(this, start + done, buffer.Length - done, offset + done);
                if (count == 0)
                    break;
                if (count > 0)
                    done += (int)count;
                else if (!ErrorNumber.WasInterrupted)
                    throw ErrorNumber.HandleFailure("read", path);
            }
        }
        return done;
    }

    public void Prefetch(long offset, long length) => LibC.Advise(this, offset, length, LibC.WillNeed);

    public void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        var done = 0;
        fixed (byte* start = bytes)
        {
            while (done < bytes.Length)
            {
                var count = LibC.Write(this, start + done, bytes.Length - done, offset + done);
                if (count > 0)
                    done += (int)count;
                else if (count == 0)
                    throw new FileSystemException(FileError.Other, "write", path, "the file system takes no more bytes and names no error");
                else if (!ErrorNumber.WasInterrupted)
                    throw ErrorNumber.HandleFailure("write", path);
            }
        }
    }

    public void Flush()
    {
        while (LibC.Flush(this) < 0)
        {
            if (!ErrorNumber.WasInterrupted)
                throw ErrorNumber.HandleFailure("flush", path);
        }
    }

    public void FlushBytes()
    {
        while (LibC.FlushBytes(this) < 0)
        {
            if (!ErrorNumber.WasInterrupted)
                throw ErrorNumber.HandleFailure("flush", path);
        }
    }

    public void BeginFlushRange() => FlushRange(LibC.RangeWrite);

    public void FlushRange() => FlushRange(LibC.RangeWaitBeforeWriteWaitAfter);

    public void SetLength(long length)
    {
        while (LibC.SetLength(this, length) < 0)
        {
            if (!ErrorNumber.WasInterrupted)
                throw ErrorNumber.HandleFailure("set the length of", path);
        }
    }

    public long GetLength()
    {
        // Nothing else uses the handle's file position.
        var length = LibC.Seek(this, 0, LibC.EndSeek);
        return length >= 0 ? length : throw ErrorNumber.HandleFailure("find the length of", path);
    }

    public bool IsUnlinked() => GetState().IsUnlinked;

    public FileState GetState()
    {
        LibC.FileStatus status;
        // An NFS client may otherwise answer from what it knew a minute ago.
        if (LibC.GetStatus(this, "", LibC.EmptyPath | LibC.AskServer, LibC.WantLinks | LibC.WantLength, &status) < 0)
            throw ErrorNumber.HandleFailure("look at", path);
        return new FileState(status.Links == 0, status.Length);
    }

    public FileId GetId()
    {
        LibC.FileStatus status;
        return LibC.GetStatus(this, "", LibC.EmptyPath, LibC.WantNumber, &status) == 0 ? status.Id : throw ErrorNumber.HandleFailure("look at", path);
    }

    public bool TryLock(long offset) => SetLock(LibC.WriteLock, offset);

    /// <summary>
    /// The kernel does not keep locks that a FUSE client forwards to its server. Locks that the client does not forward, the kernel keeps itself
    /// and lists among the handle's locks (proc_pid_fdinfo(5)); clients on other machines do not know of them.
    /// </summary>
    public bool LocksStayHere()
    {
        LibC.VolumeStatus status;
        if (LibC.GetVolumeStatus(this, &status) < 0 || status.Type != LinuxVolume.Fuse)
            return false;
        try
        {
            return File.ReadLines(string.Create(CultureInfo.InvariantCulture,
                $"/proc/self/fdinfo/{handle}")).Any(static line => line.StartsWith("lock:", StringComparison.Ordinal));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    public void Unlock(long offset)
    {
        if (!SetLock(LibC.Unlocked, offset))
            throw ErrorNumber.HandleFailure("unlock", path);
    }

    public bool IsLocked(long offset) => FindLock(offset) is var found && found < 0 ? throw ErrorNumber.HandleFailure("find the lock of", path)
        : found != LibC.Unlocked;

    public bool IsLockedForReading(long offset) => FindLock(offset) == LibC.ReadLock;

    protected override bool ReleaseHandle() => LibC.Close(handle) == 0; // Not repeated after EINTR: Linux has closed it by then.

    private void FlushRange(uint flags)
    {
        while (LibC.FlushRange(this, 0, 0, flags) < 0)
        {
            if (!ErrorNumber.WasInterrupted)
                throw ErrorNumber.HandleFailure("flush", path);
        }
    }

    // The kind of another handle's lock; negative: the last error says why it is not known.
    private int FindLock(long offset)
    {
        var fileLock = new LibC.FileLock { Type = LibC.WriteLock, Offset = offset, Length = 1 };
        return LibC.Control(this, LibC.GetFileLock, &fileLock) == 0 ? fileLock.Type : -1;
    }

    private bool SetLock(short type, long offset)
    {
        var fileLock = new LibC.FileLock { Type = type, Offset = offset, Length = 1 };
        while (LibC.Control(this, LibC.SetFileLock, &fileLock) < 0)
        {
            var error = ErrorNumber.Last;
            // When the byte is taken, local file systems and NFS report EAGAIN, SMB reports EACCES.
            if (error == ErrorNumber.TryAgain || (error == ErrorNumber.AccessDenied && (deniesTakenLocks ??= LinuxVolume.DeniesTakenLocks(this))))
                return false;
            if (error != ErrorNumber.Interrupted)
                throw ErrorNumber.HandleFailure("lock", path, error);
        }
        return true;
    }
}
