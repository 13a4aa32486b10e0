using Opossum.FileSystem;
using Opossum.Storage.Failures;

namespace Opossum.Storage.Log;

/// <summary>
/// The log: a line for each event, in a segment for each folder of positions. The segment of a sealed folder is its sealed file.
/// </summary>
/// <remarks>One writer; readers need no lock. The index says where a line begins and ends, and each line is judged by its own checksum.</remarks>
internal sealed class Segments : IDisposable
{
    // The bytes that are reserved at once, except in a small segment.
    private const int ReservedAtOnce = 4096;

    // Each has a handle. Those that nobody reads any more are closed by the garbage collector.
    private const int OpenMax = 512;

    private const int LineBytesUnchecked = 4096;

    private const int BlanksMax = 64 * 1024;

    private static readonly byte[] usualBlanks = NewBlanks(2 * ReservedAtOnce);

    private readonly StoreFolder folder;
    private readonly IFileSystem fileSystem;
    private readonly StoreLayout layout;
    private readonly FileOpening opening;
    private readonly DerivedFiles files;
    private readonly Lock gate = new();
    private readonly OpenedFiles<IFile> opened;
    private Segment?[] segments = new Segment?[16];
    private long[] starts = new long[16];
    private int openCount;
    private (long Shard, long End, long Turns) reserved = (-1, 0, 0);
    private readonly HashSet<long> durableNames = [];

    /// <param name="before">Those of the index as it was loaded before: readers that have begun go on to read them.</param>
    public Segments(StoreFolder folder, FileOpening opening, Segments? before)
    {
        this.folder = folder;
        this.opening = opening;
        (fileSystem, layout, files) = (folder.FileSystem, folder.Layout, new DerivedFiles(folder));
        opened = before?.opened ?? new OpenedFiles<IFile>();
    }

    public static List<(long Shard, string Path)> List(StoreFolder folder)
    {
        var path = folder.Layout.Log;
        var found = new List<(long Shard, string Path)>();
        foreach (var name in folder.FileSystem.ListIfThere(path))
        {
            if (folder.Layout.TryParseSealedFileName(name, out var shard))
                found.Add((shard, FilePath.Join(path, name)));
        }
        found.Sort();
        return found;
    }

    /// <summary>The open segment of a folder of positions; null when there is none that can be read.</summary>
    public IFile? TryUse(long shard) => TryFind(shard)?.File;

    public bool Has(long position) => TryFind(layout.ShardOf(position)) is not null;

    public bool IsSealed(long position) => TryFind(layout.ShardOf(position)) is { IsSealed: true };

    /// <summary>Checks that what has the name of a position's segment is a file that can be opened.</summary>
    /// <exception cref="FileSystemException">It is not.</exception>
    public void ThrowIfNoFile(long position) => Find(layout.ShardOf(position));

    public bool HaveAll(long last)
    {
        var missing = new HashSet<long>();
        for (var shard = 0L; shard <= last; shard += layout.ShardPositions)
            missing.Add(shard);
        // Of a folder that is sealed meanwhile the sealed file is there before the segment goes, and in reverse.
        Remove(layout.Log);
        if (missing.Count > 0)
            Remove(layout.Events);
        if (missing.Count > 0)
            Remove(layout.Log);
        // For a while, a share's client may not list a name that another machine has just created.
        if (folder.Volume.ViewMayBeStale)
            missing.RemoveWhere(IsOnServer);
        return missing.Count == 0;

        bool IsOnServer(long shard) => fileSystem.ReadPastCache(layout.SealedFile(shard), new byte[1], 0) is not null
            || fileSystem.ReadPastCache(layout.Segment(shard), new byte[1], 0) is not null;

        void Remove(string path)
        {
            foreach (var name in fileSystem.ListIfThere(path))
            {
                if (layout.TryParseSealedFileName(name, out var shard))
                    missing.Remove(shard);
            }
        }
    }

    /// <summary>Whether the segment of a position is missing, or was deleted while it was open.</summary>
    public bool IsUnlinked(long position) => Find(layout.ShardOf(position)) is not { } segment || (!segment.IsSealed && segment.File.IsUnlinked());

