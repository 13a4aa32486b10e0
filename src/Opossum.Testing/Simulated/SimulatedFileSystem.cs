using System.Text;
using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>One client of a <see cref="SimulatedDisk"/>: a process on its own machine. Both slashes separate names in a path.</summary>
internal sealed class SimulatedFileSystem : IFileSystem
{
    private const int NameBytesMax = 255;

    private readonly SimulatedDisk disk;
    private readonly HashSet<SimulatedFile> openFiles = [];
    private int? operationsToKill;
    private bool isMounted = true;

    internal SimulatedFileSystem(SimulatedDisk disk, TimeSpan staleness)
    {
        this.disk = disk;
        Cache = new ClientCache(disk, staleness);
        HeldBack = new HeldBackWrites(this);
    }

    public SimulatedDisk Disk => disk;

    /// <summary>
    /// Called before each operation of this client, outside the disk's gate: its own changes to the disk, also through other clients, precede
    /// the operation.
    /// </summary>
    public Action<SimulatedOperation>? BeforeOperation { get; set; }

    /// <summary>Called before this client closes a file, which is no operation that can fail.</summary>
    public Action<string>? BeforeClose { get; set; }

    public bool IsKilled { get; private set; }

    public bool IsOff => disk.IsOff;

    public IReadOnlyList<string> OpenFiles
    {
        get
        {
            using var scope = disk.EnterGate();
            return [.. openFiles.Select(each => each.Path)];
        }
    }

    internal ClientCache Cache { get; }

    internal HeldBackWrites HeldBack { get; }

    /// <summary>The number of the current mount, through which files are opened.</summary>
    internal int Mount { get; private set; }

    /// <summary>Does nothing: a client may open another store after its first one.</summary>
    public void Dispose()
    {
    }

    /// <summary>
    /// Ends the process as SIGKILL does: its handles and locks are gone, its writes stay. Later operations throw
    /// <see cref="ProcessKilledException"/>.
    /// </summary>
    public void Kill()
    {
        using var scope = disk.EnterGate();
        IsKilled = true;
        ReleaseIfKilled();
    }

    /// <summary>Kills it after the given number of further operations.</summary>
    public void KillAfter(int operations)
    {
        using var scope = disk.EnterGate();
        operationsToKill = operations;
        if (operations == 0)
            Kill();
    }

    /// <summary>Loses the connection and restores it: the server releases all locks of this client, which is not notified.</summary>
    public void LoseConnection()
    {
        using var scope = disk.EnterGate();
        foreach (var file in openFiles)
            file.LoseConnection();
    }

    /// <summary>
    /// Ends the program that serves the mount: its held-back bytes are lost, its locks are released, and every handle is invalid from then on.
    /// Until <see cref="MountAgain"/> no name is found either.
    /// </summary>
    public void LoseMount()
    {
        using var scope = disk.EnterGate();
        foreach (var file in openFiles)
            file.FreeLocks();

        HeldBack.DropAll();
        Mount++;
        isMounted = false;
    }

    public void MountAgain()
    {
        using var scope = disk.EnterGate();
        isMounted = true;
    }

    public Volume GetVolume(string folder, bool forReading) => disk.Volume;

    public EntryKind GetKind(string path)
    {
        path = Normalise(path);
        using var turn = Begin(OperationKind.GetKind, path);
        if (Cache.FindKind(path) is { } believed)
            return believed;

        var kind = Find(path) switch
        {
            FolderInode => EntryKind.Folder,
            FileInode => EntryKind.File,
            _ => EntryKind.Missing,
        };
        Cache.Remember(path, kind);
        return kind;
    }

    /// <summary>Always false: a simulated disk has no links.</summary>
    public bool IsLink(string path) => false;

    public FileId? FindId(string path)
    {
        path = Normalise(path);
        using var turn = Begin(OperationKind.GetId, path);
        return Find(path) is { } inode ? new FileId(0, inode.Number) : null;
    }

    public void DenyReadingWithoutWriting(string path)
    {
        using var scope = disk.EnterGate();
        disk.DeniedToReaders.Add(Normalise(path));
    }

    public void CreateFolder(string path)
    {
        path = Normalise(path);
        using var turn = Begin(OperationKind.CreateFolder, path);
        Cache.Forget(path);
        switch (Find(path))
        {
            case FileInode:
                throw turn.Error(FileError.NotAFolder, "a file of that name exists.");
            case null:
                var (parent, name) = FindParent(turn, path);
                ThrowIfFull(turn);
                disk.Link(new FolderInode(), parent, name);
                break;
        }
    }

    public void SpreadSubfolders(string folder)
    {
    }

    public List<string> List(string folder)
    {
        folder = Normalise(folder);
        using var turn = Begin(OperationKind.List, folder);
        if (Cache.FindListing(folder) is { } believed)
            return [.. believed];

        List<string> names = [.. FindFolder(turn, folder).Entries.Keys];
        Cache.Remember(folder, [.. names]);
        return names;
    }

