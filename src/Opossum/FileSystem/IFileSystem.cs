namespace Opossum.FileSystem;

/// <summary>
/// Everything the store needs from a file system, implemented by the real ones and the simulated one; nothing else in the library touches
/// files. Each store has its own instance and disposes it. Paths are absolute. Every failure except those named is a
/// <see cref="FileSystemException"/>.
/// A call that fails because another program holds the file is retried for about two seconds; then it fails with <see cref="FileError.InUse"/>.
/// </summary>
internal interface IFileSystem : IDisposable
{
    /// <summary>Whether a simulated machine has lost its power: nothing can be done, and nobody is there to hear of it.</summary>
    bool IsOff => false;

    /// <summary>
    /// Finds out what kind of file system the folder is on, and what that means for flushing and locking. It may be asked about several: files
    /// of each are read and flushed as they have to be.
    /// </summary>
    /// <param name="forReading">Whether to skip probing: the answer about flushes may then be wrong, for a caller that never flushes.</param>
    Volume GetVolume(string folder, bool forReading = false);

    /// <summary>The kind of entry at the path; symbolic links are followed.</summary>
    EntryKind GetKind(string path);

    /// <summary>
    /// Whether the path is a symbolic link, a junction or a mounted volume. On macOS a mounted volume is not told from a folder.
    /// </summary>
    bool IsLink(string path);

    /// <summary>The identity of the file at the path; null when there is none. See <see cref="IFile.GetId"/>.</summary>
    FileId? FindId(string path);

    /// <summary>
    /// Removes the right to read a file from users who cannot write it: with that right they could lock the file and block everyone. Does
    /// nothing where the system has no such rights, as on Windows (see docs/operations.md), or the file belongs to another user. Never fails.
    /// </summary>
    void DenyReadingWithoutWriting(string path)
    {
    }

    /// <summary>Creates one folder if it does not exist. The parent must exist.</summary>
    void CreateFolder(string path);

    /// <summary>Asks the file system to spread the folder's subfolders over the disk, where it can (ext4). Never fails.</summary>
    void SpreadSubfolders(string folder)
    {
    }

    /// <summary>The names, without path, of everything in the folder, in no particular order.</summary>
    List<string> List(string folder);

    /// <summary>The same by .NET, with its exceptions.</summary>
    static List<string> NamesIn(string folder) => [.. Directory.EnumerateFileSystemEntries(folder, "*",
        new EnumerationOptions { AttributesToSkip = 0, IgnoreInaccessible = false }).Select(static path => Path.GetFileName(path))];

    /// <summary>Creates a new file for reading and writing; null when the name is taken. Exclusive between processes and machines.</summary>
    IFile? CreateNew(string path);

    /// <summary>Opens a folder to create many files in it; null when it is missing, or the system creates files by their paths alone.</summary>
    IFolder? OpenFolder(string folder) => null;

    /// <summary>
    /// Opens a regular file, not a link; never waits, as for a pipe's other end. Null when it is missing and the opening does not create
    /// it.
    /// </summary>
    IFile? Open(string path, FileOpening opening);

    /// <summary>Opens a file for reading from the disk or the server, bypassing this machine's caches; null when it is missing.</summary>
    IUncachedFile? OpenUncached(string path)
    {
        IFile? Reopen() => Open(path, FileOpening.Read);
        return Reopen() is { } file ? new ReopenedFile(Reopen, path, file) : null;
    }

    void Delete(string path);

    /// <summary>
    /// Renames a file and replaces a file with the new name, even an open one. The caller, which holds the store's lock, answers for that.
    /// </summary>
    void Move(string from, string to);

    /// <summary>
    /// Renames a folder within its parent, to a free name: its content is then found only by the new path. Windows waits for files in it to be
    /// closed, and fails with <see cref="FileError.InUse"/> if they stay open.
    /// </summary>
    void MoveFolder(string from, string to);

    /// <summary>Deletes an empty folder if it exists.</summary>
    void DeleteFolder(string path);

    /// <summary>
    /// Deletes a folder and its content if it exists. Symbolic links are not followed: a link, even one in place of the folder, is deleted
    /// itself, and its target stays.
    /// </summary>
    /// <param name="filesLeft">The maximum number of files to delete; lowered by one for each.</param>
    /// <returns>False when files are left in it.</returns>
    bool RemoveFolder(string path, ref int filesLeft) => FolderRemoval.TryRemove(this, path, ref filesLeft);

    /// <summary>The same, however many files it has.</summary>
    void RemoveFolder(string path)
    {
        var filesLeft = int.MaxValue;
        RemoveFolder(path, ref filesLeft);
    }

    /// <summary>Deletes files and folders of a folder, with their content.</summary>
    /// <param name="keeps">Whether what has a path stays.</param>
    void RemoveEntries(string folder, Func<string, bool> keeps)
    {
        foreach (var path in List(folder).Select(name => FilePath.Join(folder, name)).Where(path => !keeps(path)))
        {
            if (GetKind(path) == EntryKind.Folder)
                RemoveFolder(path);
            else
                Delete(path);
        }
    }

    /// <summary>Makes the folder's entries durable.</summary>
    void FlushFolder(string folder);

    /// <summary>
    /// Makes everything written so far to the folder's file system durable (syncfs). Only for a volume whose
    /// <see cref="Volume.CanFlushWhole"/> is true.
    /// </summary>
    /// <param name="folder">A folder of the one who flushes: the system reports a failed write once for each folder, not for each call.</param>
    /// <exception cref="FileSystemException">Something that was written since the last call for the folder may not be durable.</exception>
    void FlushWhole(string folder) => throw new NotSupportedException("Only for a volume whose CanFlushWhole is true.");

    /// <summary>Roughly the number of bytes that the system has not yet written to disk; 0 if unknown.</summary>
    long GetDirtyBytes() => 0;

    /// <summary>
    /// Calls back, from any thread, when a file is written on this machine, until disposed. It is only a hint: it may come late, without a
    /// cause, or never. Null when the system cannot watch.
    /// </summary>
    IDisposable? Watch(string path, Action written) => FileWatch.TryStart(path, written);

    /// <summary>Does the work for each index below the count, in parallel where that is faster and safe.</summary>
    void ForEach(int count, Action<int> work) => FewThreads.ForEach(count, work);

    /// <summary>Waits for the given time, however short.</summary>
    void Pause(TimeSpan time);
}
