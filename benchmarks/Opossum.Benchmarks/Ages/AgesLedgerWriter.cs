using System.Buffers;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Benchmarks.Ages;

/// <summary>Writes the event files, sealed files and segments of a store made for measurements, without flushing.</summary>
internal sealed class AgesLedgerWriter(IFileSystem fileSystem, StoreLayout layout, AgesLedger ledger, int events) : IDisposable
{
    private readonly ArrayBufferWriter<byte> lines = new(4 * 1024 * 1024);
    private readonly ArrayBufferWriter<byte> text = new();
    private readonly List<int> starts = [];
    private readonly long firstUnsealed = layout.ShardOf(events) - layout.ShardPositions;
    private long shard = -1;
    private long segmentOf = -1;

    /// <summary>Adds the next event and its line.</summary>
    public void Add(StoredEvent stored, ReadOnlySpan<byte> line)
    {
        text.ResetWrittenCount();
        if (ledger != AgesLedger.Sealed || stored.Position >= firstUnsealed)
        {
            if (layout.ShardOf(stored.Position) != segmentOf)
            {
                WriteSegment();
                segmentOf = layout.ShardOf(stored.Position);
            }
            lines.Write(line);
            new EventLines().Add(stored, text);
            if (ledger != AgesLedger.Ends || stored.Position == 1 || stored.Position == events)
                WriteEventFile(stored.Position);
            return;
        }
        if (stored.Position % SealedFileText.LinesInBlock == StoreLayout.FirstOf(layout.ShardOf(stored.Position)) % SealedFileText.LinesInBlock)
            starts.Add(lines.WrittenCount);
        lines.Write(line);
        if (stored.Position == layout.LastOf(layout.ShardOf(stored.Position)))
            WriteSealedFile(layout.ShardOf(stored.Position));
    }

    public void Dispose() => WriteSegment();

    private void WriteSegment()
    {
        if (segmentOf < 0)
            return;
        fileSystem.CreateFolder(layout.Log);
        using var file = fileSystem.CreateNew(layout.Segment(segmentOf))!;
        file.Write(lines.WrittenSpan, 0);
        lines.ResetWrittenCount();
    }

    private void WriteEventFile(long position)
    {
        if (layout.ShardOf(position) != shard)
            fileSystem.CreateFolder(layout.ShardFolder(shard = layout.ShardOf(position)));
        using var file = fileSystem.CreateNew(layout.EventFile(position))!;
        file.Write(text.WrittenSpan, 0);
    }

    private void WriteSealedFile(long ofShard)
    {
        using var file = fileSystem.CreateNew(layout.SealedFile(ofShard))!;
        file.Write(lines.WrittenSpan, 0);
        var closing = new SealedClosing(StoreLayout.FirstOf(ofShard), layout.LastOf(ofShard), lines.WrittenCount, SealedFileText.LinesInBlock,
            [.. starts]);
        file.Write(SealedFileText.Close(closing, Crc32C.Add(Crc32C.Begin, lines.WrittenSpan)), lines.WrittenCount);
        lines.ResetWrittenCount();
        starts.Clear();
    }
}
