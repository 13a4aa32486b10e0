using System.Buffers.Binary;
using Opossum.FileSystem;
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

    /// <summary>The id of the store whose index lies there; null when the files are missing, damaged, or of different stores.</summary>
    /// <remarks>
    /// For a store whose store.json is lost: the index may hold the only copy of an event, so it must not pass for another store's.
    /// </remarks>
    public static Guid? FindStoreId(IFileSystem fileSystem, StoreLayout layout) =>
        ReadStoreId(fileSystem, layout.IndexFile, OfIndex) is { } id && ReadStoreId(fileSystem, layout.PackedFile, OfPacked) == id ? id : null;

    public static byte[] Make(ReadOnlySpan<byte> magic, Guid storeId)
    {
        var header = new byte[Length];
        magic.CopyTo(header);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(magic.Length), StoreLayout.IndexFormat);
        storeId.TryWriteBytes(header.AsSpan(StoreIdOffset), bigEndian: true, out _);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(ChecksumOffset), Crc32C.Of(header.AsSpan(0, ChecksumOffset)));
        return header;
    }

    /// <summary>The checksum in the header of a store's index file, with which the chain of its frames begins.</summary>
    public static uint FirstChain(Guid storeId) => BinaryPrimitives.ReadUInt32LittleEndian(Make(OfIndex, storeId).AsSpan(ChecksumOffset));

    private static Guid? ReadStoreId(IFileSystem fileSystem, string path, ReadOnlySpan<byte> magic)
    {
        Span<byte> header = stackalloc byte[Length];
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is null || file.Read(header, 0) < Length)
            return null;
        var id = new Guid(header[StoreIdOffset..(StoreIdOffset + 16)], bigEndian: true);
        return header.SequenceEqual(Make(magic, id)) ? id : null;
    }
}
