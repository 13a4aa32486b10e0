namespace Opossum.FileSystem;

/// <summary>Tells a regular file from what else has a name among files where there is libc: folders, pipes, sockets, devices.</summary>
internal static class RegularFile
{
    private const int TypeMask = 0xF000;
    private const int Regular = 0x8000;
    private const int Folder = 0x4000;

    /// <summary>Whether open(2) failed because a socket, or a device that nobody serves, has the name.</summary>
    public static bool IsDenied(int number) => number == 6 || (OperatingSystem.IsMacOS() && number == 102); // ENXIO, EOPNOTSUPP

    /// <summary>Makes sure of what was opened.</summary>
    /// <param name="mode">The st_mode of what was opened.</param>
    /// <param name="path">By which name.</param>
    /// <exception cref="FileSystemException">It is no regular file.</exception>
    public static void Check(ushort mode, string path)
    {
        if ((mode & TypeMask) != Regular)
            throw (mode & TypeMask) == Folder ? ErrorNumber.Failure("open", path, ErrorNumber.IsAFolder) : NotOne(path);
    }

    public static FileSystemException NotOne(string path) => new(FileError.NotARegularFile, "open", path, "it is not a regular file but a pipe, a socket or a device.");
}
