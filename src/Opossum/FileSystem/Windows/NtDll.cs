using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Opossum.FileSystem.Windows;

/// <summary>Windows calls that kernel32 lacks.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class NtDll
{
    public const uint FlushWithoutDevice = 2; // FLUSH_FLAGS_NO_SYNC
    public const int DeletePending = unchecked((int)0xC0000056); // STATUS_DELETE_PENDING

    /// <summary>Whether <see cref="Flush"/> exists: Windows has it since version 8, Wine 8 lacks it.</summary>
    public static bool HasFlush { get; } = NativeLibrary.TryLoad("ntdll", out var library)
        && NativeLibrary.TryGetExport(library, "NtFlushBuffersFileEx", out _);

    [LibraryImport("ntdll", EntryPoint = "NtFlushBuffersFileEx")]
    public static partial int Flush(SafeFileHandle file, uint flags, void* parameters, uint parametersSize, StatusBlock* result);

    [LibraryImport("ntdll", EntryPoint = "RtlNtStatusToDosError")]
    public static partial int ToError(int status);

    /// <summary>The status from which the thread's last kernel32 call derived its error number.</summary>
    [LibraryImport("ntdll", EntryPoint = "RtlGetLastNtStatus")]
    [SuppressGCTransition]
    public static partial int GetLastStatus();

    /// <summary>IO_STATUS_BLOCK.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct StatusBlock
    {
        public nint Status;
        public nuint Information;
    }
}
