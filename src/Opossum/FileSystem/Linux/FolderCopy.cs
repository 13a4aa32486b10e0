namespace Opossum.FileSystem.Linux;

/// <summary>
/// Moves a folder by copying it, where the file system cannot rename it: overlayfs cannot rename a folder that comes from a lower layer, such as
/// one of a container's image.
/// </summary>
internal static class FolderCopy
{
    private const string StagingEnding = ".moving";
    private const int BytesAtOnce = 128 * 1024;

    /// <summary>Moves a folder to a free name in its parent. A crash leaves it at one of the names or at both, whole.</summary>
    public static void Move(IFileSystem fileSystem, string from, string to)
    {
        // A crash may have left a part of it there.
        var staging = from + StagingEnding;
        fileSystem.RemoveFolder(staging);
        Copy(fileSystem, from, staging, new byte[BytesAtOnce]);
        // Order matters: a power cut must leave the original, or a copy that is whole under its name.
        fileSystem.Move(staging, to);
        fileSystem.FlushFolder(FilePath.FolderOf(to)!);
        fileSystem.RemoveFolder(from);
    }

    private static void Copy(IFileSystem fileSystem, string from, string to, byte[] buffer)
    {
        fileSystem.CreateFolder(to);
        foreach (var name in fileSystem.List(from))
        {
            var (source, target) = (FilePath.Join(from, name), FilePath.Join(to, name));
            if (fileSystem.GetKind(source) == EntryKind.Folder)
                Copy(fileSystem, source, target, buffer);
            else
                CopyFile(fileSystem, source, target, buffer);
        }
        fileSystem.FlushFolder(to);
    }

    private static void CopyFile(IFileSystem fileSystem, string from, string to, byte[] buffer)
    {
        using var source = fileSystem.Open(from, FileOpening.Read)
            ?? throw new FileSystemException(FileError.NotFound, "copy", from, "it was moved or removed");
        using var target = DurableFile.CreateAgain(fileSystem, to);
        var done = 0L;
        while (source.Read(buffer, done) is > 0 and var length)
        {
            target.Write(buffer.AsSpan(0, length), done);
            done += length;
        }
        target.Flush();
    }
}
