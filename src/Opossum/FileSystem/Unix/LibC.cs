using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Opossum.FileSystem.Linux;

namespace Opossum.FileSystem.Unix;

/// <summary>
/// The calls of the C library that .NET lacks, or makes with more system calls than needed. Flags and layouts are those of 64-bit Linux on
/// the architectures that <see cref="LinuxFileSystem.IsSupported"/> names; members that macOS uses too are marked.
/// </summary>
/// <remarks>
/// open, fcntl and ioctl are variadic in C. On Linux such arguments are passed like any others; on macOS with Arm64 they are not, and
/// P/Invoke cannot express that, so <see cref="OpenExisting"/> with two arguments is the only one of them called there.
/// </remarks>
internal static unsafe partial class LibC
{
    public const int ReadOnly = 0x0;
    public const int WriteOnly = 0x1;
    public const int ReadWrite = 0x2;
    public const int Create = 0x40;
    public const int Exclusive = 0x80;
    public const int NoWait = 0x800; // O_NONBLOCK
    public const int Synchronous = 0x101000; // O_SYNC
    public const int NoWaitMac = 0x4;
    public const int CloseOnExec = 0x80000;
    public const int SynchronousMac = 0x80;
    public const int CloseOnExecMac = 0x1000000;
    public const int NoLinkMac = 0x100;

    /// <summary>The mode that .NET creates files with; the process's umask applies.</summary>
    public const uint FileMode = 0x1B6; // 0666

    public const uint FolderMode = 0x1FF; // 0777

    public const int LockExclusiveNow = 2 | 4;
    public const int LockNone = 8;

    public const int WillNeed = 3; // POSIX_FADV_WILLNEED

    public const uint RangeWrite = 2;
    public const uint RangeWaitBeforeWriteWaitAfter = 1 | 2 | 4;

    public const int CurrentFolder = -100;
    public const int EmptyPath = 0x1000;
    public const int AskServer = 0x2000; // AT_STATX_FORCE_SYNC
    public const int AsKnown = 0x4000; // AT_STATX_DONT_SYNC
    public const int LinkItself = 0x100; // AT_SYMLINK_NOFOLLOW
    public const int AFolder = 0x200; // AT_REMOVEDIR
    public const uint WantType = 0x1;
    public const uint WantOwner = 0x2 | 0x8 | 0x10; // STATX_MODE, STATX_UID, STATX_GID
    public const uint WantLinks = 0x4;
    public const uint WantNumber = 0x100;
    public const uint WantLength = 0x200;

    public const int GetFileLock = 36; // F_OFD_GETLK
    public const int SetFileLock = 37; // F_OFD_SETLK
    public const short ReadLock = 0;
    public const short WriteLock = 1;
    public const short Unlocked = 2;

    public const nuint GetFlags = 0x80086601; // FS_IOC_GETFLAGS
    public const nuint SetFlags = 0x40086602; // FS_IOC_SETFLAGS
    public const int TopOfHierarchy = 0x20000; // EXT4_TOPDIR_FL

    public const int EndSeek = 2;

    private static readonly bool isArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    public static int Folder { get; } = isArm ? 0x4000 : 0x10000;

    public static int Direct { get; } = isArm ? 0x10000 : 0x4000;

    public static int NoLink { get; } = isArm ? 0x8000 : 0x20000; // O_NOFOLLOW