    public IFile? CreateNew(string path)
    {
        path = Normalise(path);
        using var turn = Begin(OperationKind.CreateNew, path);
        Cache.Forget(path);
        var (parent, name) = FindParent(turn, path);
        if (parent.Find(name) is not null)
            return null;

        return OpenInode(path, Create(turn, parent, name), FileOpening.ReadWrite);
    }

    public IFile? Open(string path, FileOpening opening)
    {
        path = Normalise(path);
        var mayCreate = opening.MayCreate();
        using var turn = Begin(mayCreate ? OperationKind.OpenOrCreate : OperationKind.Open, path);
        if (!mayCreate && Cache.FindKind(path) == EntryKind.Missing)
            return null;

        var inode = FindDeleted(path) ?? Find(path);
        if (inode is null && mayCreate)
        {
            Cache.Forget(path);
            var (parent, name) = FindParent(turn, path);
            inode = Create(turn, parent, name);
        }

        Cache.Remember(path, inode is null ? EntryKind.Missing : EntryKind.File);
        return inode switch
        {
            null => null,
            FileInode file => OpenInode(path, file, opening),
            _ => throw turn.Error(FileError.IsAFolder, "it is a folder."),
        };
    }

    public IUncachedFile? OpenUncached(string path)
    {
        path = Normalise(path);
        using var turn = Begin(OperationKind.Open, path);
        return Find(path) switch
        {
            null => null,
            FileInode file => new SimulatedUncachedFile(this, path, file),
            _ => throw turn.Error(FileError.IsAFolder, "it is a folder."),
        };
    }

    public void Delete(string path)
    {
        path = Normalise(path);
        using var turn = Begin(OperationKind.Delete, path);
        Cache.Forget(path);
        switch (Find(path))
        {
            case FolderInode:
                throw turn.Error(FileError.IsAFolder, "it is a folder.");
            case FileInode file:
                var (parent, name) = FindParent(turn, path);
                disk.Unlink(file, parent, name);
                break;
        }
    }

    public void Move(string from, string to)
    {
        from = Normalise(from);
        to = Normalise(to);
        using var turn = Begin(OperationKind.Move, from, to: to);
        Cache.Forget(from);
        Cache.Forget(to);
        var (fromFolder, fromName) = FindParent(turn, from);
        var (toFolder, toName) = FindParent(turn, to);
        if (fromFolder.Find(fromName) is not { } inode)
            throw turn.Error(FileError.NotFound, "it is not there.");

        var replaced = toFolder.Find(toName);
        if (inode is FolderInode || replaced is FolderInode)
            throw turn.Error(FileError.IsAFolder, "it is a folder.");

        if (inode != replaced)
        {
            disk.Move(inode, fromFolder, fromName, toFolder, toName);
            Rename(inode, to);
        }
    }

    public void MoveFolder(string from, string to)
    {
        from = Normalise(from);
        to = Normalise(to);
        using var turn = Begin(OperationKind.Move, from, to: to);
        Cache.Forget(from);
        Cache.Forget(to);
        var (fromFolder, fromName) = FindParent(turn, from);
        var (toFolder, toName) = FindParent(turn, to);
        switch (fromFolder.Find(fromName))
        {
            case null:
                throw turn.Error(FileError.NotFound, "it is not there.");
            case FileInode:
                throw turn.Error(FileError.NotAFolder, "it is a file.");
            case FolderInode folder:
                if (toFolder.Find(toName) is not null)
                    throw turn.Error(FileError.Other, "the new name is taken.");

                disk.Move(folder, fromFolder, fromName, toFolder, toName);
                break;
        }
    }

    public void DeleteFolder(string path)
    {
        path = Normalise(path);
        using var turn = Begin(OperationKind.Delete, path);
        Cache.Forget(path);
        switch (Find(path))
        {
            case FileInode:
                throw turn.Error(FileError.NotAFolder, "it is a file.");
            case FolderInode { Entries.Count: > 0 }:
                throw turn.Error(FileError.Other, "it is not empty.");
            case FolderInode folder:
                var (parent, name) = FindParent(turn, path);
                disk.Unlink(folder, parent, name);
                break;
        }
    }

    public void FlushFolder(string folder)
    {
        folder = Normalise(folder);
        using var turn = Begin(OperationKind.FlushFolder, folder);
        var flushed = FindFolder(turn, folder);
        if (!turn.IsSkipped)
            disk.FlushFolder(flushed);
    }

    public void FlushWhole(string folder)
    {
        if (!disk.Volume.CanFlushWhole)
            throw new InvalidOperationException($"A volume of kind {disk.Volume.Name} is not flushed as a whole.");

        folder = Normalise(folder);
        using var turn = Begin(OperationKind.FlushWhole, folder);
        if (turn.DropsDirtyBytes)
            disk.Drop(null);

        turn.ThrowIfFailed();
        if (!turn.IsSkipped)
            disk.FlushWhole();
    }

    public long GetDirtyBytes() => disk.DirtyBytes;

    /// <summary>Returns null: callers must work without the hint.</summary>
    public IDisposable? Watch(string path, Action written) => null;

