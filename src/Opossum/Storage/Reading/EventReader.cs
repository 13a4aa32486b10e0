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
    // On a share a round trip costs more than many bytes, so one read takes more bytes and spans wider gaps between wanted copies.
    private readonly int readBytesMax = ReadBytesMax(folder);
    private readonly int gapBytesMax = folder.Volume.IsNetwork ? 64 * 1024 : 4 * 1024;
    private readonly SealedEvents sealedEvents = new(folder, eventFiles, ReadBytesMax(folder), decoder);

    /// <summary>The store's folder.</summary>
    public string Store => folder.Root;

    /// <summary>Takes a view of the index with everything committed so far.</summary>
    /// <exception cref="StoreReadException">The files cannot be read.</exception>
    public IndexView TakeView()
    {
        try
        {
            return index.TakeView();
        }
        catch (FileSystemException e)
        {
            throw Unreadable(e);
        }
    }

    /// <summary>Reads the status of the store, with everything committed so far.</summary>
    /// <exception cref="StoreReadException">The files cannot be read.</exception>
    public StoreStatus ReadStatus(StatusReader status, bool withCounts, bool withSizes)
    {
        try
        {
            return status.Read(index.TakeView().Contents, withCounts, withSizes);
        }
        catch (FileSystemException e)
        {
            throw Unreadable(e);
        }
    }

    /// <summary>Reads the events at ascending places into the target.</summary>
    /// <exception cref="StoreReadException">The files cannot be read.</exception>
    /// <exception cref="StoreDamagedException">Neither the packed copy of an event nor its file is valid.</exception>
    public void Read(IndexView view, ReadOnlySpan<PackedPlace> places, Span<SequencedEvent?> target)
    {
        try
        {
            ReadNeighbours(view, places, target);
        }
        catch (FileSystemException e)
        {
            throw Unreadable(e);
        }
    }

    private void ReadNeighbours(IndexView view, ReadOnlySpan<PackedPlace> places, Span<SequencedEvent?> target)
    {
        byte[] buffer = [];
        for (var start = ReadSealed(view, places, target); start < places.Length;)
        {
            var first = places[start].Start;
            var end = start + 1;
            while (end < places.Length && places[end].Start - places[end - 1].End <= gapBytesMax && places[end].End - first <= readBytesMax)
                end++;
            var copies = ReadCopies(view, first, (int)(places[end - 1].End - first), ref buffer);
            Take(view, copies, first, places[start..end], target[start..end]);
            start = end;
        }
        ArrayPool<byte>.Shared.Return(buffer);
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
        return PackedEvents.Read(copy, place.Position, decoder) ?? ReadFile(place.Position);
    }

    // Those that have no copy come first. Returns their number.
    private int ReadSealed(IndexView view, ReadOnlySpan<PackedPlace> places, Span<SequencedEvent?> target)
    {
        var start = 0;
        while (start < places.Length && !view.HasCopy(places[start].Position))
        {
            var last = StoreLayout.LastOf(StoreLayout.ShardOf(places[start].Position));
            var end = start + 1;
            while (end < places.Length && places[end].Position <= last && !view.HasCopy(places[end].Position))
                end++;
            sealedEvents.Read(places[start..end], target[start..end]);
            for (; start < end; start++)
                target[start] ??= ReadFile(places[start].Position);
        }
        return start;
    }

    private static int ReadBytesMax(StoreFolder folder) => folder.Volume.IsNetwork ? 4 * 1024 * 1024 : 64 * 1024;

    private ReadOnlySpan<byte> ReadCopies(IndexView view, long start, int length, ref byte[] buffer)
    {
        if (view.Packed is not { } packed)
            return default;
        try
        {
            // The length from the index may be wrong, even maliciously.
            if (length > readBytesMax)
                length = (int)Math.Clamp(packed.GetLength() - view.OffsetOf(start), 0, length);
            if (buffer.Length < length)
            {
                ArrayPool<byte>.Shared.Return(buffer);
                buffer = ArrayPool<byte>.Shared.Rent(length);
            }
            return buffer.AsSpan(0, packed.Read(buffer.AsSpan(0, length), view.OffsetOf(start)));
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

    private SequencedEvent ReadFile(long position)
    {
        if (eventFiles.Read(position, out var problem) is not { } stored)
        {
            throw new StoreDamagedException(eventFiles.PathOf(position), position,
                $"The event at position {position} cannot be read: its packed copy is damaged, and {eventFiles.PathOf(position)} {problem}. "
                    + $"{nameof(StoreCheck)} names the remedy; see docs/operations.md.");
        }

        index.NoteDamagedCopy(position);
        var content = stored.Content;
        return new SequencedEvent(position, content.Type, content.Version, content.Tags, stored.TimestampTicks, content.Id,
            [.. content.Metadata, .. content.Json], content.Metadata.Length, decoder);
    }
}
