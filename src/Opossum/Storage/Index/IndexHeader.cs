using System.Buffers.Binary;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// The first bytes of the index file: its kind, its format, its store's id, and a CRC-32C of these.
/// </summary>
internal static class IndexHeader
{
    public const int Length = 32;

    private const int StoreIdOffset = 12;
    private const int StoreIdEnd = StoreIdOffset + 16;

    private static ReadOnlySpan<byte> IndexMagic => "OPOSSIDX"u8;

    /// <summary>The id of the store whose index lies there; null when the file is missing or damaged.</summary>
    /// <remarks>
    /// For a store whose store.json is lost: the index may hold the only line of an event, so it must not pass for another store's.
    /// </remarks>
    public static Guid? FindStoreId(IFileSystem fileSystem, StoreLayout layout)
    {
        using var file = fileSystem.Open(layout.IndexFile, FileOpening.Read);
        Span<byte> header = stackalloc byte[StoreIdEnd];
        if (file is null || file.Read(header, 0) < header.Length)
            return null;
        var id = new Guid(header[StoreIdOffset..], bigEndian: true);
        return IsOfIndex(file, id) ? id : null;
    }

    /// <summary>The header of a store's index file.</summary>
    public static byte[] OfIndex(Guid storeId)
    {
        var header = new byte[Length];
        IndexMagic.CopyTo(header);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(IndexMagic.Length), StoreLayout.IndexFormat);
        storeId.TryWriteBytes(header.AsSpan(StoreIdOffset), bigEndian: true, out _);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(StoreIdEnd), Crc32C.Of(header.AsSpan(0, StoreIdEnd)));
        return header;
    }

    /// <summary>Whether a file has the header of the store's index file.</summary>
    public static bool IsOfIndex(IFile file, Guid storeId)
    {
        Span<byte> header = stackalloc byte[Length];
        return file.Read(header, 0) == header.Length && header.SequenceEqual(OfIndex(storeId));
    }

    /// <summary>The checksum in the header of a store's index file, with which the chain of its frames begins.</summary>
    public static uint FirstChain(Guid storeId) => BinaryPrimitives.ReadUInt32LittleEndian(OfIndex(storeId).AsSpan(StoreIdEnd));
}
