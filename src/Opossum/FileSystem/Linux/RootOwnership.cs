using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>
/// What root creates gets owner, group and mode of the folder that it is created in, so that the service whose store it is can open, replace and
/// delete it. A folder in which users delete only their own files, such as /tmp, passes nothing on.
/// </summary>
internal static unsafe class RootOwnership
{
    private const ushort KeepsOthersFiles = 0x200; // S_ISVTX
    private const ushort WritableByOthers = 0x12; // 0022
    private const uint AllBits = 0xFFF; // 07777

    /// <summary>Whether this process runs as root.</summary>
    public static bool Applies { get; } = LinuxFileSystem.IsSupported && LibC.EffectiveUser() == 0;

    /// <summary>Gives what was just created the owner, the group and the mode of its folder. Never fails: a server may not allow it.</summary>
    /// <param name="created">The file, or the folder, which is closed.</param>
    /// <param name="mode">The bits of the mode that such an entry may have.</param>
    public static void TakeOver(LinuxFile created, uint mode)
    {
        var isFolder = mode == LibC.FolderMode;
        LibC.FileStatus folder;
        if (LibC.GetStatus(LibC.CurrentFolder, FilePath.FolderOf(created.Path)!, 0, LibC.WantOwner, &folder) == 0
            && (folder.Mode & KeepsOthersFiles) == 0
            && (folder.User != 0 || folder.Group != 0 || (folder.Mode & WritableByOthers) != 0))
        {
            // Order matters: a change of the owner may clear bits of the mode.
            _ = LibC.ChangeOwner(created, folder.User, folder.Group);
            _ = LibC.ChangeMode(created, folder.Mode & (isFolder ? AllBits : mode));
        }
        if (isFolder)
            created.Dispose();
    }
}
