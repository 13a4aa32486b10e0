using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Opossum.FileSystem.Windows;

/// <summary>Windows calls for files and for waiting.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class Kernel32
{
    public const uint GenericRead = 0x80000000;
    public const uint GenericWrite = 0x40000000;
    public const uint Delete = 0x00010000;
    public const uint Synchronize = 0x00100000;
    public const uint ReadAttributes = 0x80; // FILE_READ_ATTRIBUTES
    public const uint AddFile = 0x2; // FILE_ADD_FILE
    public const uint AddSubfolder = 0x4; // FILE_ADD_SUBDIRECTORY

    public const uint ShareAll = 1 | 2 | 4; // FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_SHARE_DELETE

    public const uint CreateNew = 1;
    public const uint OpenExisting = 3;

    public const uint Normal = 0x80; // FILE_ATTRIBUTE_NORMAL
    public const uint OpenFolders = 0x02000000; // FILE_FLAG_BACKUP_SEMANTICS
    public const uint WriteThrough = 0x80000000; // FILE_FLAG_WRITE_THROUGH
    public const uint OpenLinkItself = 0x00200000; // FILE_FLAG_OPEN_REPARSE_POINT

    public const uint IsFolder = 0x10; // FILE_ATTRIBUTE_DIRECTORY
    public const uint IsReparsePoint = 0x400; // FILE_ATTRIBUTE_REPARSE_POINT
    public const uint NoAttributes = 0xFFFFFFFF; // INVALID_FILE_ATTRIBUTES

    public const int StandardInformation = 1; // FileStandardInfo
    public const int EndOfFileInformation = 6; // FileEndOfFileInfo
    public const int AttributeTagInformation = 9; // FileAttributeTagInfo
    public const int RemoteProtocolInformation = 13; // FileRemoteProtocolInfo
    public const int DispositionInformationEx = 21; // FileDispositionInfoEx
    public const int RenameInformationEx = 22; // FileRenameInfoEx
    public const int RemoteProtocolInformationBytes = 116;

    public const uint RenameReplaces = 1; // FILE_RENAME_FLAG_REPLACE_IF_EXISTS
    public const uint RenameAsPosix = 2; // FILE_RENAME_FLAG_POSIX_SEMANTICS

    public const uint DeletionDeletes = 1; // FILE_DISPOSITION_FLAG_DELETE
    public const uint DeletionAsPosix = 2; // FILE_DISPOSITION_FLAG_POSIX_SEMANTICS

    public const uint MoveReplaces = 1; // MOVEFILE_REPLACE_EXISTING

    public const uint LockExclusiveNow = 2 | 1; // LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY

    public const uint NetworkDrive = 4; // DRIVE_REMOTE

    public const uint HighResolutionTimer = 2; // CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
    public const uint AllOfTimer = 0x1F0003; // TIMER_ALL_ACCESS
    public const uint NoTimeout = 0xFFFFFFFF; // INFINITE

    [LibraryImport("kernel32", EntryPoint = "CreateFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    public static partial SafeFileHandle Open(string path, uint access, uint share, nint security, uint disposition, uint flags, nint template);

    [LibraryImport("kernel32", EntryPoint = "ReadFile", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool Read(SafeFileHandle file, byte* buffer, uint count, uint* done, Overlapped* place);

    [LibraryImport("kernel32", EntryPoint = "WriteFile", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool Write(SafeFileHandle file, byte* bytes, uint count, uint* done, Overlapped* place);

    [LibraryImport("kernel32", EntryPoint = "FlushFileBuffers", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool Flush(SafeFileHandle file);

    [LibraryImport("kernel32", EntryPoint = "LockFileEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool Lock(SafeFileHandle file, uint flags, uint reserved, uint countLow, uint countHigh, Overlapped* range);

    [LibraryImport("kernel32", EntryPoint = "UnlockFileEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool Unlock(SafeFileHandle file, uint reserved, uint countLow, uint countHigh, Overlapped* range);

    [LibraryImport("kernel32", EntryPoint = "GetFileInformationByHandleEx", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool GetInformation(SafeFileHandle file, int what, void* information, uint size);

    [LibraryImport("kernel32", EntryPoint = "GetFileInformationByHandle", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool GetInformation(SafeFileHandle file, FileInformation* information);

    [LibraryImport("kernel32", EntryPoint = "SetFileInformationByHandle", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool SetInformation(SafeFileHandle file, int what, void* information, uint size);

    [LibraryImport("kernel32", EntryPoint = "GetFinalPathNameByHandleW", SetLastError = true)]
    public static partial uint GetFinalPath(SafeFileHandle file, char* path, uint count, uint flags);

    [LibraryImport("kernel32", EntryPoint = "GetVolumeInformationByHandleW", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool GetVolumeInformation(SafeFileHandle file, char* label, uint labelCount, uint* serial, uint* nameMax, uint* flags,
        char* name, uint nameCount);

    [LibraryImport("kernel32", EntryPoint = "GetDriveTypeW", StringMarshalling = StringMarshalling.Utf16)]
    public static partial uint GetDriveType(string root);

    [LibraryImport("kernel32", EntryPoint = "GetFileAttributesW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    public static partial uint GetAttributes(string path);

    [LibraryImport("kernel32", EntryPoint = "CreateDirectoryW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool CreateFolder(string path, nint security);

    [LibraryImport("kernel32", EntryPoint = "RemoveDirectoryW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool DeleteFolder(string path);

    [LibraryImport("kernel32", EntryPoint = "DeleteFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool DeleteFile(string path);

    [LibraryImport("kernel32", EntryPoint = "MoveFileExW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool Move(string from, string to, uint flags);

    [LibraryImport("kernel32", EntryPoint = "CreateWaitableTimerExW", SetLastError = true)]
    public static partial SafeWaitHandle CreateTimer(nint security, nint name, uint flags, uint access);

    [LibraryImport("kernel32", EntryPoint = "SetWaitableTimer", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    public static partial bool SetTimer(SafeWaitHandle timer, long* due, int period, nint routine, nint argument, int resumes);

    [LibraryImport("kernel32", EntryPoint = "WaitForSingleObject", SetLastError = true)]
    public static partial uint Wait(SafeWaitHandle handle, uint milliseconds);

    /// <summary>OVERLAPPED; only the offset is used, because all handles are synchronous.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Overlapped
    {
        public nuint Internal;
        public nuint InternalHigh;
        public uint OffsetLow;
        public uint OffsetHigh;
        public nint Event;

        public static Overlapped At(long offset) => new() { OffsetLow = (uint)offset, OffsetHigh = (uint)(offset >> 32) };
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

    /// <summary>FILE_ATTRIBUTE_TAG_INFO.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct FileAttributeTagInformation
    {
        public uint Attributes;
        public uint ReparseTag;
    }

    /// <summary>FILE_RENAME_INFO without the name, which follows its length.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct FileRenameInformation
    {
        public uint Flags;
        public nint Folder;
        public uint NameBytes;
    }
}
