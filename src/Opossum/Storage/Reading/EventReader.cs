using System.Buffers;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Reading;

/// <summary>
/// Reads events by position: from their packed copies or sealed lines, adjacent ones in one read, or from the event file if a copy is damaged.
/// </summary>
internal sealed class EventReader(StoreFolder folder, IReadableIndex index, EventFiles eventFiles, IEventDecoder decoder)
{
    // The batches of a read that are long enough for several threads, and what one takes at once.
    private const int ScatteredMin = 128, ScatteredAtOnce = 16;

    private const int ProcessorsMax = 4;

    /// <summary>How many bytes are prefetched where neighbours are read.</summary>
    public const int BytesAhead = 1024 * 1024;

    // On a share a round trip costs more than many bytes, so one read takes more bytes and spans wider gaps between wanted copies.
    private readonly int readBytesMax = ReadBytesMax(folder);
    private readonly int gapBytesMax = GapBytesMax(folder);
    private readonly SealedEvents sealedEvents = new(folder, eventFiles, ReadBytesMax(folder), GapBytesMax(folder), decoder);

    /// <summary>The store's folder.</summary>
    public string Store => folder.Root;

    /// <summary>Takes a view of the index with everything committed so far.</summary>
    /// <exception cref="StoreReadException">The files cannot be read.</exception>
    public IndexView TakeView() => Look(static view => view);

    /// <summary>Whether an event matches, of all that are committed so far.</summary>
    /// <exception cref="StoreReadException">The files cannot be read.</exception>
    public bool Has(Query query) => Look(view => view.Contents.FirstMatch(query, after: 0) > 0);

    /// <summary>Reads the status of the store, with everything committed so far.</summary>
    /// <exception cref="StoreReadException">The files cannot be read.</exception>
    public StoreStatus ReadStatus(StatusReader status, bool withCounts, bool withSizes) =>
        Look(view => status.Read(view.Contents, withCounts, withSizes));

    /// <summary>Reads the events at ascending places into the target.</summary>
    /// <exception cref="StoreReadException">The files cannot be read.</exception>
    /// <exception cref="StoreDamagedException">Neither the packed copy of an event nor its file is valid.</exception>
    public void Read(IndexView view, ReadOnlyMemory<PackedPlace> places, Memory<SequencedEvent?> target)
    {
        try
        {
            if (AreScattered(places.Span))
                ReadInParallel(view, places, target);
            else
                ReadAll(view, places.Span, target.Span, isPrefetched: false);
        }
        catch (FileSystemException e)
        {
            throw Unreadable(e);
        }
    }

    private T Look<T>(Func<IndexView, T> read)
    {
        try
        {
            return read(index.TakeView());
        }
        catch (FileSystemException e)
        {
            throw Unreadable(e);
        }
    }

    private void ReadAll(IndexView view, ReadOnlySpan<PackedPlace> places, Span<SequencedEvent?> target, bool isPrefetched)
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

    private bool AreScattered(ReadOnlySpan<PackedPlace> places) =>
        places.Length >= ScatteredMin && places[^1].End - places[0].Start > (long)places.Length * gapBytesMax;

    // Most of the time is spent in system calls, one for each event.
    private void ReadInParallel(IndexView view, ReadOnlyMemory<PackedPlace> places, Memory<SequencedEvent?> target)
    {
        var areSlow = folder.SlowReads.AreLikely;
        if (areSlow)
            Prefetch(view, places.Span);
        var next = 0;
        folder.FileSystem.ForEach(Math.Min(Environment.ProcessorCount, ProcessorsMax), _ =>
        {
            while (Interlocked.Add(ref next, ScatteredAtOnce) - ScatteredAtOnce is var start && start < places.Length)
            {
                var end = Math.Min(start + ScatteredAtOnce, places.Length);
                ReadAll(view, places.Span[start..end], target.Span[start..end], areSlow);
            }
        });
    }

    private void Prefetch(IndexView view, ReadOnlySpan<PackedPlace> places)
    {
        while (places.Length > 0)
        {
            if (!view.HasCopy(places[0].Position))
            {
                var inFolder = CountInSealedFolder(view, places);
                sealedEvents.Prefetch(places[..inFolder]);
                places = places[inFolder..];
                continue;
            }
            var (count, start) = (CountNeighbours(places), places[0].Start);
            var length = places[count - 1].End - start;
            if (count < places.Length && AreNear(places[count - 1], places[count]))
            {
                // More than is read at once: what follows is likely to be read, too.
                length = Math.Max(length, BytesAhead);
                while (count < places.Length && places[count].End - start <= length)
                    count++;
            }
            view.Packed!.Prefetch(view.OffsetOf(start), length);
            places = places[count..];
        }
    }

