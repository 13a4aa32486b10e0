using System.Text;
using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>
/// Removes a folder and its content. Each folder is opened relative to its parent, and only if it is not a link; its content is removed through
/// that handle. So a link that replaces a folder meanwhile cannot lead the removal elsewhere.
/// </summary>
internal static unsafe class LinuxFolderRemoval
{
    public static bool TryRemove(string path, ref int filesLeft)
    {
        fixed (byte* name = (byte[])[.. Encoding.UTF8.GetBytes(path), 0])
            return TryRemove(LibC.CurrentFolder, name, path, ref filesLeft);
    }

    // Names are bytes here, because names that are not UTF-8 must be removed too.
    private static bool TryRemove(int parent, byte* name, string root, ref int filesLeft)
    {
        if (filesLeft == 0)
            return false;
        if (TryUnlink(parent, name, 0))
        {
            filesLeft--;
            return true;
        }
        if (ErrorNumber.Last == ErrorNumber.Missing)
            return true;
        if (ErrorNumber.Last != ErrorNumber.IsAFolder)
            throw ErrorNumber.Failure("delete the content of", root);
        var descriptor = LibC.OpenIn(parent, name, LibC.ReadOnly | LibC.Folder | LibC.NoLink | LibC.CloseOnExec);
        if (descriptor < 0)
            throw ErrorNumber.Failure("open a folder to be removed in", root);
        using (new LinuxFile(descriptor, root))
        {
            foreach (var entry in List(descriptor, root))
            {
                fixed (byte* each = entry)
                {
                    if (!TryRemove(descriptor, each, root, ref filesLeft))
                        return false;
                }
            }
        }
        return TryUnlink(parent, name, LibC.AFolder) || ErrorNumber.Last == ErrorNumber.Missing ? true : throw ErrorNumber.FolderFailure(root);
    }

    // False: the last error holds the reason.
    private static bool TryUnlink(int parent, byte* name, int flags)
    {
        var retry = new StaleRetry();
        while (LibC.UnlinkIn(parent, name, flags) < 0)
        {
            if (!retry.IsDue())
                return false;
        }
        return true;
    }

    private static List<byte[]> List(int folder, string root)
    {
        var self = stackalloc byte[] { (byte)'.', 0 };
        var descriptor = LibC.OpenIn(folder, self, LibC.ReadOnly | LibC.Folder | LibC.CloseOnExec);
        // From here on the listing owns the descriptor and closes it.
        var listing = descriptor < 0 ? 0 : LibC.OpenFolder(descriptor);
        return LinuxFileSystem.ReadNames<byte[]>(listing, root, static name => [.. name, 0]);
    }
}