    public static int NamelessFile => 0x400000 | Folder; // O_TMPFILE

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags, uint mode);

    /// <summary>Also on macOS.</summary>
    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int OpenExisting(string path, int flags);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    public static partial int Close(nint descriptor);

    [LibraryImport("libc", EntryPoint = "pread", SetLastError = true)]
    public static partial nint Read(SafeHandle file, byte* buffer, nint count, long offset);

    /// <summary>Returns the error, and does not set errno.</summary>
    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    public static partial int Advise(SafeHandle file, long offset, long length, int advice);

    [LibraryImport("libc", EntryPoint = "pwrite", SetLastError = true)]
    public static partial nint Write(SafeHandle file, byte* bytes, nint count, long offset);

    /// <summary>Also on macOS.</summary>
    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    public static partial int Flush(SafeHandle file);

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    public static partial int FlushBytes(SafeHandle file);

    [LibraryImport("libc", EntryPoint = "syncfs", SetLastError = true)]
    public static partial int FlushWhole(SafeHandle folder);

    [LibraryImport("libc", EntryPoint = "sync_file_range", SetLastError = true)]
    public static partial int FlushRange(SafeHandle file, long offset, long count, uint flags);

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    public static partial int SetLength(SafeHandle file, long length);

    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    public static partial long Seek(SafeHandle file, long offset, int from);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Control(SafeHandle file, int command, FileLock* fileLock);

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    public static partial int Control(SafeHandle file, nuint request, int* value);

    /// <summary>Also on macOS.</summary>
    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    public static partial int LockFile(SafeHandle file, int operation);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int GetStatus(int folder, string path, int flags, uint wanted, FileStatus* status);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true)]
    public static partial int GetStatus(int folder, byte* path, int flags, uint wanted, FileStatus* status);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int GetStatus(SafeHandle file, string path, int flags, uint wanted, FileStatus* status);

    [LibraryImport("libc", EntryPoint = "fstatfs", SetLastError = true)]
    public static partial int GetVolumeStatus(SafeHandle file, VolumeStatus* status);

    [LibraryImport("libc", EntryPoint = "rmdir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int RemoveFolder(string path);

    [LibraryImport("libc", EntryPoint = "unlink", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Unlink(string path);

    [LibraryImport("libc", EntryPoint = "rename", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Rename(string from, string to);

    [LibraryImport("libc", EntryPoint = "mkdir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int MakeFolder(string path, uint mode);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    public static partial uint EffectiveUser();

    [LibraryImport("libc", EntryPoint = "fchown", SetLastError = true)]
    public static partial int ChangeOwner(SafeHandle file, uint user, uint group);

    [LibraryImport("libc", EntryPoint = "fchmod", SetLastError = true)]
    public static partial int ChangeMode(SafeHandle file, uint mode);

    [LibraryImport("libc", EntryPoint = "openat", SetLastError = true)]
    public static partial int OpenIn(int folder, byte* name, int flags);

    [LibraryImport("libc", EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int OpenIn(SafeHandle folder, string name, int flags, uint mode);

    [LibraryImport("libc", EntryPoint = "unlinkat", SetLastError = true)]
    public static partial int UnlinkIn(int folder, byte* name, int flags);

    [LibraryImport("libc", EntryPoint = "fdopendir", SetLastError = true)]
    public static partial nint OpenFolder(int descriptor);

    [LibraryImport("libc", EntryPoint = "opendir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial nint OpenFolder(string path);

    [LibraryImport("libc", EntryPoint = "readdir", SetLastError = true)]
    public static partial FolderEntry* ReadFolder(nint folder);

    [LibraryImport("libc", EntryPoint = "closedir", SetLastError = true)]
    public static partial int CloseFolder(nint folder);

    [LibraryImport("libc", EntryPoint = "nanosleep", SetLastError = true)]
    public static partial int Sleep(TimeSpec* time, TimeSpec* rest);

    [SupportedOSPlatform("macos")]
    public static int GetStatusMac(SafeHandle file, FileStatusMac* status) => isArm ? StatusMacArm64(file, status) : StatusMacX64(file, status);

    [LibraryImport("libc", EntryPoint = "fstat", SetLastError = true)]
    private static partial int StatusMacArm64(SafeHandle file, FileStatusMac* status);

    [LibraryImport("libc", EntryPoint = "fstat$INODE64", SetLastError = true)]
    private static partial int StatusMacX64(SafeHandle file, FileStatusMac* status);

    /// <summary>struct flock; the process id must be 0 for open-file-description locks.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct FileLock
    {
        public short Type;
        public short From;
        public long Offset;
        public long Length;
        public int ProcessId;
    }

    /// <summary>struct statx.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    public struct FileStatus
    {
        [FieldOffset(8)]
        public ulong Attributes;

        [FieldOffset(16)]
        public uint Links;

        [FieldOffset(20)]
        public uint User;

        [FieldOffset(24)]
        public uint Group;

        [FieldOffset(28)]
        public ushort Mode;

        [FieldOffset(32)]
        public ulong Number;

        [FieldOffset(40)]
        public long Length;

        [FieldOffset(136)]
        public uint DeviceMajor;

        [FieldOffset(140)]
        public uint DeviceMinor;

        public readonly FileId Id => new((ulong)DeviceMajor << 32 | DeviceMinor, Number);

        public readonly bool IsFolder => (Mode & 0xF000) == 0x4000;

        public readonly bool IsLink => (Mode & 0xF000) == 0xA000;

        /// <summary>STATX_ATTR_MOUNT_ROOT, since Linux 5.8.</summary>
        public readonly bool IsMountedVolume => (Attributes & 0x2000) != 0;
    }

    /// <summary>struct statfs.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    public struct VolumeStatus
    {
        [FieldOffset(0)]
        public uint Type;

        [FieldOffset(56)]
        public long Id;
    }

    /// <summary>struct dirent.</summary>
    [StructLayout(LayoutKind.Explicit)]
    public struct FolderEntry
    {
        [FieldOffset(19)]
        public byte Name;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }

    /// <summary>struct stat of macOS, with 64-bit inodes.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    public struct FileStatusMac
    {
        [FieldOffset(0)]
        public uint Device;

        [FieldOffset(4)]
        public ushort Mode;

        [FieldOffset(6)]
        public ushort Links;

        [FieldOffset(8)]
        public ulong Number;
    }
}
