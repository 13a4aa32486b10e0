namespace Opossum.FileSystem;

/// <summary>Small files that are there wholly or not at all, also after a power cut.</summary>
internal static class DurableFile
{
    /// <summary>Puts bytes in the place of a file at one stroke: they are flushed under another name, which is then moved.</summary>
    /// <param name="fileSystem">The file system.</param>
    /// <param name="path">The file; it need not be there.</param>
    /// <param name="staging">The other name, in the same folder. What a crash left there is removed.</param>
    /// <param name="bytes">What the file is to hold.</param>
    /// <param name="beforeMove">Throws when the file must not be replaced after all.</param>
    public static void Replace(IFileSystem fileSystem, string path, string staging, ReadOnlySpan<byte> bytes, Action? beforeMove = null)
    {
        using var file = CreateAgain(fileSystem, staging);
        file.Write(bytes, 0);
        file.Flush();
        beforeMove?.Invoke();
        fileSystem.Move(staging, path);
        Flush(fileSystem, path, file);
    }

    /// <summary>Makes a file that is there durable, with its name; false when it is not there.</summary>
    public static bool TryFlush(IFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.ReadWrite);
        if (file is null)
            return false;
        Flush(fileSystem, path, file);
        return true;
    }

    /// <summary>Creates a file where a crash may have left one.</summary>
    public static IFile CreateAgain(IFileSystem fileSystem, string path)
    {
        if (fileSystem.CreateNew(path) is { } created)
            return created;
        fileSystem.Delete(path);
        return fileSystem.CreateNew(path) ?? throw new FileSystemException(FileError.Other, "create", path, "it was just deleted and is there again");
    }

    // On a share it is a flush of the file that makes its name durable, elsewhere the folder's.
    private static void Flush(IFileSystem fileSystem, string path, IFile file)
    {
        file.Flush();
        fileSystem.FlushFolder(FilePath.FolderOf(path)!);
    }
}
