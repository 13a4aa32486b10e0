using System.Buffers.Binary;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// A page of a run: 4,092 bytes of content and a CRC-32C of these, of the page's number and of the run's range and frames. So a page is
/// valid in one place of one run only.
/// </summary>
internal static class RunPage
{
    public const int Length = 4096;
    public const int ContentLength = Length - sizeof(uint);

    /// <summary>Writes the checksum into the end of a page.</summary>
    public static void Close(Span<byte> page, uint seed, int number) =>
        BinaryPrimitives.WriteUInt32LittleEndian(page[ContentLength..], ChecksumOf(page, seed, number));

    public static bool IsValid(ReadOnlySpan<byte> page, uint seed, int number) =>
        BinaryPrimitives.ReadUInt32LittleEndian(page[ContentLength..]) == ChecksumOf(page, seed, number);

    private static uint ChecksumOf(ReadOnlySpan<byte> page, uint seed, int number)
    {
        Span<byte> place = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(place, number);
        return Crc32C.End(Crc32C.Add(Crc32C.Add(seed, place), page[..ContentLength]));
    }
}
