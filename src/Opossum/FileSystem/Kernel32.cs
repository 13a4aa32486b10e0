using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Opossum.FileSystem;

/// <summary>The calls of Windows that .NET has not.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class Kernel32
{
    public const uint LockExclusiveNow = 2 | 1; // LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY
    public const int LockViolation = 33;
    public const int Pending = 997;
    public const int StandardInformation = 1;

    [LibraryImport("kernel32", EntryPoint = "LockFileEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool Lock(SafeFileHandle file, uint flags, uint reserved, uint countLow, uint countHigh, Overlapped* range);

    [LibraryImport("kernel32", EntryPoint = "UnlockFileEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool Unlock(SafeFileHandle file, uint reserved, uint countLow, uint countHigh, Overlapped* range);

    [LibraryImport("kernel32", EntryPoint = "GetFileInformationByHandleEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool GetInformation(SafeFileHandle file, int what, FileStandardInformation* information, uint size);

    [LibraryImport("kernel32", EntryPoint = "GetFileInformationByHandle", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool GetInformation(SafeFileHandle file, FileInformation* information);

    /// <summary>OVERLAPPED, of which locks use the offset.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Overlapped
    {
        public nuint Internal;
        public nuint InternalHigh;
        public uint OffsetLow;
        public uint OffsetHigh;
        public nint Event;
    }

    /// <summary>BY_HANDLE_FILE_INFORMATION.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 52)]
    public struct FileInformation
    {
        [FieldOffset(28)]
        public uint Volume;

        [FieldOffset(44)]
        public uint NumberHigh;

        [FieldOffset(48)]
        public uint NumberLow;
    }

    /// <summary>FILE_STANDARD_INFO.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct FileStandardInformation
    {
        public long AllocationSize;
        public long EndOfFile;
        public uint Links;
        public byte DeletePending;
        public byte Folder;
    }
}
