using Opossum.FileSystem;

namespace Opossum.Benchmarks.Shares;

/// <summary>
/// A machine that uses an SMB share: passes everything on to the simulated disk and pays the round trips that Linux's client makes, as
/// they were counted between it (kernel 6.1, mounted with its defaults, cache=strict) and Samba:
/// <list type="table">
/// <item><term>create, open</term><description>1; a name that is known to be missing, within a second: 0</description></item>
/// <item><term>close</term><description>1</description></item>
/// <item><term>kind of entry at a name</term><description>1; within a second of the last answer: 0</description></item>
/// <item><term>create a folder, list</term><description>3</description></item>
/// <item><term>delete</term><description>1; move: 2</description></item>
/// <item><term>flush a folder</term><description>1, a lookup: nothing reaches the disk</description></item>
/// <item><term>read past the cache</term><description>1</description></item>
/// </list>
/// What is done with open files is paid in <see cref="ShareFile"/>. Flushes of several files at the same time pass side by side, as many as
/// the library has threads for it.
/// </summary>
internal sealed class ShareClient(IFileSystem disk, ShareServer server, RoundTrips trips, TimeProvider clock) : IFileSystem
{
    /// <summary>How long the client caches a name or a length (actimeo).</summary>
    public static readonly TimeSpan Staleness = TimeSpan.FromSeconds(1);

    private readonly Dictionary<string, (EntryKind Kind, long Since)> known = new(StringComparer.Ordinal);

    public RoundTrips Trips => trips;

    public TimeProvider Clock => clock;

    public ShareServer Server => server;

    public Volume GetVolume(string folder, bool forReading) => disk.GetVolume(folder, forReading);

    public FileId? FindId(string path)
    {
        trips.Pay("look at", path, 1);
        return disk.FindId(path);
    }

    public void DenyReadingWithoutWriting(string path) => disk.DenyReadingWithoutWriting(path);

    public bool IsLink(string path)
    {
        trips.Pay("look at", path, 1);
        return disk.IsLink(path);
    }

    public EntryKind GetKind(string path)
    {
        if (IsKnown(path, out var kind))
            return kind;
        trips.Pay("look at", path, 1);
        return Remember(path, disk.GetKind(path));
    }

    public void CreateFolder(string path)
    {
        trips.Pay("create folder", path, 3);
        disk.CreateFolder(path);
        Remember(path, EntryKind.Folder);
    }

    public void SpreadSubfolders(string folder) => disk.SpreadSubfolders(folder);

    public List<string> List(string folder)
    {
        trips.Pay("list", folder, 3);
        return disk.List(folder);
    }

    public IFile? CreateNew(string path)
    {
        trips.Pay("create", path, 1);
        return Opened(path, disk.CreateNew(path));
    }

    public IFile? Open(string path, FileOpening opening)
    {
        if (!opening.MayCreate() && IsKnown(path, out var kind) && kind == EntryKind.Missing)
            return null;
        // Two handles.
        trips.Pay("open", path, opening == FileOpening.LockOrCreate ? 2 : 1);
        var file = disk.Open(path, opening);
        if (file is null)
            Remember(path, EntryKind.Missing);
        return Opened(path, file);
    }

    public IUncachedFile? OpenUncached(string path)
    {
        trips.Pay("open", path, 1);
        if (disk.OpenUncached(path) is not { } file)
            return null;
        server.Opened(path, this);
        return new UncachedShareFile(file, path, this);
    }

    public void Delete(string path)
    {
        trips.Pay("delete", path, 1);
        disk.Delete(path);
        Remember(path, EntryKind.Missing);
    }

    public void Move(string from, string to)
    {
        trips.Pay("move", from, 2);
        disk.Move(from, to);
        Remember(from, EntryKind.Missing);
        Remember(to, EntryKind.File);
    }

    public void MoveFolder(string from, string to)
    {
        trips.Pay("move", from, 2);
        disk.MoveFolder(from, to);
        // Cached names below the folder are no longer valid.
        known.Clear();
    }

    public void DeleteFolder(string path)
    {
        trips.Pay("delete", path, 1);
        disk.DeleteFolder(path);
        Remember(path, EntryKind.Missing);
    }

    /// <summary>None: writes of other machines are not reported.</summary>
    public IDisposable? Watch(string path, Action written) => null;

    public void FlushFolder(string folder)
    {
        trips.Pay("flush folder", folder, 1);
        disk.FlushFolder(folder);
    }

    public void FlushWhole(string folder) => disk.FlushWhole(folder);

    public long GetDirtyBytes() => disk.GetDirtyBytes();

    public void ForEach(int count, Action<int> work) => trips.InParallel(count, FewThreads.ThreadsMax, work);

    public void Pause(TimeSpan time) => disk.Pause(time);

    public void Dispose() => disk.Dispose();

    private ShareFile? Opened(string path, IFile? file)
    {
        if (file is null)
            return null;
        Remember(path, EntryKind.File);
        server.Opened(path, this);
        return new ShareFile(file, path, this);
    }

    private EntryKind Remember(string path, EntryKind kind)
    {
        known[path] = (kind, clock.GetTimestamp());
        return kind;
    }

    private bool IsKnown(string path, out EntryKind kind)
    {
        var isThere = known.TryGetValue(path, out var entry);
        kind = entry.Kind;
        return isThere && clock.GetElapsedTime(entry.Since) < Staleness;
    }
}
