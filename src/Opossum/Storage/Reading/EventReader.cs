using System.Buffers;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Storage.Reading;

/// <summary>
/// Reads events by position: from their lines, adjacent ones in one read, or from the event file if a line is missing or damaged.
/// </summary>
internal sealed class EventReader(StoreFolder folder, IReadableIndex index, EventFiles eventFiles, IEventDecoder decoder)
{
    // The batches of a read that are long enough for several threads, and what one takes at once.
    private const int ScatteredMin = 128, ScatteredAtOnce = 16;

    private const int ProcessorsMax = 4;

    // How many bytes are prefetched where neighbours are read.
    private const int BytesAhead = 1024 * 1024;

    // On a share a round trip costs more than many bytes, so one read takes more bytes and spans wider gaps between wanted lines.
    private readonly int readBytesMax = folder.Volume.TakesRoundTrips ? 4 * 1024 * 1024 : 64 * 1024;
    private readonly int gapBytesMax = folder.Volume.TakesRoundTrips ? 64 * 1024 : 4 * 1024;

    public string Store => folder.Root;

    public StoreLayout Layout => folder.Layout;

    /// <summary>Takes a view of the index with everything committed so far.</summary>
    /// <param name="pastCache">Whether to read it from the server of a share, which costs round trips.</param>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    public IndexView TakeView(bool pastCache = false) => Look(static view => view, pastCache);

    /// <summary>Whether an event matches, of all that are committed so far.</summary>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    public bool Has(Query query) => Look(view => view.Contents.FirstMatch(query, after: 0) > 0);

    /// <summary>Reads the status of the store, with everything committed so far.</summary>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    public StoreStatus ReadStatus(StatusReader status, bool withCounts, bool withSizes) =>
        Look(view => status.Read(view.Contents, withCounts, withSizes));

    /// <summary>Reads the events at ascending places into the target.</summary>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    /// <exception cref="StoreDamagedException">Neither the line of an event nor its file is valid.</exception>
    public void Read(IndexView view, LinePlace[] places, int count, SequencedEvent?[] target)
    {
        try
        {
            if (AreScattered(places.AsSpan(0, count)))
                ReadInParallel(view, places, count, target);
            else
                ReadAll(view, places.AsSpan(0, count), target, isPrefetched: false);
        }
        catch (FileSystemException e)
        {
            throw Unreadable(e);
        }
    }

    private T Look<T>(Func<IndexView, T> read, bool pastCache = false)
    {
        try
        {
            return read(index.TakeView(pastCache));
        }
        catch (FileSystemException e)
        {
            throw Unreadable(e);
        }
    }

    private void ReadAll(IndexView view, ReadOnlySpan<LinePlace> places, Span<SequencedEvent?> target, bool isPrefetched)
    {
        for (var read = 0; read < places.Length;)
        {
            if (!isPrefetched && folder.SlowReads.AreLikely)
            {
                Prefetch(view, places[read..]);
                isPrefetched = true;
            }
            read += ReadSome(view, places[read..], target[read..]);
        }
    }

    private bool AreScattered(ReadOnlySpan<LinePlace> places) =>
        places.Length >= ScatteredMin && places[^1].End - places[0].Start > (long)places.Length * gapBytesMax;

    // Most of the time is spent in system calls, one for each event.
    private void ReadInParallel(IndexView view, LinePlace[] places, int count, SequencedEvent?[] target)
    {
        var areSlow = folder.SlowReads.AreLikely;
        if (areSlow)
            Prefetch(view, places.AsSpan(0, count));
        var next = 0;
        folder.FileSystem.ForEach(Math.Min(Environment.ProcessorCount, ProcessorsMax), _ =>
        {
            while (Interlocked.Add(ref next, ScatteredAtOnce) - ScatteredAtOnce is var start && start < count)
            {
                var end = Math.Min(start + ScatteredAtOnce, count);
                ReadAll(view, places.AsSpan(start..end), target.AsSpan(start..end), areSlow);
            }
        });
    }

    private void Prefetch(IndexView view, ReadOnlySpan<LinePlace> places)
    {
        while (places.Length > 0 && view.Segments is { } segments)
        {
            var (count, start) = (CountNeighbours(places), places[0].Start);
            var length = places[count - 1].End - start;
            var shard = folder.Layout.ShardOf(places[0].Position);
            var last = folder.Layout.LastOf(shard);
            if (count < places.Length && places[count].Position <= last && AreNear(places[count - 1], places[count]))
            {
                // More than is read at once: what follows is likely to be read, too.
                length = Math.Max(length, BytesAhead);
                while (count < places.Length && places[count].Position <= last && places[count].End - start <= length)
                    count++;
            }
            if (segments.TryUse(shard) is { } file && start - segments.StartOf(shard, view.Contents) is >= 0 and var offset)
                file.Prefetch(offset, length);
            places = places[count..];
        }
    }

    // Reads the first events, one at least. Returns their number.
    private int ReadSome(IndexView view, ReadOnlySpan<LinePlace> places, Span<SequencedEvent?> target)
    {
        var count = CountNeighbours(places);
        byte[] buffer = [];
        var lines = ReadText(view, places[0], places[count - 1], ref buffer);
        Take(view, lines, places[..count], target);
        ArrayPool<byte>.Shared.Return(buffer);
        return count;
    }

