using System.Runtime.InteropServices;

namespace Opossum.FileSystem.Unix;

/// <summary>Distinguishes regular files from folders, pipes, sockets and devices on systems with libc.</summary>
internal static unsafe class RegularFile
{
    private const int TypeMask = 0xF000;
    private const int Regular = 0x8000;
    private const int Folder = 0x4000;

    /// <summary>Throws when the open(2) that just failed met a socket, or a device without a driver.</summary>
    /// <exception cref="FileSystemException">The path is a socket or such a device.</exception>
    public static void ThrowIfDenied(string path)
    {
        if (ErrorNumber.Last == 6 || (OperatingSystem.IsMacOS() && ErrorNumber.Last == 102)) // ENXIO, EOPNOTSUPP
            throw NotOne(path);
    }

    /// <summary>Checks that an opened file is a regular file, and closes it if it is not.</summary>
    /// <exception cref="FileSystemException">It is not a regular file.</exception>
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

    // Does not query a server: the type of an open file never changes.
    private static ushort ModeOf(SafeHandle opened, string path)
    {
        if (OperatingSystem.IsMacOS())
        {
            LibC.FileStatusMac statusMac;
            return LibC.GetStatusMac(opened, &statusMac) == 0 ? statusMac.Mode : throw ErrorNumber.Failure("look at", path);
        }
        LibC.FileStatus status;
        return LibC.GetStatus(opened, "", LibC.EmptyPath | LibC.AsKnown, LibC.WantType, &status) == 0
            ? status.Mode
            : throw ErrorNumber.Failure("look at", path);
    }

    private static FileSystemException NotOne(string path) =>
        new(FileError.NotARegularFile, "open", path, "it is not a regular file but a pipe, a socket or a device.");
}
