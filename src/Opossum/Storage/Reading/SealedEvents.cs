using System.Buffers;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Reading;

/// <summary>Reads events of sealed folders, neighbours in one read.</summary>
/// <param name="folder">The store's folder.</param>
/// <param name="eventFiles">Its event files.</param>
/// <param name="readBytesMax">The most bytes of one read, unless one block has more.</param>
/// <param name="gapBytesMax">The most bytes between two blocks that are read with them.</param>
/// <param name="decoder">Decodes the events' data.</param>
internal sealed class SealedEvents(StoreFolder folder, EventFiles eventFiles, int readBytesMax, int gapBytesMax, IEventDecoder decoder)
{
    /// <summary>
    /// Reads the events at ascending places, all of one folder, up to a read that is slow; leaves null those that must be read one by one.
    /// </summary>
    /// <returns>The number of events, one at least.</returns>
    public int Read(ReadOnlySpan<PackedPlace> places, Span<SequencedEvent?> target)
    {
        target[..places.Length].Clear();
        using var sealedFile = Use(places[0].Position);
        if (sealedFile?.Closing is null)
            return places.Length;
        var rented = ArrayPool<byte>.Shared.Rent(readBytesMax);
        var read = 0;
        for (var wasSlow = false; read < places.Length && !wasSlow;)
        {
            var (count, from, length) = FirstBlocks(sealedFile, places[read..]);
            if (rented.Length < length)
            {
                ArrayPool<byte>.Shared.Return(rented);
                rented = ArrayPool<byte>.Shared.Rent(length);
            }
            var begun = folder.SlowReads.Begin();
            var text = rented.AsSpan(0, sealedFile.Read(rented.AsSpan(0, length), from));
            wasSlow = folder.SlowReads.End(begun);
            Take(text, sealedFile.FirstOfBlock(sealedFile.BlockOf(places[read].Position)), places.Slice(read, count), target.Slice(read, count));
            read += count;
        }
        ArrayPool<byte>.Shared.Return(rented);
        return read;
    }

    /// <summary>Prefetches what a read of the events will need. They are all of one folder.</summary>
    public void Prefetch(ReadOnlySpan<PackedPlace> places)
    {
        using var sealedFile = Use(places[0].Position);
        if (sealedFile?.Closing is null)
            return;
        while (places.Length > 0)
        {
            var (count, from, length) = FirstBlocks(sealedFile, places);
            if (count < places.Length
                && AreNear(sealedFile, sealedFile.BlockOf(places[count - 1].Position), sealedFile.BlockOf(places[count].Position)))
            {
                // More than is read at once: what follows is likely to be read, too.
                length = Math.Max(length, EventReader.BytesAhead);
                while (count < places.Length && sealedFile.EndOf(sealedFile.BlockOf(places[count].Position)) - from <= length)
                    count++;
            }
            sealedFile.Prefetch(from, length);
            places = places[count..];
        }
    }

    // The blocks that are read at once for the first of the places: how many of these they have, where they begin, and how long they are.
    private (int Count, int From, int Length) FirstBlocks(SealedFile sealedFile, ReadOnlySpan<PackedPlace> places)
    {
        var block = sealedFile.BlockOf(places[0].Position);
        var (count, lastBlock, from) = (1, block, sealedFile.StartOf(block));
        for (; count < places.Length; count++)
        {
            var next = sealedFile.BlockOf(places[count].Position);
            if (!AreNear(sealedFile, lastBlock, next) || sealedFile.EndOf(next) - from > readBytesMax)
                break;
            lastBlock = next;
        }
        return (count, from, sealedFile.EndOf(lastBlock) - from);
    }

    private bool AreNear(SealedFile sealedFile, int block, int next) => sealedFile.StartOf(next) - sealedFile.EndOf(block) <= gapBytesMax;

    private void Take(ReadOnlySpan<byte> text, long position, ReadOnlySpan<PackedPlace> places, Span<SequencedEvent?> target)
    {
        for (var at = 0; at < places.Length; position++)
        {
            var length = text.IndexOf(SealedFileText.LineEnd);
            if (length < 0)
                return;
            if (position == places[at].Position)
                target[at++] = SealedLine.Read(text[..length], position, decoder);
            text = text[(length + 1)..];
        }
    }

    private SealedFile? Use(long position)
    {
        // The lines of a newer version may have a member more.
        if (folder.IsOfNewerMinor)
            return null;
        var shard = folder.Layout.ShardOf(position);
        try
        {
            return eventFiles.Sealed.LookAgain(shard) ? eventFiles.Sealed.Use(shard) : null;
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            return null;
        }
    }
}