    /// <summary>Where the lines of a folder of positions begin among all lines.</summary>
    public long StartOf(long shard, ILinePlaces places)
    {
        if (shard == 0)
            return 0;
        var number = NumberOf(shard);
        var known = Volatile.Read(ref starts);
        if (number < known.Length && Volatile.Read(ref known[number]) is > 0 and var start)
            return start;
        start = places.LineStart(shard);
        lock (gate)
            Volatile.Write(ref At(ref starts, number), start);
        return start;
    }

    /// <summary>The line of a position, without its line feed; empty when it is not there. It may be damaged.</summary>
    /// <param name="pastCache">Whether to read past the cache; this machine's view of a share may be stale.</param>
    public byte[] ReadLine(ILinePlaces places, long position, bool pastCache = false)
    {
        var shard = layout.ShardOf(position);
        var place = places.LineStart(position);
        var (offset, length) = (place - StartOf(shard, places), places.LineEnd(position) - place);
        // What the index says may be wrong, even maliciously.
        if (length <= 1 || offset < 0 || TryFind(shard) is not { } segment)
            return [];
        if (length > LineBytesUnchecked && length > segment.File.GetLength() - offset)
            return [];
        var line = new byte[length];
        var read = pastCache ? fileSystem.ReadPastCache(segment.Path, line, offset) ?? 0 : segment.File.Read(line, offset);
        return read == line.Length && line is [.. var text, EventLines.LineEnd] ? text : [];
    }

    /// <summary>
    /// The lines of a range of positions of one folder, each with its line feed, as they lie; they may be damaged. Empty when they are not there.
    /// </summary>
    public byte[] ReadLines(ILinePlaces places, long first, long last)
    {
        var shard = layout.ShardOf(first);
        var place = places.LineStart(first);
        if (TryFind(shard) is not { } segment)
            return [];
        var lines = new byte[places.LineEnd(last) - place];
        return segment.File.Read(lines, place - StartOf(shard, places)) == lines.Length ? lines : [];
    }

    /// <summary>Reserves disk space for lines that follow the head.</summary>
    /// <param name="turns"><see cref="Locking.StoreLock.Held.Turns"/>: a process that held the lock meanwhile may have removed the space.</param>
    /// <param name="ahead">How many bytes are reserved at once in a segment that is at least as large.</param>
    /// <remarks>
    /// Lines that grow a file could fail on a full disk after the events are stored: line feeds are written first, up to a multiple of a size, so
    /// that few appends write them.
    /// </remarks>
    public void Reserve(ILinePlaces places, EventLines lines, long turns, int ahead = ReservedAtOnce)
    {
        for (var number = 0; number < lines.Count;)
        {
            (var shard, var start, number, var offset) = PartFrom(number, places, lines);
            var end = offset + lines.StartOf(number) - start;
            if (IsReserved(shard, end, turns) || FindOrCreate(shard) is not { IsSealed: false } segment)
                continue;
            if (end > ReservedAtOnce || ahead > ReservedAtOnce)
                end = (end + ahead - 1) / ahead * ahead;
            Fill(segment, offset, end - offset);
            reserved = (shard, end, turns);
        }
    }

    /// <summary>Writes lines that follow the head and makes them durable: the commit point where lines come first.</summary>
    /// <exception cref="FileSystemException">They could not be written; nothing of them is left.</exception>
    /// <exception cref="DiskStateUnknownException">They could not be made durable, or not be removed after a failure.</exception>
    public void Append(ILinePlaces places, EventLines lines)
    {
        for (var number = 0; number < lines.Count;)
        {
            (var shard, _, number, _) = PartFrom(number, places, lines);
            if (FindOrCreate(shard) is not { IsSealed: false })
                throw new FileSystemException(FileError.Moved, "write", layout.Segment(shard), "the folder of its positions is sealed.");
            MakeNameDurable(shard);
        }
        try
        {
            if (!TryWrite(places, lines))
                throw new FileSystemException(FileError.NotFound, "write", layout.Log, "a segment was removed while the store is open.");
        }
        catch (FileSystemException)
        {
            TakeBack(places, lines);
            throw;
        }
        for (var number = 0; number < lines.Count;)
        {
            (var shard, _, number, _) = PartFrom(number, places, lines);
            folder.MakeDurable(Find(shard)!.File, static file => file.FlushBytes());
        }
    }