    /// <summary>Runs one after the other, so that a test's operations have the same order every time.</summary>
    public void ForEach(int count, Action<int> work)
    {
        for (var i = 0; i < count; i++)
            work(i);
    }

    public void Pause(TimeSpan time)
    {
        using (Begin(OperationKind.Pause, ""))
        {
            // A pause is an operation that changes nothing.
        }

        // Outside the disk's gate, because a clock may call what waits for its time.
        if (disk.Clock is ISteppedClock clock)
            clock.Advance(time);
        else
            Thread.Sleep(time);
    }

    internal Turn Begin(OperationKind kind, string path, long offset = 0, long count = 0, string? to = null)
    {
        var turn = BeginThrough(kind, path, offset, count, to);
        if (isMounted || kind == OperationKind.Pause)
            return turn;

        using (turn)
            throw turn.Error(FileError.HandleLost, "the file system is not mounted.");
    }

    /// <summary>The same through a handle that was opened under the given mount.</summary>
    internal Turn Begin(int mount, OperationKind kind, string path, long offset = 0, long count = 0)
    {
        var turn = BeginThrough(kind, path, offset, count, null);
        if (mount == Mount)
            return turn;

        using (turn)
            throw turn.Error(FileError.HandleLost, "the handle is no longer valid.");
    }

    internal void CountOperation() => IsKilled |= --operationsToKill == 0;

    internal void ReleaseIfKilled()
    {
        if (IsKilled)
        {
            foreach (var file in openFiles.ToList())
                Release(file);
        }
    }

    /// <summary>Closes the handle, even if its owner is killed.</summary>
    internal void Release(SimulatedFile file)
    {
        if (openFiles.Remove(file))
        {
            file.FreeLocks();
            file.Inode.Handles--;
            Cache.NoteClosed(file.Inode, file.IsForWriting);
            disk.ReleaseIfUnused(file.Inode);
        }
    }

    /// <summary>Reopens the handle's file by the name that this client knows; false when no file has that name.</summary>
    internal bool TryReopen(SimulatedFile file)
    {
        if (Find(file.Path) is not FileInode found)
            return false;

        if (found != file.Inode)
        {
            file.Inode.Handles--;
            Cache.NoteClosed(file.Inode, file.IsForWriting);
            disk.ReleaseIfUnused(file.Inode);
            file.Inode = found;
            found.Handles++;
            Cache.NoteOpened(found, file.IsForWriting);
        }

        return true;
    }

    private Turn BeginThrough(OperationKind kind, string path, long offset, long count, string? to)
    {
        var operation = new SimulatedOperation(this, kind, path, offset, count, to);
        BeforeOperation?.Invoke(operation);
        if (disk.OperationTime > TimeSpan.Zero)
            (disk.Clock as ISteppedClock)?.Advance(disk.OperationTime);
        return disk.Begin(operation);
    }

    private static string Normalise(string path) => path.Replace('\\', '/').TrimEnd('/');

    private void Rename(Inode inode, string to)
    {
        foreach (var file in openFiles.Where(each => each.Inode == inode))
            file.Path = to;
    }

    private SimulatedFile OpenInode(string path, FileInode inode, FileOpening opening)
    {
        var file = new SimulatedFile(this, path, inode, opening);
        openFiles.Add(file);
        inode.Handles++;
        Cache.NoteOpened(inode, file.IsForWriting);
        return file;
    }

    private FileInode Create(in Turn turn, FolderInode parent, string name)
    {
        ThrowIfFull(turn);
        var inode = new FileInode();
        disk.Link(inode, parent, name);
        return inode;
    }

    private void ThrowIfFull(in Turn turn)
    {
        if (disk.UsedBytes >= disk.Capacity)
            throw turn.Error(FileError.DiskFull, "the simulated disk is full.");
    }

    private Inode? Find(ReadOnlySpan<char> path)
    {
        Inode? inode = disk.Root;
        foreach (var part in path.Split('/'))
        {
            if (!path[part].IsEmpty)
                inode = (inode as FolderInode)?.Find(path[part]);
        }

        return inode;
    }

    /// <summary>Finds a deleted file: while a cluster's client has a file open that another client deleted, its name still leads there.</summary>
    private FileInode? FindDeleted(string path) =>
        disk.Kind == VolumeKind.Fuse ? openFiles.FirstOrDefault(file => file.Path == path && file.Inode.Names == 0)?.Inode : null;

    private FolderInode FindFolder(in Turn turn, ReadOnlySpan<char> path) => Find(path) switch
    {
        FolderInode folder => folder,
        null => throw turn.Error(FileError.NotFound, "the folder does not exist."),
        _ => throw turn.Error(FileError.NotAFolder, "it is not a folder."),
    };

    private (FolderInode Folder, string Name) FindParent(in Turn turn, string path)
    {
        var slash = path.LastIndexOf('/');
        var name = path[(slash + 1)..];
        if (Encoding.UTF8.GetByteCount(name) > NameBytesMax)
            throw turn.Error(FileError.NameTooLong, "the name is too long.");

        return (FindFolder(turn, path.AsSpan(0, Math.Max(0, slash))), name);
    }
}
