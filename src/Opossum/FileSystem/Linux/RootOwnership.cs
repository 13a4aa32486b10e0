using System.Text;
using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>
/// What root creates gets owner, group and mode of the folder that it is created in, so that the service whose store it is can open, replace and
/// delete it. A folder in which users delete only their own files, such as /tmp, passes nothing on.
/// </summary>
internal readonly unsafe struct RootOwnership
{
    private const ushort KeepsOthersFiles = 0x200; // S_ISVTX
    private const ushort WritableByOthers = 0x12; // 0022
    private const int PathBytesMax = 4096; // PATH_MAX
    private const uint AllBits = 0xFFF; // 07777

    private readonly bool isPassedOn;
    private readonly uint user;
    private readonly uint group;
    private readonly ushort mode;

    private RootOwnership(LibC.FileStatus folder)
    {
        (user, group, mode) = (folder.User, folder.Group, folder.Mode);
        isPassedOn = (mode & KeepsOthersFiles) == 0 && (user != 0 || group != 0 || (mode & WritableByOthers) != 0);
    }

    /// <summary>Whether this process runs as root.</summary>
    public static bool Applies { get; } = LinuxFileSystem.IsSupported && LibC.EffectiveUser() == 0;

    /// <summary>What an open folder passes on; nothing if it cannot be found out.</summary>
    public static RootOwnership Of(LinuxFile folder)
    {
        LibC.FileStatus status;
        return LibC.GetStatus(folder, "", LibC.EmptyPath, LibC.WantOwner, &status) == 0 ? new RootOwnership(status) : default;
    }

    /// <summary>What the folder of an entry passes on; nothing if it cannot be found out.</summary>
    public static RootOwnership OfFolderOf(string path)
    {
        // The path of the folder as a string would be garbage for each file that is created.
        var text = Path.GetDirectoryName(path.AsSpan());
        Span<byte> bytes = stackalloc byte[PathBytesMax];
        if (!Encoding.UTF8.TryGetBytes(text, bytes[..^1], out var length))
            return default;
        bytes[length] = 0;
        LibC.FileStatus status;
        fixed (byte* start = bytes)
            return LibC.GetStatus(LibC.CurrentFolder, start, 0, LibC.WantOwner, &status) == 0 ? new RootOwnership(status) : default;
    }

    /// <summary>Gives what was just created the owner, the group and the mode of its folder. Never fails: a server may not allow it.</summary>
    /// <param name="created">The file, or the folder, which is closed.</param>
    /// <param name="entryMode">The bits of the mode that such an entry may have.</param>
    public void PassTo(LinuxFile created, uint entryMode)
    {
        var isFolder = entryMode == LibC.FolderMode;
        if (isPassedOn)
        {
            // A change of the owner may clear bits of the mode.
            _ = LibC.ChangeOwner(created, user, group);
            _ = LibC.ChangeMode(created, mode & (isFolder ? AllBits : entryMode));
        }
        if (isFolder)
            created.Dispose();
    }
}
