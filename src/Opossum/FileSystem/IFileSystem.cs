namespace Opossum.FileSystem;

/// <summary>
/// All that the store asks of a file system. The real ones and the simulated one are behind it, and nothing else of the library
/// touches files. A store has one of its own and disposes it. Paths are absolute. Every failure but the ones named is a <see cref="FileSystemException"/>.
/// What another program holds for a moment is tried again for about two seconds; then it is <see cref="FileError.InUse"/>.
/// </summary>
internal interface IFileSystem : IDisposable
{
    /// <summary>What kind of file system the folder lies on, and what that means for flushing and locking.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="forReading">Nothing is tried out on it: what flushes make durable there may be told wrongly, for those who never flush.</param>
    Volume GetVolume(string folder, bool forReading = false);

    /// <summary>What lies at the path; symbolic links are followed.</summary>
    EntryKind GetKind(string path);

    /// <summary>Whether a link lies at the path: a symbolic one, or a junction.</summary>
    bool IsLink(string path);

    /// <summary>Which file has the name; null: none has. See <see cref="IFile.GetId"/>.</summary>
    FileId? FindId(string path);

    /// <summary>
    /// Takes the right to read a file from those users who may not write it: with it they could lock the file and keep everybody from it. Does
    /// nothing where the system knows no such rights, or the file is another user's. Never fails.
    /// </summary>
    void DenyReadingWithoutWriting(string path);

    /// <summary>Makes one folder; it is fine if it is there. The parent must be there.</summary>
    void CreateFolder(string path);

    /// <summary>Asks the file system to spread the folder's subfolders over the disk, where it knows how to (ext4). Never fails.</summary>
    void SpreadSubfolders(string folder);

    /// <summary>The names, without path, of all that lies in the folder, in no particular order.</summary>
    List<string> List(string folder);

    /// <summary>Creates a file that is not there yet, for reading and writing. Null: the name is taken. Exclusive between processes and machines.</summary>
    IFile? CreateNew(string path);

    /// <summary>Opens a file, which must be a regular one and no symbolic link; it never waits, as for a pipe's other end. Null: it is not there, and the opening does not create it.</summary>
    IFile? Open(string path, FileOpening opening);

    /// <summary>Opens a file to be read from the disk or the server itself, past this machine's caches. Null: it is not there.</summary>
    IUncachedFile? OpenUncached(string path);

    /// <summary>Removes a file; it is fine if it is not there.</summary>
    void Delete(string path);

    /// <summary>Gives a file another name, and replaces a file of that name, also while it is open: that is up to the caller, who holds the store's lock.</summary>
    void Move(string from, string to);

    /// <summary>
    /// Gives a folder another name, which is not taken, in the same folder: what lies in it is then found by the new path alone. Windows
    /// waits for files in it to be closed, and refuses with <see cref="FileError.AccessDenied"/> when they stay open.
    /// </summary>
    void MoveFolder(string from, string to);

    /// <summary>Removes an empty folder; it is fine if it is not there.</summary>
    void DeleteFolder(string path);

    /// <summary>
    /// Removes a folder with what is in it; it is fine if it is not there. No symbolic link is followed: one that is met, also in the folder's
    /// own place, is removed itself, and what it leads to stays.
    /// </summary>
    /// <param name="path">The folder.</param>
    /// <param name="filesLeft">How many files are removed at most; lowered by each.</param>
    /// <returns>False: there is more in it.</returns>
    bool RemoveFolder(string path, ref int filesLeft) => FolderRemoval.TryRemove(this, path, ref filesLeft);

    /// <summary>Makes the folder's entries durable.</summary>
    void FlushFolder(string folder);

    /// <summary>Makes durable all that was written before on the file system that the folder lies on (syncfs). Only for a volume whose <see cref="Volume.CanFlushWhole"/> is true.</summary>
    void FlushWhole(string folder);

    /// <summary>Roughly how many bytes this system holds that are not on the disk yet; 0 if that is not known.</summary>
    long GetDirtyBytes();

    /// <summary>
    /// Calls, from any thread, when a file of this machine was written, until it is disposed. A hint that nothing may rest on: it may come
    /// late, for nothing or never. Null: there is none to be had.
    /// </summary>
    IDisposable? Watch(string path, Action written);

    /// <summary>Does the work for each index below the count, in parallel where that pays and is safe.</summary>
    void ForEach(int count, Action<int> work);

    /// <summary>Waits, as little or as long as said.</summary>
    void Pause(TimeSpan time);
}
