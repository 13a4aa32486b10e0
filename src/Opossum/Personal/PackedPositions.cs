using System.Buffers.Binary;
using Opossum.FileSystem;
using Opossum.Storage.Index;

namespace Opossum.Personal;

/// <summary>Says in which packed copy of an event some bytes lie: it reads the beginning of each record.</summary>
internal static class PackedPositions
{
    private const int RecordHeaderLength = 8;
    private const int BlockBytes = 64 * 1024;

    /// <summary>Finds the positions.</summary>
    /// <param name="file">The file of the packed copies.</param>
    /// <param name="offsets">The places, ascending.</param>
    /// <param name="end">The file's length.</param>
    /// <returns>Each place with its event's position; null where no record is, as in what an interrupted append left.</returns>
    public static IEnumerable<(long Offset, long? Position)> Find(IFile file, IReadOnlyList<long> offsets, long end)
    {
        var block = new byte[BlockBytes];
        var (blockStart, blockLength) = (0L, 0);
        var (start, next, position) = ((long)PackedEvents.HeaderLength, (long)PackedEvents.HeaderLength, 0L);
        foreach (var offset in offsets)
        {
            while (next <= offset && next + RecordHeaderLength + sizeof(uint) <= end)
            {
                if (next < blockStart || next + RecordHeaderLength + sizeof(uint) > blockStart + blockLength)
                    (blockStart, blockLength) = (next, file.Read(block, next));
                var record = block.AsSpan((int)(next - blockStart), RecordHeaderLength + sizeof(uint));
                var length = BinaryPrimitives.ReadUInt32LittleEndian(record);
                position = BinaryPrimitives.ReadUInt32LittleEndian(record[RecordHeaderLength..]);
                // Zeros: room that is reserved.
                if (length == 0)
                    break;
                (start, next) = (next, next + RecordHeaderLength + length);
            }
            yield return (offset, offset >= start && offset < next ? position : null);
        }
    }
}