    /// <summary>Whether something follows the line of the head at once.</summary>
    public bool HasMore(ILinePlaces places)
    {
        var (shard, offset) = EndOf(places);
        Span<byte> next = stackalloc byte[64];
        return Find(shard) is { IsSealed: false } segment && next[..segment.File.Read(next, offset)].ContainsAnyExcept(EventLines.LineEnd);
    }

    /// <summary>Whether something follows it anywhere: a power cut can leave lines where it took what is before them.</summary>
    public bool HasAnyMore(ILinePlaces places)
    {
        var (shard, offset) = EndOf(places);
        for (; TryFind(shard) is { IsSealed: false } segment; shard += layout.ShardPositions, offset = 0)
        {
            if (HasText(segment.File, offset))
                return true;
        }
        return false;
    }

    /// <summary>Removes, durably, what follows the line of the head.</summary>
    public void RemoveMore(ILinePlaces places)
    {
        var (last, offset) = EndOf(places);
        foreach (var (shard, path) in List(folder).Where(each => each.Shard >= last))
        {
            var from = shard == last ? offset : 0;
            using var file = fileSystem.Open(path, FileOpening.ReadWrite);
            if (file is null || !HasText(file, from))
                continue;
            file.SetLength(from);
            file.Flush();
            reserved = (-1, 0, 0);
        }
    }

    /// <summary>Writes lines that follow the head, except those of sealed folders; false when the file was deleted.</summary>
    public bool TryWrite(ILinePlaces places, EventLines lines)
    {
        try
        {
            for (var number = 0; number < lines.Count;)
            {
                (var shard, var start, number, var offset) = PartFrom(number, places, lines);
                if (FindOrCreate(shard) is { IsSealed: false } segment)
                    files.Write(segment.File, segment.Path, lines.Bytes.AsMemory(start, lines.StartOf(number) - start), offset);
            }
            return true;
        }
        catch (FileSystemException e) when (e.Error == FileError.NotFound)
        {
            return false;
        }
    }

    /// <summary>Writes the line of a position again; false when its segment is missing, or the index states another length.</summary>
    public bool TryMend(ILinePlaces places, long position, ReadOnlySpan<byte> line)
    {
        var shard = layout.ShardOf(position);
        var place = places.LineStart(position);
        if (TryFind(shard) is not { } segment)
            return false;
        if (segment.IsSealed)
            return true;
        if (places.LineEnd(position) - place != line.Length + 1)
            return false;
        // On a share, only this machine's view of the line may have been incomplete.
        if (folder.Volume.ViewMayBeStale && ReadLine(places, position, pastCache: true).AsSpan().SequenceEqual(line))
            return true;
        files.Write(segment.File, segment.Path, (byte[])[.. line, EventLines.LineEnd], place - StartOf(shard, places));
        return true;
    }

    /// <summary>Makes the lines of positions durable, whichever process has written them.</summary>
    public void Flush(long first, long last)
    {
        for (var shard = layout.ShardOf(first); shard <= last; shard += layout.ShardPositions)
        {
            if (Find(shard) is { IsSealed: false } segment)
                files.Write(segment.File, segment.Path, static file => file.Flush());
        }
    }

    public void Dispose() => opened.Dispose();

    // The folder of the next position, and where its line will begin.
    private (long Shard, long Offset) EndOf(ILinePlaces places)
    {
        var shard = layout.ShardOf(places.Head + 1);
        return (shard, places.Head + 1 == StoreLayout.FirstOf(shard) ? 0 : places.LineEnd(places.Head) - StartOf(shard, places));
    }

    private static bool HasText(IFile file, long from)
    {
        var buffer = new byte[64 * 1024];
        for (var at = from; file.Read(buffer, at) is var read and > 0; at += read)
        {
            if (buffer.AsSpan(0, read).ContainsAnyExcept(EventLines.LineEnd))
                return true;
        }
        return false;
    }

    private bool IsReserved(long shard, long end, long turns)
    {
        if (shard != reserved.Shard || end > reserved.End)
            return false;
        if (turns != reserved.Turns && (Find(shard)?.File.GetLength() ?? 0) < reserved.End)
            return false;
        reserved.Turns = turns;
        return true;
    }

    private void Fill(Segment segment, long offset, long length)
    {
        for (var end = offset + length; offset < end; offset += BlanksMax)
            files.Write(segment.File, segment.Path, Blanks((int)Math.Min(BlanksMax, end - offset)), offset);
    }

