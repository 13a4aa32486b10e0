using System.Runtime.InteropServices;

namespace Opossum.FileSystem.Unix;

/// <summary>Tells a regular file from what else has a name among files where there is libc: folders, pipes, sockets, devices.</summary>
internal static unsafe class RegularFile
{
    private const int TypeMask = 0xF000;
    private const int Regular = 0x8000;
    private const int Folder = 0x4000;

    /// <summary>Tells what open(2) has just failed for, when a socket, or a device that nobody serves, has the name.</summary>
    /// <exception cref="FileSystemException">It was that.</exception>
    public static void ThrowIfDenied(string path)
    {
        if (ErrorNumber.Last == 6 || (OperatingSystem.IsMacOS() && ErrorNumber.Last == 102)) // ENXIO, EOPNOTSUPP
            throw NotOne(path);
    }

    /// <summary>Makes sure of what was opened, and closes what is no regular file.</summary>
    /// <param name="opened">What was opened.</param>
    /// <param name="path">By which name.</param>
    /// <exception cref="FileSystemException">It is no regular file.</exception>
    public static void CheckOrClose(SafeHandle opened, string path)
    {
        try
        {
            var type = ModeOf(opened, path) & TypeMask;
            if (type != Regular)
                throw type == Folder ? ErrorNumber.Failure("open", path, ErrorNumber.IsAFolder) : NotOne(path);
        }
        catch
        {
            opened.Dispose();
            throw;
        }
    }

    // No server is asked: what an open file is never changes.
    private static ushort ModeOf(SafeHandle opened, string path)
    {
        if (OperatingSystem.IsMacOS())
        {
            LibC.FileStatusMac statusMac;
            return LibC.GetStatusMac(opened, &statusMac) == 0 ? statusMac.Mode : throw ErrorNumber.Failure("look at", path);
        }
        LibC.FileStatus status;
        return LibC.GetStatus(opened, "", LibC.EmptyPath | LibC.AsKnown, LibC.WantType, &status) == 0 ? status.Mode : throw ErrorNumber.Failure("look at", path);
    }

    private static FileSystemException NotOne(string path) => new(FileError.NotARegularFile, "open", path, "it is not a regular file but a pipe, a socket or a device.");
}
