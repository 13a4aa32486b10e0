using System.Buffers.Binary;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// The first bytes of an index file: its kind, its format, its store's id, for packed copies the position of the first one, and a CRC-32C of these.
/// </summary>
internal static class IndexHeader
{
    public const int Length = 32;

    /// <summary>The length of the header of the packed copies.</summary>
    public const int PackedLength = Length + sizeof(int);

    private const int StoreIdOffset = 12;
    private const int FirstOffset = StoreIdOffset + 16;

    private static ReadOnlySpan<byte> IndexMagic => "OPOSSIDX"u8;

    private static ReadOnlySpan<byte> PackedMagic => "OPOSSDAT"u8;

    /// <summary>The id of the store whose index lies there; null when the files are missing, damaged, or of different stores.</summary>
    /// <remarks>
    /// For a store whose store.json is lost: the index may hold the only copy of an event, so it must not pass for another store's.
    /// </remarks>
    public static Guid? FindStoreId(IFileSystem fileSystem, StoreLayout layout) =>
        ReadStoreId(fileSystem, layout.IndexFile) is { } id && ReadStoreIdOfPacked(fileSystem, layout.PackedFile) == id ? id : null;

    /// <summary>The header of a store's index file.</summary>
    public static byte[] OfIndex(Guid storeId)
    {
        var header = new byte[Length];
        Begin(header, IndexMagic, storeId);
        Close(header);
        return header;
    }

    /// <summary>The header of a store's packed copies.</summary>
    /// <param name="storeId">The store's id.</param>
    /// <param name="first">The position of the first copy.</param>
    public static byte[] OfPacked(Guid storeId, int first)
    {
        var header = new byte[PackedLength];
        Begin(header, PackedMagic, storeId);
        BinaryPrimitives.WriteInt32LittleEndian(header.AsSpan(FirstOffset), first);
        Close(header);
        return header;
    }

    /// <summary>Whether a file has the header of the store's index file.</summary>
    public static bool IsOfIndex(IFile file, Guid storeId)
    {
        Span<byte> header = stackalloc byte[Length];
        return file.Read(header, 0) == header.Length && header.SequenceEqual(OfIndex(storeId));
    }

    /// <summary>The position of the first packed copy, as the header states it; null when it is not the header of the store's copies.</summary>
    public static int? ReadFirstPacked(IFile file, Guid storeId)
    {
        Span<byte> header = stackalloc byte[PackedLength];
        if (file.Read(header, 0) < header.Length)
            return null;
        var first = BinaryPrimitives.ReadInt32LittleEndian(header[FirstOffset..]);
        return first >= 1 && header.SequenceEqual(OfPacked(storeId, first)) ? first : null;
    }

    /// <summary>The checksum in the header of a store's index file, with which the chain of its frames begins.</summary>
    public static uint FirstChain(Guid storeId) => BinaryPrimitives.ReadUInt32LittleEndian(OfIndex(storeId).AsSpan(Length - sizeof(uint)));

    private static void Begin(byte[] header, ReadOnlySpan<byte> magic, Guid storeId)
    {
        magic.CopyTo(header);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(magic.Length), StoreLayout.IndexFormat);
        storeId.TryWriteBytes(header.AsSpan(StoreIdOffset), bigEndian: true, out _);
    }

    private static void Close(byte[] header)
    {
        var end = header.Length - sizeof(uint);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(end), Crc32C.Of(header.AsSpan(0, end)));
    }

    private static Guid? ReadStoreId(IFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        return file is not null && ReadStatedId(file) is { } id && IsOfIndex(file, id) ? id : null;
    }

    private static Guid? ReadStoreIdOfPacked(IFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        return file is not null && ReadStatedId(file) is { } id && ReadFirstPacked(file, id) is not null ? id : null;
    }

    private static Guid? ReadStatedId(IFile file)
    {
        Span<byte> header = stackalloc byte[FirstOffset];
        return file.Read(header, 0) == header.Length ? new Guid(header[StoreIdOffset..], bigEndian: true) : null;
    }
}
