using System.Text;
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
    private const int PathBytesMax = 4096; // PATH_MAX
    private const uint AllBits = 0xFFF; // 07777

    /// <summary>Whether this process runs as root.</summary>
    public static bool Applies { get; } = LinuxFileSystem.IsSupported && LibC.EffectiveUser() == 0;

    /// <summary>Gives what was just created the owner, the group and the mode of its folder. Never fails: a server may not allow it.</summary>
    /// <param name="created">The file, or the folder, which is closed.</param>
    /// <param name="mode">The bits of the mode that such an entry may have.</param>
    /// <param name="known">The status of its folder; null: it is asked for.</param>
    public static void TakeOver(LinuxFile created, uint mode, LibC.FileStatus* known = null)
    {
        var isFolder = mode == LibC.FolderMode;
        LibC.FileStatus asked;
        var folder = known != null ? known : &asked;
        if ((known != null || TryGetOwner(created.Path, folder))
            && (folder->Mode & KeepsOthersFiles) == 0
            && (folder->User != 0 || folder->Group != 0 || (folder->Mode & WritableByOthers) != 0))
        {
            // A change of the owner may clear bits of the mode.
            _ = LibC.ChangeOwner(created, folder->User, folder->Group);
            _ = LibC.ChangeMode(created, folder->Mode & (isFolder ? AllBits : mode));
        }
        if (isFolder)
            created.Dispose();
    }

    // The path of the folder as a string would be garbage for each file that is created.
    private static bool TryGetOwner(string path, LibC.FileStatus* folder)
    {
        var text = Path.GetDirectoryName(path.AsSpan());
        Span<byte> bytes = stackalloc byte[PathBytesMax];
        if (!Encoding.UTF8.TryGetBytes(text, bytes[..^1], out var length))
            return false;
        bytes[length] = 0;
        fixed (byte* start = bytes)
            return LibC.GetStatus(LibC.CurrentFolder, start, 0, LibC.WantOwner, folder) == 0;
    }
}
