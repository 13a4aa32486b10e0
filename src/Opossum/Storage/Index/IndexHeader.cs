using System.Buffers.Binary;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage.Definitions;

namespace Opossum.Storage.Index;

/// <summary>
/// The first bytes of the index file: its kind, its format, its store's id, the tag rules if there are any, and a CRC-32C of these.
/// </summary>
internal static class IndexHeader
{
    /// <summary>The length without rules.</summary>
    public const int Length = 32;

    private const int StoreIdOffset = 12;
    private const int StoreIdEnd = StoreIdOffset + 16;
    private const int RulesOffset = StoreIdEnd + sizeof(int);

    // A rule has three texts of up to a few thousand characters.
    private const int RulesLengthMax = 16 * 1024 * 1024;

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
        return FindRules(file, id) is null ? null : id;
    }

    /// <summary>The header of a store's index file.</summary>
    /// <param name="rules">The rules that gave tags in the index; null: none.</param>
    public static byte[] OfIndex(Guid storeId, TagRuleSet? rules = null)
    {
        var json = rules is null or { IsEmpty: true } ? [] : rules.ToJson();
        var header = new byte[json.Length == 0 ? Length : RulesOffset + json.Length + sizeof(uint)];
        IndexMagic.CopyTo(header);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(IndexMagic.Length),
            json.Length == 0 ? StoreLayout.IndexFormat : StoreLayout.IndexFormatWithRules);
        storeId.TryWriteBytes(header.AsSpan(StoreIdOffset), bigEndian: true, out _);
        if (json.Length > 0)
        {
            BinaryPrimitives.WriteInt32LittleEndian(header.AsSpan(StoreIdEnd), json.Length);
            json.CopyTo(header, RulesOffset);
        }
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(^sizeof(uint)), Crc32C.Of(header.AsSpan(0, header.Length - sizeof(uint))));
        return header;
    }

    /// <summary>The rules that gave tags in an index file; null when it does not have the header of the store's index file.</summary>
    public static TagRuleSet? FindRules(IFile file, Guid storeId)
    {
        Span<byte> start = stackalloc byte[Length];
        if (file.Read(start, 0) != start.Length)
            return null;
        if (start.SequenceEqual(OfIndex(storeId)))
            return TagRuleSet.None;
        if (BinaryPrimitives.ReadUInt32LittleEndian(start[IndexMagic.Length..]) != StoreLayout.IndexFormatWithRules
            || BinaryPrimitives.ReadInt32LittleEndian(start[StoreIdEnd..]) is not (> 0 and <= RulesLengthMax and var length))
        {
            return null;
        }
        var header = new byte[RulesOffset + length + sizeof(uint)];
        return file.Read(header, 0) == header.Length && TagRuleSet.Parse(header.AsSpan(RulesOffset, length)) is { } rules
            && header.AsSpan().SequenceEqual(OfIndex(storeId, rules)) ? rules : null;
    }

    /// <summary>The checksum in the header, with which the chain of the frames begins.</summary>
    public static uint FirstChain(ReadOnlySpan<byte> header) => BinaryPrimitives.ReadUInt32LittleEndian(header[^sizeof(uint)..]);
}
