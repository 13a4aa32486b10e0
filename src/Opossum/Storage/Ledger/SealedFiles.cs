using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>
/// The sealed files of a store, opened when they are needed. A file that another process has made is found when an event file is missing, and one
/// that it has removed is given up.
/// </summary>
internal sealed class SealedFiles(StoreFolder folder) : IDisposable
{
    // Each has a handle and some kilobytes of memory.
    private const int OpenMax = 1_024;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Lock gate = new();
    private readonly Dictionary<long, SealedFile> open = [];
    private readonly HashSet<long> ignored = [];
    private readonly HashSet<long> lookedFor = [];
    private HashSet<long> known = [];
    private bool isListed;

    /// <summary>Whether a folder was sealed when the folders were listed or, if they were not yet, when it was asked for the first time.</summary>
    public bool IsKnown(long shard)
    {
        var areAllKnown = Volatile.Read(ref isListed);
        if (Volatile.Read(ref known).Contains(shard))
            return true;
        if (areAllKnown)
            return false;
        lock (gate)
        {
            if (lookedFor.Contains(shard))
                return known.Contains(shard);
            var isSealed = LookAgain(shard);
            // After the look: one that failed is made again.
            lookedFor.Add(shard);
            return isSealed;
        }
    }

    /// <summary>Notes which folders are sealed, by the names in the folder of events.</summary>
    public void Note(IEnumerable<string> names)
    {
        var found = new HashSet<long>();
        lock (gate)
        {
            foreach (var name in names)
            {
                if (layout.TryParseSealedFileName(name, out var shard) && !ignored.Contains(shard))
                    found.Add(shard);
            }
            foreach (var (shard, _) in open)
            {
                if (!found.Contains(shard))
                    Release(shard);
            }
            Volatile.Write(ref known, found);
            Volatile.Write(ref isListed, true);
        }
    }

    /// <summary>Looks whether a folder is sealed by now.</summary>
    public bool LookAgain(long shard)
    {
        if (Volatile.Read(ref known).Contains(shard))
            return true;
        if (fileSystem.GetKind(layout.SealedFile(shard)) != EntryKind.File)
            return false;
        lock (gate)
        {
            if (ignored.Contains(shard))
                return false;
            Volatile.Write(ref known, [.. known, shard]);
        }
        return true;
    }

    /// <summary>Takes the folder as one that is not sealed, for a check: what has the name of its sealed file is no file.</summary>
    public void Ignore(long shard)
    {
        lock (gate)
        {
            ignored.Add(shard);
            Volatile.Write(ref known, [.. known.Where(each => each != shard)]);
        }
    }

    /// <summary>The line of a position in its sealed file; null when the folder is not known to be sealed, or has no line for it.</summary>
    public byte[]? FindLine(long position)
    {
        using var sealedFile = Use(layout.ShardOf(position));
        return sealedFile?.FindLine(position);
    }

    /// <summary>The sealed file of a folder, to be disposed after use; null when the folder is not known to be sealed, or no longer is.</summary>
    public SealedFile? Use(long shard)
    {
        if (!IsKnown(shard))
            return null;
        lock (gate)
        {
            if (open.TryGetValue(shard, out var used) && !used.IsUnlinked && used.TryUse())
                return used;
            Release(shard);
            used = SealedFile.Open(folder, shard);
            if (used is null)
            {
                Volatile.Write(ref known, [.. known.Where(each => each != shard)]);
                return null;
            }
            if (open.Count >= OpenMax)
                Release(open.Keys.First());
            open.Add(shard, used);
            used.TryUse();
            return used;
        }
    }

    /// <summary>Opens a file again at its next use, because it has a bad line: it may have been edited, or mended, in place.</summary>
    public void OpenAgain(long shard)
    {
        lock (gate)
            Release(shard);
    }

    public void Dispose()
    {
        lock (gate)
        {
            foreach (var each in open.Values)
                each.Dispose();
            open.Clear();
        }
    }

    private void Release(long shard)
    {
        if (open.Remove(shard, out var released))
            released.Dispose();
    }
}