    // Those of one segment.
    private int CountNeighbours(ReadOnlySpan<LinePlace> places)
    {
        var last = folder.Layout.LastOf(folder.Layout.ShardOf(places[0].Position));
        var count = 1;
        while (count < places.Length && places[count].Position <= last && AreNear(places[count - 1], places[count])
            && places[count].End - places[0].Start <= readBytesMax)
        {
            count++;
        }
        return count;
    }

    private bool AreNear(LinePlace place, LinePlace next) => next.Start >= place.Start && next.Start - place.End <= gapBytesMax;

    private void Take(IndexView view, ReadOnlySpan<byte> lines, ReadOnlySpan<LinePlace> places, Span<SequencedEvent?> target)
    {
        Span<int> starts = stackalloc int[RunHeader.LinesInGroup + 1];
        var (start, fits) = (-1L, false);
        for (var each = 0; each < places.Length; each++)
        {
            var place = places[each];
            if (place.Start != start)
            {
                start = place.Start;
                fits = TryFindLines(lines, (int)(start - places[0].Start), place, starts);
            }
            var line = fits ? lines[starts[place.Before]..(starts[place.Before + 1] - 1)] : default;
            var read = EventLine.Read(line, place.Position, decoder, folder.IsOfNewerMinor) ?? ReadAlone(view, place, lines.Length > 0);
            target[each] = view.Rules.Covers(read.Type) ? read.With(view.Rules.TagsOf) : read;
        }
    }

    // Where the lines of a place begin, and where the last one ends. False: they are cut off, or others. A process that lost the lock may have
    // written other events here, whose lines are valid, but rarely as long as these.
    private static bool TryFindLines(ReadOnlySpan<byte> lines, int at, LinePlace place, Span<int> starts)
    {
        if (place.Length == 0 || at > lines.Length - place.Length)
            return false;
        var text = lines.Slice(at, place.Length);
        (starts[0], starts[place.Count]) = (at, at + place.Length);
        for (var number = 1; number < place.Count; number++)
        {
            var length = text.IndexOf(EventLines.LineEnd) + 1;
            if (length == 0)
                return false;
            starts[number] = starts[number - 1] + length;
            text = text[length..];
        }
        return text.IndexOf(EventLines.LineEnd) == text.Length - 1 && text.Length > 0;
    }

    // The line may be whole and another one of its group damaged.
    private SequencedEvent ReadAlone(IndexView view, LinePlace place, bool hasLines)
    {
        var line = hasLines && place.Count > 1 ? view.ReadLine(place.Position) : [];
        return EventLine.Read(line, place.Position, decoder, folder.IsOfNewerMinor) ?? ReadFile(place.Position);
    }

    /// <summary>The text of lines as it lies, which may be damaged or cut off; empty when it is not there.</summary>
    /// <param name="last">The last place, in the same folder of positions.</param>
    /// <param name="buffer">Rented for the text, and to be returned.</param>
    /// <exception cref="FileSystemException">The files cannot be read.</exception>
    public ReadOnlySpan<byte> ReadText(IndexView view, LinePlace first, LinePlace last, ref byte[] buffer)
    {
        var shard = folder.Layout.ShardOf(first.Position);
        if (view.Segments is not { } segments || segments.TryUse(shard) is not { } file)
            return default;
        try
        {
            var offset = first.Start - segments.StartOf(shard, view.Contents);
            var length = last.End - first.Start;
            // What the index says may be wrong, even maliciously.
            if (offset < 0 || (length > readBytesMax && length > file.GetLength() - offset))
                return default;
            buffer = ArrayPool<byte>.Shared.Rent((int)length);
            var begun = folder.SlowReads.Begin();
            var read = file.Read(buffer.AsSpan(0, (int)length), offset);
            folder.SlowReads.End(begun);
            return buffer.AsSpan(0, read);
        }
        catch (FileSystemException e) when (e.Error is FileError.HandleLost or FileError.NotAnswering)
        {
            // The handle was lost since the view was taken, or the server did not answer. The event files are opened by name.
            return default;
        }
    }

    /// <summary>The error for files that cannot be read.</summary>
    public StoreIOException Unreadable(FileSystemException e) => new(e.Path,
        $"The store in {folder.Root} cannot be read. {e.Message} "
            + $"{(e.Error == FileError.InUse ? FileSystemException.InUseAdvice : "Check that the disk or the share can be reached.")} Read again; "
            + "if the failure persists, open the store again.", e);

    private SequencedEvent ReadFile(long position)
    {
        if (eventFiles.Read(position, out var problem) is not { } stored)
        {
            var path = eventFiles.PathOf(position);
            var isSealed = eventFiles.Sealed.IsKnown(folder.Layout.ShardOf(position));
            throw new StoreDamagedException(path, position,
                $"The event at position {position} cannot be read: {(isSealed ? "" : "its line is missing or damaged, and ")}"
                    + $"{path} {problem}. {StoreCheck.InWords} names the remedy; see docs/operations.md.");
        }
        index.NoteDamagedLine(position);
        return EventLine.ToSequenced(stored, decoder);
    }
}
