using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Opossum.FileSystem.Windows;

/// <summary>Finds out what kind of file system an open folder is on, after following links.</summary>
/// <remarks>
/// A flush of a file makes its name durable too: FlushFileBuffers writes the file's data and metadata and has the device empty its cache
/// (NtFlushBuffersFileEx, flags 0), and NTFS and ReFS log all changes to names in one order. This was not tested by power cuts.
/// </remarks>
[SupportedOSPlatform("windows")]
internal static unsafe class WindowsVolume
{
    private const string Journaling = "NTFS";

    /// <summary>The file system of a cluster's disks: every node of the cluster writes to them.</summary>
    private const string OfCluster = "CSVFS";

    private const int NameLengthMax = 261;
    private const int PathLengthMax = 32 * 1024;

    public static Volume Describe(SafeFileHandle folder, string path)
    {
        if (IsRemote(folder, path))
            return new Volume { Name = "smb", FileFlushCoversName = true, IsNetwork = true };
        var name = stackalloc char[NameLengthMax];
        if (!Kernel32.GetVolumeInformation(folder, null, 0, null, null, null, name, NameLengthMax))
            throw WindowsError.Failure("look at the file system of", path);
        var kind = new string(name);
        return new Volume
        {
            Name = kind,
            FileFlushCoversName = true,
            CanFlushRange = kind == Journaling
            && NtDll.HasFlush,
            IsNetwork = kind == OfCluster
        };
    }

    // Neither the path nor its drive tells: a link or junction in the path may lead to a share. The first query succeeds only for files on
    // other machines, on systems that support it.
    private static bool IsRemote(SafeFileHandle folder, string path)
    {
        var protocol = stackalloc byte[Kernel32.RemoteProtocolInformationBytes];
        if (Kernel32.GetInformation(folder, Kernel32.RemoteProtocolInformation, protocol, Kernel32.RemoteProtocolInformationBytes))
            return true;
        var final = FinalPath(folder) ?? path;
        return WindowsPath.IsShare(final) || (WindowsPath.DriveOf(final) is { } drive && Kernel32.GetDriveType(drive) == Kernel32.NetworkDrive);
    }

    private static string? FinalPath(SafeFileHandle folder)
    {
        var path = new char[PathLengthMax];
        fixed (char* start = path)
        {
            var length = Kernel32.GetFinalPath(folder, start, PathLengthMax, 0);
            return length is > 0 and < PathLengthMax ? new string(start, 0, (int)length) : null;
        }
    }
}