    // The process that created it may have ended before flushing its name.
    private void MakeNameDurable(long shard)
    {
        if (!durableNames.Add(shard))
            return;
        try
        {
            if (durableNames.Count == 1)
                folder.MakeDurable(() => fileSystem.FlushFolder(layout.Root));
            folder.MakeDurable(() => fileSystem.FlushFolder(layout.Log));
        }
        catch
        {
            durableNames.Remove(shard);
            throw;
        }
    }

    private void TakeBack(ILinePlaces places, EventLines lines)
    {
        try
        {
            for (var number = 0; number < lines.Count;)
            {
                (var shard, var start, number, var offset) = PartFrom(number, places, lines);
                // A full disk that copies on write refuses line feeds as well, and mostly nothing was written.
                var there = new byte[lines.StartOf(number) - start];
                if (Find(shard) is { } segment && there.AsSpan(0, segment.File.Read(there, offset)).ContainsAnyExcept(EventLines.LineEnd))
                {
                    Fill(segment, offset, there.Length);
                    // The disk may have the line already: after a power cut it would be an event.
                    folder.MakeDurable(segment.File, static file => file.FlushBytes());
                }
            }
        }
        catch (FileSystemException e)
        {
            throw new DiskStateUnknownException(e);
        }
    }

    // The lines of one folder of positions: those from a number on, up to the next part.
    private (long Shard, int Start, int Next, long Offset) PartFrom(int number, ILinePlaces places, EventLines lines)
    {
        var position = places.Head + 1L + number;
        var shard = layout.ShardOf(position);
        var next = (int)Math.Min(lines.Count, number + layout.LastOf(shard) - position + 1);
        var isFirst = position == StoreLayout.FirstOf(shard);
        return (shard, lines.StartOf(number), next, isFirst ? 0 : places.LineEnd(places.Head) + lines.StartOf(number) - StartOf(shard, places));
    }

    private static ReadOnlyMemory<byte> Blanks(int length) =>
        length <= usualBlanks.Length ? usualBlanks.AsMemory(0, length) : NewBlanks(length);

    private static byte[] NewBlanks(int length)
    {
        var blanks = new byte[length];
        blanks.AsSpan().Fill(EventLines.LineEnd);
        return blanks;
    }

    private Segment FindOrCreate(long shard)
    {
        if (Find(shard) is { } segment)
            return segment;
        fileSystem.CreateFolder(layout.Log);
        fileSystem.Open(layout.Segment(shard), FileOpening.ReadWriteOrCreate)?.Dispose();
        return Find(shard) ?? throw new FileSystemException(FileError.NotFound, "open", layout.Segment(shard), "it was just created.");
    }

    // What has the name of a segment may be no file: then the event files are read.
    private Segment? TryFind(long shard)
    {
        try
        {
            return Find(shard);
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            return null;
        }
    }

    private Segment? Find(long shard)
    {
        var number = NumberOf(shard);
        var known = Volatile.Read(ref segments);
        return number < known.Length && Volatile.Read(ref known[number]) is { } segment ? segment : Open(shard, number);
    }

    private Segment? Open(long shard, int number)
    {
        lock (gate)
        {
            // Order matters: the sealed file first. A segment left beside it may have what was redacted since.
            var path = layout.SealedFile(shard);
            var file = fileSystem.Open(path, FileOpening.Read);
            var isSealed = file is not null;
            if (!isSealed)
                file = fileSystem.Open(path = layout.Segment(shard), opening);
            if (file is null)
                return null;
            if (++openCount > OpenMax)
                (segments, openCount) = (new Segment?[16], 1);
            var segment = new Segment(opened.Add(file), path, isSealed);
            Volatile.Write(ref At(ref segments, number), segment);
            return segment;
        }
    }

    private int NumberOf(long shard) => (int)(shard / layout.ShardPositions);

    private static ref T At<T>(ref T[] array, int number)
    {
        if (number >= array.Length)
        {
            var grown = array;
            Array.Resize(ref grown, Math.Max(2 * array.Length, number + 1));
            Volatile.Write(ref array, grown);
        }
        return ref array[number];
    }

    private sealed record Segment(IFile File, string Path, bool IsSealed);
}
