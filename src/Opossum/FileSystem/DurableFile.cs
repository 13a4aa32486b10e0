namespace Opossum.FileSystem;

/// <summary>Writes small files atomically, also with regard to power cuts.</summary>
internal static class DurableFile
{
    /// <summary>The suffix of a file's name while it is written.</summary>
    public const string StagingEnding = ".new";

    private const byte Removed = (byte)'#';

    /// <inheritdoc cref="Replace(IFileSystem, string, string, ReadOnlySpan{byte}, Action?)"/>
    public static void Replace(IFileSystem fileSystem, string path, ReadOnlySpan<byte> bytes, Action? beforeMove = null) =>
        Replace(fileSystem, path, path + StagingEnding, bytes, beforeMove);

    /// <summary>Replaces a file atomically: flushes the bytes under another name and then moves that file.</summary>
    /// <param name="path">The file; it need not exist.</param>
    /// <param name="staging">The other name, in the same folder. A file that a crash left there is removed.</param>
    /// <param name="bytes">The new content of the file.</param>
    /// <param name="beforeMove">Called before the move; throws to keep the file from being replaced.</param>
    public static void Replace(IFileSystem fileSystem, string path, string staging, ReadOnlySpan<byte> bytes, Action? beforeMove = null)
    {
        using var file = CreateAgain(fileSystem, staging);
        file.Write(bytes, 0);
        file.Flush();
        beforeMove?.Invoke();
        fileSystem.Move(staging, path);
        Flush(fileSystem, path, file);
    }

    /// <summary>Makes a file and its name durable; false when it does not exist.</summary>
    public static bool TryFlush(IFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.ReadWrite);
        if (file is null)
            return false;
        Flush(fileSystem, path, file);
        return true;
    }

    /// <summary>Makes a file durable, and on a share its name; does nothing when it does not exist.</summary>
    public static void FlushBytes(IFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.ReadWrite);
        file?.Flush();
    }

    /// <summary>
    /// The same before a file is relied on that another process has written, which may have ended before it flushed it. A file that this user
    /// may not write is left as it is.
    /// </summary>
    public static void FlushFound(IFileSystem fileSystem, string path)
    {
        try
        {
            FlushBytes(fileSystem, path);
        }
        catch (FileSystemException e) when (e.Error is FileError.AccessDenied or FileError.ReadOnly)
        {
            // A person has put it there.
        }
    }

    /// <summary>
    /// Marks a file before it is deleted. On a share a power cut may bring the name back: then it leads to a file whose first byte says that it was
    /// removed. A disk writes the one byte or does not; a new length could also leave the old one, with zeros.
    /// </summary>
    public static void MarkRemoved(IFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.ReadWrite);
        file?.Write(new[] { Removed }, 0);
        file?.Flush();
    }

    /// <summary>Whether a file's bytes say that it was removed.</summary>
    public static bool IsRemoved(ReadOnlySpan<byte> bytes) => bytes is [Removed, ..];

    /// <summary>Creates a file, removing one that a crash may have left.</summary>
    public static IFile CreateAgain(IFileSystem fileSystem, string path)
    {
        if (fileSystem.CreateNew(path) is { } created)
            return created;
        fileSystem.Delete(path);
        return fileSystem.CreateNew(path) ?? throw new FileSystemException(FileError.Other, "create", path, "it was just deleted and exists again");
    }

    /// <summary>Deletes what failed work leaves under a staging name of its own, if that is possible.</summary>
    public static void TryDelete(IFileSystem fileSystem, string staging)
    {
        try
        {
            fileSystem.Delete(staging);
        }
        catch (FileSystemException)
        {
            // The caller reports the failure for which it deletes the file.
        }
    }

    // On a share the flush of the file makes its name durable, elsewhere the flush of the folder.
    private static void Flush(IFileSystem fileSystem, string path, IFile file)
    {
        file.Flush();
        fileSystem.FlushFolder(FilePath.FolderOf(path)!);
    }
}
