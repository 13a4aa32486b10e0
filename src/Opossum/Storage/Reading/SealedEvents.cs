using System.Buffers;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Reading;

/// <summary>Reads events of sealed folders, neighbours in one read.</summary>
internal sealed class SealedEvents(StoreFolder folder, EventFiles eventFiles, int readBytesMax, IEventDecoder decoder)
{
    /// <summary>Reads the events at ascending places, all of one folder; leaves null those that must be read one by one.</summary>
    public void Read(ReadOnlySpan<PackedPlace> places, Span<SequencedEvent?> target)
    {
        target.Clear();
        // The lines of a newer version may have a member more.
        if (folder.IsOfNewerMinor)
            return;
        using var sealedFile = Use(StoreLayout.ShardOf(places[0].Position));
        if (sealedFile?.Closing is null)
            return;
        var rented = ArrayPool<byte>.Shared.Rent(readBytesMax);
        for (var start = 0; start < places.Length;)
        {
            var block = sealedFile.BlockOf(places[start].Position);
            var (end, lastBlock) = (start + 1, block);
            for (; end < places.Length; end++)
            {
                var next = sealedFile.BlockOf(places[end].Position);
                if (next > lastBlock + 1 || sealedFile.EndOf(next) - sealedFile.StartOf(block) > readBytesMax)
                    break;
                lastBlock = next;
            }
            var (from, length) = (sealedFile.StartOf(block), sealedFile.EndOf(lastBlock) - sealedFile.StartOf(block));
            if (rented.Length < length)
            {
                ArrayPool<byte>.Shared.Return(rented);
                rented = ArrayPool<byte>.Shared.Rent(length);
            }
            var text = rented.AsSpan(0, sealedFile.Read(rented.AsSpan(0, length), from));
            Take(text, sealedFile.FirstOfBlock(block), places[start..end], target[start..end]);
            start = end;
        }
        ArrayPool<byte>.Shared.Return(rented);
    }

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

    private SealedFile? Use(long shard)
    {
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
