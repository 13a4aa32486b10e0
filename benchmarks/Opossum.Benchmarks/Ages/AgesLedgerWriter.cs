using System.Buffers;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Ledger;

namespace Opossum.Benchmarks.Ages;

/// <summary>Writes the folder of events of a store made for measurements, without flushing.</summary>
internal sealed class AgesLedgerWriter(IFileSystem fileSystem, StoreLayout layout, AgesLedger ledger, int events)
{
    private readonly ArrayBufferWriter<byte> lines = new(4 * 1024 * 1024);
    private readonly ArrayBufferWriter<byte> text = new();
    private readonly List<int> starts = [];
    private readonly long firstUnsealed = layout.ShardOf(events) - layout.ShardPositions;
    private long shard = -1;

    /// <summary>Adds the next event, and stores the checksum in it.</summary>
    public void Add(StoredEvent stored)
    {
        text.ResetWrittenCount();
        if (ledger != AgesLedger.Sealed || stored.Position >= firstUnsealed)
        {
            EventFile.Write(text, stored);
            if (ledger != AgesLedger.Ends || stored.Position == 1 || stored.Position == events)
                WriteEventFile(stored.Position);
            return;
        }
        if (stored.Position % SealedFileText.LinesInBlock == StoreLayout.FirstOf(layout.ShardOf(stored.Position)) % SealedFileText.LinesInBlock)
            starts.Add(lines.WrittenCount);
        EventFile.WriteLine(lines, stored);
        lines.Write([SealedFileText.LineEnd]);
        if (stored.Position == layout.LastOf(layout.ShardOf(stored.Position)))
            WriteSealedFile(layout.ShardOf(stored.Position));
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
