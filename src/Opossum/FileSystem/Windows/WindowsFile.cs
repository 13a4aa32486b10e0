using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Opossum.FileSystem.Windows;

/// <summary>An open file on Windows.</summary>
/// <param name="handle">Its handle, which is synchronous.</param>
[SupportedOSPlatform("windows")]
internal sealed unsafe class WindowsFile(SafeFileHandle handle, string path, WindowsFileSystem owner) : IFile
{
    private const int CountMax = 1 << 30;

    public int Read(Span<byte> buffer, long offset)
    {
        var patience = owner.NewPatience();
        var done = 0;
        fixed (byte* start = buffer)
        {
            while (done < buffer.Length)
            {
                var place = Kernel32.Overlapped.At(offset + done);
                uint count;
                if (Kernel32.Read(handle, start + done, (uint)Math.Min(buffer.Length - done, CountMax), &count, &place))
                {
                    if (count == 0)
                        break;
                    done += (int)count;
                    continue;
                }
                if (WindowsError.Last == WindowsError.EndOfFile)
                    break;
                if (!WindowsError.WasInUse || !patience.TryPause())
                    throw WindowsError.Failure("read", path);
            }
        }
        return done;
    }

    public void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        var patience = owner.NewPatience();
        var done = 0;
        fixed (byte* start = bytes)
        {
            while (done < bytes.Length)
            {
                var place = Kernel32.Overlapped.At(offset + done);
                uint count;
                if (Kernel32.Write(handle, start + done, (uint)Math.Min(bytes.Length - done, CountMax), &count, &place))
                {
                    if (count == 0)
                        throw new FileSystemException(FileError.Other, "write", path, "the file system takes no more bytes and names no error");
                    done += (int)count;
                    continue;
                }
                if (!WindowsError.WasInUse || !patience.TryPause())
                    throw WindowsError.Failure("write", path);
            }
        }
    }

    public void Flush()
    {
        if (!Kernel32.Flush(handle))
            throw WindowsError.Failure("flush", path);
    }

    /// <summary>Does nothing: <see cref="FlushRange"/> does all the work.</summary>
    public void BeginFlushRange()
    {
    }

    /// <summary>Only NTFS has a journal and documents a flush that skips the device (NtFlushBuffersFileEx with FLUSH_FLAGS_NO_SYNC).</summary>
    public void FlushRange()
    {
        if (!owner.FlushesRange(path))
        {
            Flush();
            return;
        }
        NtDll.StatusBlock result;
        var status = NtDll.Flush(handle, NtDll.FlushWithoutDevice, null, 0, &result);
        if (status < 0)
            throw WindowsError.Failure("flush", path, NtDll.ToError(status));
    }

    public void SetLength(long length)
    {
        var patience = owner.NewPatience();
        while (!Kernel32.SetInformation(handle, Kernel32.EndOfFileInformation, &length, sizeof(long)))
        {
            if (!WindowsError.WasInUse || !patience.TryPause())
                throw WindowsError.Failure("set the length of", path);
        }
    }

    public long GetLength() => GetState().Length;

    public bool IsUnlinked() => GetState().IsUnlinked;

    public FileState GetState()
    {
        Kernel32.FileStandardInformation information;
        if (!Kernel32.GetInformation(handle, Kernel32.StandardInformation, &information, (uint)sizeof(Kernel32.FileStandardInformation)))
            throw WindowsError.Failure("look at", path);
        return new FileState(information.DeletePending != 0 || information.Links == 0, information.EndOfFile);
    }

    public FileId GetId() => WindowsFileSystem.IdOf(handle, path);

    public bool TryLock(long offset)
    {
        var range = Kernel32.Overlapped.At(offset);
        if (Kernel32.Lock(handle, Kernel32.LockExclusiveNow, 0, 1, 0, &range))
            return true;
        return WindowsError.Last is WindowsError.LockViolation or WindowsError.Pending ? false : throw WindowsError.Failure("lock", path);
    }

    public void Unlock(long offset)
    {
        var range = Kernel32.Overlapped.At(offset);
        if (!Kernel32.Unlock(handle, 0, 1, 0, &range))
            throw WindowsError.Failure("unlock", path);
    }

    public void Dispose() => handle.Dispose();
}
