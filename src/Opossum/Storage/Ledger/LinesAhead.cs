using System.Globalization;
using Opossum.FileSystem;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>
/// The lines that were written before the event files, found in the segments without the index. They count by themselves: they were flushed before
/// anybody saw their events. A group of events counts when all its lines are there and whole.
/// </summary>
internal sealed class LinesAhead(StoreFolder folder, EventFiles eventFiles)
{
    private const int BufferLength = 256 * 1024;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Lock gate = new();
    private Dictionary<long, LineAhead>? known;
    private (long Newest, long Whole) newestFile;

    /// <summary>
    /// The position after which events may have only lines; null: every event has its file. Without a note in the lock file, as in a copy of the
    /// folder that lacks it, the newest event file that is whole says it.
    /// </summary>
    public long? After()
    {
        try
        {
            return StoreLock.ReadFiles(fileSystem, layout.LockFile) switch
            {
                { HasLines: true } note => PastSealed(note.UpTo),
                { IsUnknown: true } when Segments.List(folder).Count > 0 => NewestWholeFile(),
                _ => null,
            };
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            // Something that is no file has the name: an opening refuses it, and a check names it.
            return null;
        }
    }

    /// <summary>
    /// The last position of the sealed folders that directly follow a position; that one when none does. A power cut may bring back a note of before
    /// they were sealed, and their segments are gone: what is sealed was durable in event files.
    /// </summary>
    public long PastSealed(long position)
    {
        for (var shard = layout.ShardOf(position + 1); eventFiles.IsSealed(shard); shard = layout.ShardOf(position + 1))
            position = layout.LastOf(shard);
        return position;
    }

    /// <summary>The positions after the given one whose events may have only lines, read again.</summary>
    public List<long> ListAfter(long position)
    {
        if (After() is not { } after)
            return [];
        lock (gate)
        {
            known = Find(after, out _).ToDictionary(static each => each.Position);
            return [.. known.Keys.Where(each => each > position)];
        }
    }

    /// <summary>The line of a position whose event may have only that; null when there is none.</summary>
    public byte[]? Find(long position)
    {
        if (After() is not { } after || position <= after)
            return null;
        lock (gate)
        {
            if (known?.ContainsKey(position) != true)
                known = Find(after, out _).ToDictionary(static each => each.Position);
            if (!known.TryGetValue(position, out var line))
                return null;
            var text = Read([line]).Single();
            return EventLine.ChecksumOf(text, position) is not null ? text : null;
        }
    }

    /// <summary>What keeps an event that was stored from being read; null when nothing does.</summary>
    public (string Path, long Position, string Problem)? FindDamage()
    {
        if (After() is not { } after)
            return null;
        Find(after, out var damage);
        return damage;
    }

    /// <summary>Finds the lines after a position, up to the end of the last whole group.</summary>
    /// <param name="damage">A line that is not the one which was written, although later ones prove that it was, and what is wrong with it.</param>
    /// <param name="goesOn">Whether whole lines after a damaged one are found too.</param>
    public List<LineAhead> Find(long after, out (string Path, long Position, string Problem)? damage, bool goesOn = false)
    {
        var whole = new List<LineAhead>();
        while (true)
        {
            var groups = new LineGroups(after);
            for (var shard = layout.ShardOf(after + 1); ReadSegment(layout.Segment(shard), groups); shard += layout.ShardPositions)
            {
            }
            whole.AddRange(groups.Whole);
            damage = groups.Damage;
            if (damage is null && groups.Before is { } before && eventFiles.ReadFile(after, out _)?.Checksum is { } stated && stated != before)
            {
                damage = (layout.Segment(layout.ShardOf(after)), after,
                    string.Create(CultureInfo.InvariantCulture, $"has another event at position {after} than {layout.EventFile(after)}"));
            }
            if (damage is null)
                return whole;
            // Nothing is known of lines that follow another event.
            if (damage.Value.Position == after)
                return [];
            // The note in the lock file may be older than the files. An event that has its file needs no line.
            after = damage.Value.Position - 1;
            while (eventFiles.ReadFile(after + 1, out _) is not null)
                after++;
            if (after < damage.Value.Position)
            {
                return goesOn ? [.. whole.Concat(groups.Beyond).DistinctBy(static line => line.Position).OrderBy(static line => line.Position)]
                    : whole;
            }
        }
    }

    /// <summary>The texts of lines as they lie; empty or shorter when they are not there.</summary>
    public IEnumerable<byte[]> Read(List<LineAhead> lines)
    {
        foreach (var segment in lines.GroupBy(static line => line.Path))
        {
            using var file = fileSystem.Open(segment.Key, FileOpening.Read);
            var (piece, start, end) = (Array.Empty<byte>(), 0L, 0L);
            foreach (var line in segment)
            {
                // The first line alone: often it is the only one.
                if (line.Offset < start || line.Offset + line.Length > end)
                {
                    var length = end == 0 ? line.Length : Math.Max(line.Length, BufferLength);
                    if (piece.Length < length)
                        piece = new byte[length];
                    (start, end) = (line.Offset, line.Offset + (file?.Read(piece.AsSpan(0, length), line.Offset) ?? 0));
                }
                yield return piece.AsSpan((int)(line.Offset - start), (int)Math.Min(line.Length, end - line.Offset)).ToArray();
            }
        }
    }

    // A process that ended may have left the last file without its text.
    private long NewestWholeFile()
    {
        var newest = eventFiles.Listing.NewestFile();
        lock (gate)
        {
            // Asked for each event that cannot be read.
            if (newestFile.Newest == newest)
                return newestFile.Whole;
            var whole = newest;
            while (whole > 0 && !eventFiles.IsSealed(layout.ShardOf(whole)) && eventFiles.ReadFile(whole, out _) is null)
                whole--;
            newestFile = (newest, whole);
            return whole;
        }
    }

    // False: there is no such segment.
    private bool ReadSegment(string path, LineGroups groups)
    {
        if (fileSystem.GetKind(path) != EntryKind.File)
            return false;
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is null)
            return false;
        var lines = new LineReader(file.Read, BufferLength);
        while (lines.TryRead(out var line))
            groups.Take(line, new LineAhead(0, path, lines.Offset, line.Length));
        return true;
    }
}
