using System.Buffers.Binary;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>The first bytes of an index file: its kind, its format, its store's id, and a CRC-32C of these.</summary>
internal static class IndexHeader
{
    public const int Length = 32;

    private const int StoreIdOffset = 12;
    private const int ChecksumOffset = Length - sizeof(uint);

    public static ReadOnlySpan<byte> OfIndex => "OPOSSIDX"u8;

    public static ReadOnlySpan<byte> OfPacked => "OPOSSDAT"u8;

    public static byte[] Make(ReadOnlySpan<byte> magic, Guid storeId)
    {
        var header = new byte[Length];
        magic.CopyTo(header);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(magic.Length), StoreLayout.IndexFormat);
        storeId.TryWriteBytes(header.AsSpan(StoreIdOffset), bigEndian: true, out _);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(ChecksumOffset), Crc32C.Of(header.AsSpan(0, ChecksumOffset)));
        return header;
    }
}