    // Reads the first events, one at least. Returns their number.
    private int ReadSome(IndexView view, ReadOnlySpan<PackedPlace> places, Span<SequencedEvent?> target)
    {
        if (!view.HasCopy(places[0].Position))
        {
            var read = sealedEvents.Read(places[..CountInSealedFolder(view, places)], target);
            for (var at = 0; at < read; at++)
                target[at] ??= ReadFile(places[at].Position, hasCopy: false);
            return read;
        }
        var count = CountNeighbours(places);
        byte[] buffer = [];
        var copies = ReadCopies(view, places[0].Start, (int)(places[count - 1].End - places[0].Start), ref buffer);
        Take(view, copies, places[0].Start, places[..count], target);
        ArrayPool<byte>.Shared.Return(buffer);
        return count;
    }

    private int CountNeighbours(ReadOnlySpan<PackedPlace> places)
    {
        var count = 1;
        while (count < places.Length && AreNear(places[count - 1], places[count]) && places[count].End - places[0].Start <= readBytesMax)
            count++;
        return count;
    }

    private bool AreNear(PackedPlace place, PackedPlace next) => next.Start >= place.Start && next.Start - place.End <= gapBytesMax;

    // Those that have no copy come first.
    private int CountInSealedFolder(IndexView view, ReadOnlySpan<PackedPlace> places)
    {
        var last = folder.Layout.LastOf(folder.Layout.ShardOf(places[0].Position));
        var count = 1;
        while (count < places.Length && places[count].Position <= last && !view.HasCopy(places[count].Position))
            count++;
        return count;
    }

    private void Take(IndexView view, ReadOnlySpan<byte> copies, long first, ReadOnlySpan<PackedPlace> places, Span<SequencedEvent?> target)
    {
        var (start, at, before, fits) = (-1L, 0, 0, false);
        for (var each = 0; each < places.Length; each++)
        {
            var place = places[each];
            if (place.Start != start)
            {
                (start, at, before) = (place.Start, (int)(place.Start - first), 0);
                // A process that lost the lock may have written other events here. Their copies are valid, but rarely as long as these.
                fits = PackedEvents.Skip(copies, at, place.Count) == at + place.Length;
            }
            at = PackedEvents.Skip(copies, at, place.Before - before);
            before = place.Before;
            var copy = fits ? PackedEvents.CopyAt(copies, at) : default;
            target[each] = PackedEvents.Read(copy, place.Position, decoder) ?? ReadAlone(view, place, copies.Length > 0);
        }
    }

    // The copy may be whole and another one of its group damaged.
    private SequencedEvent ReadAlone(IndexView view, PackedPlace place, bool hasCopies)
    {
        var copy = hasCopies && place.Count > 1 ? PackedEvents.ReadRecord(view, place.Position) : [];
        return PackedEvents.Read(copy, place.Position, decoder) ?? ReadFile(place.Position, hasCopy: true);
    }

    private static int ReadBytesMax(StoreFolder folder) => folder.Volume.IsNetwork ? 4 * 1024 * 1024 : 64 * 1024;

    private static int GapBytesMax(StoreFolder folder) => folder.Volume.IsNetwork ? 64 * 1024 : 4 * 1024;

    private ReadOnlySpan<byte> ReadCopies(IndexView view, long start, int length, ref byte[] buffer)
    {
        // What the index says may be wrong, even maliciously.
        if (view.Packed is not { } packed || view.OffsetOf(start) < PackedEvents.HeaderLength)
            return default;
        try
        {
            if (length > readBytesMax)
                length = (int)Math.Clamp(packed.GetLength() - view.OffsetOf(start), 0, length);
            if (buffer.Length < length)
            {
                ArrayPool<byte>.Shared.Return(buffer);
                buffer = ArrayPool<byte>.Shared.Rent(length);
            }
            var begun = folder.SlowReads.Begin();
            var read = packed.Read(buffer.AsSpan(0, length), view.OffsetOf(start));
            folder.SlowReads.End(begun);
            return buffer.AsSpan(0, read);
        }
        catch (FileSystemException e) when (e.Error == FileError.HandleLost)
        {
            // The mount was lost and came back since the view was taken. The event files are opened by name.
            return default;
        }
    }

    /// <summary>The error for files that cannot be read.</summary>
    public StoreReadException Unreadable(FileSystemException e) => new(e.Path,
        $"The store in {folder.Root} cannot be read. {e.Message} "
            + $"{(e.Error == FileError.InUse ? FileSystemException.InUseAdvice : "Check that the disk or the share can be reached.")} Read again; "
            + "if the failure persists, open the store again.", e);

    private SequencedEvent ReadFile(long position, bool hasCopy)
    {
        if (eventFiles.Read(position, out var problem) is not { } stored)
        {
            throw new StoreDamagedException(eventFiles.PathOf(position), position,
                $"The event at position {position} cannot be read: {(hasCopy ? "its packed copy is damaged, and " : "")}"
                    + $"{eventFiles.PathOf(position)} {problem}. "
                    + $"{nameof(StoreCheck)} names the remedy; see docs/operations.md.");
        }

        index.NoteDamagedCopy(position);
        var content = stored.Content;
        return new SequencedEvent(position, content.Type, content.Version, content.Tags, stored.TimestampTicks, content.Id,
            [.. content.Metadata, .. content.Json], content.Metadata.Length, decoder);
    }
}
