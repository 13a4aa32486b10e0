using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Opossum.FileSystem.Windows;

/// <summary>Tells what kind of file system an open folder lies on, wherever links have led to it.</summary>
/// <remarks>
/// A flush of a file makes its name durable too: FlushFileBuffers writes the file's data and metadata and has the device empty its cache
/// (NtFlushBuffersFileEx, flags 0), and NTFS and ReFS log all that they do to names in one order. No power cut has tried it.
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
        return new Volume { Name = kind, FileFlushCoversName = true, CanFlushRange = kind == Journaling && NtDll.HasFlush, IsNetwork = kind == OfCluster };
    }

    // Neither the path nor its drive says it: a link or a junction in it may lead to a share. The first question is answered for files of
    // other machines alone, by those of the systems that know it.
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
