using System.Buffers.Binary;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>The first page of a run: what it covers, and the sizes of its sections, which follow each other from page 1 on.</summary>
internal sealed record RunHeader
{
    /// <summary>The number of lines in a group, of which the run has the full offset.</summary>
    /// <remarks>Seven copies of <see cref="StoreLayout.LineBytesMax"/> bytes fit into a uint.</remarks>
    public const int LinesInGroup = 8;

    /// <summary>The bytes of the offset of a bucket in the names.</summary>
    public const int OffsetLength = 5;

    /// <summary>The number of groups whose offsets are in one page.</summary>
    public const int GroupsInPage = RunPage.ContentLength / sizeof(long);

    /// <summary>The number of events whose distances from the start of their group are in one page.</summary>
    public const int StartsInPage = RunPage.ContentLength / sizeof(uint);

    /// <summary>The bytes of a block of the filter.</summary>
    public const int FilterBlockLength = 32;

    public const int FilterBlocksInPage = RunPage.ContentLength / FilterBlockLength;

    public const int DirectoryEntriesInPage = RunPage.ContentLength / OffsetLength;

    private const int NamesInFilterBlock = 24;
    private const int NamesInBucket = 4;
    private const int FieldsStart = 12;

    // More than the copies of all positions take.
    private const long PlaceMax = StoreLayout.LineBytesMax * StoreLayout.PositionMax;

    // So that the number of pages is an int.
    private const long SectionLengthMax = 1L << 38;

    private static ReadOnlySpan<byte> Magic => "OPOSSRUN"u8;

    public required Guid StoreId { get; init; }

    /// <summary>The position before the first one.</summary>
    public required int Basis { get; init; }

    public required int Last { get; init; }

    /// <summary>The number of positions of the smallest runs of which it was made, as <see cref="RunSettings.Length"/>.</summary>
    public required int Length { get; init; }

    /// <summary>The number of runs that became one, as <see cref="RunSettings.Fan"/>.</summary>
    public required int Fan { get; init; }

    /// <summary>The offset of the first frame.</summary>
    public required long FrameStart { get; init; }

    /// <summary>The offset of the last frame.</summary>
    public required long LastFrame { get; init; }

    /// <summary>The offset at which the last frame ends.</summary>
    public required long FrameEnd { get; init; }

    /// <summary>The checksum of the frame before the first one.</summary>
    public required uint ChainBefore { get; init; }

    /// <summary>The checksum of the last frame, which covers all before it.</summary>
    public required uint Chain { get; init; }

    /// <summary>The offset at which the first line begins.</summary>
    public required long LineStart { get; init; }

    /// <summary>The offset at which the last line ends.</summary>
    public required long LineEnd { get; init; }

    public required int TypeCount { get; init; }

    /// <summary>The bytes of the table of types.</summary>
    public required long TypeTableLength { get; init; }

    /// <summary>The bytes of the table of tag keys.</summary>
    public required long KeyTableLength { get; init; }

    /// <summary>The number of names, which gives the sizes of filter and directory.</summary>
    public required int NameCount { get; init; }

    /// <summary>The bytes of the names and their positions.</summary>
    public long NamesLength { get; init; }

    public int Count => Last - Basis;

    /// <summary>The bytes that each event's type takes.</summary>
    public int TypeWidth => TypeCount <= byte.MaxValue + 1 ? 1 : TypeCount <= ushort.MaxValue + 1 ? 2 : 4;

    public int TypesInPage => RunPage.ContentLength / TypeWidth;

    public int FilterBlocks => NameCount / NamesInFilterBlock + 1;

    public int Buckets => NameCount / NamesInBucket + 1;

    // The sections, in this order; each begins with a page of its own.
    public static int GroupsPage => 1;

    public int StartsPage => GroupsPage + Pages(Pages(Count, LinesInGroup), GroupsInPage);

    public int TypesPage => StartsPage + Pages(Count, StartsInPage);

    public int TypeTablePage => TypesPage + Pages(Count, TypesInPage);

    public int KeyTablePage => TypeTablePage + Pages(TypeTableLength, RunPage.ContentLength);

    public int FilterPage => KeyTablePage + Pages(KeyTableLength, RunPage.ContentLength);

    public int DirectoryPage => FilterPage + Pages(FilterBlocks, FilterBlocksInPage);

    public int NamesPage => DirectoryPage + Pages(Buckets, DirectoryEntriesInPage);

    public int PageCount => NamesPage + Pages(NamesLength, RunPage.ContentLength);

    /// <summary>Where the CRC of each page begins: the run's range and the checksum of its frames.</summary>
    public uint Seed
    {
        get
        {
            Span<byte> bytes = stackalloc byte[12];
            BinaryPrimitives.WriteInt32LittleEndian(bytes, Basis);
            BinaryPrimitives.WriteInt32LittleEndian(bytes[4..], Last);
            BinaryPrimitives.WriteUInt32LittleEndian(bytes[8..], Chain);
            return Crc32C.Add(Crc32C.Begin, bytes);
        }
    }

    /// <summary>The part that a name belongs to: a bucket, or a block of the filter.</summary>
    public static int PartOf(ulong hash, int count) => (int)((hash >> 32) * (ulong)count >> 32);

    public byte[] ToPage()
    {
        var page = new byte[RunPage.Length];
        Magic.CopyTo(page);
        BinaryPrimitives.WriteUInt32LittleEndian(page.AsSpan(Magic.Length), StoreLayout.IndexFormat);
        StoreId.TryWriteBytes(page.AsSpan(FieldsStart), bigEndian: true, out var length);
        var rest = page.AsSpan(FieldsStart + length);
        foreach (var number in (ReadOnlySpan<long>)[Basis, Last, Length, Fan, FrameStart, LastFrame, FrameEnd, ChainBefore, Chain,
            LineStart, LineEnd, TypeCount, TypeTableLength, KeyTableLength, NameCount, NamesLength])
        {
            BinaryPrimitives.WriteInt64LittleEndian(rest, number);
            rest = rest[sizeof(long)..];
        }
        RunPage.Close(page, Seed, 0);
        return page;
    }

    /// <summary>Reads the page; null when it is not the first page of a run of the store.</summary>
    public static RunHeader? Read(ReadOnlySpan<byte> page, Guid storeId)
    {
        if (!page.StartsWith(Magic) || BinaryPrimitives.ReadUInt32LittleEndian(page[Magic.Length..]) != StoreLayout.IndexFormat
            || new Guid(page.Slice(FieldsStart, 16), bigEndian: true) != storeId)
        {
            return null;
        }
        var fields = new long[16];
        for (var at = 0; at < fields.Length; at++)
            fields[at] = BinaryPrimitives.ReadInt64LittleEndian(page[(FieldsStart + 16 + at * sizeof(long))..]);
        var read = new RunHeader
        {
            StoreId = storeId,
            Basis = (int)fields[0],
            Last = (int)fields[1],
            Length = (int)fields[2],
            Fan = (int)fields[3],
            FrameStart = fields[4],
            LastFrame = fields[5],
            FrameEnd = fields[6],
            ChainBefore = (uint)fields[7],
            Chain = (uint)fields[8],
            LineStart = fields[9],
            LineEnd = fields[10],
            TypeCount = (int)fields[11],
            TypeTableLength = fields[12],
            KeyTableLength = fields[13],
            NameCount = (int)fields[14],
            NamesLength = fields[15],
        };
        return RunPage.IsValid(page, read.Seed, 0) && read.IsSound ? read : null;
    }

    private bool IsSound => Basis >= 0 && Last > Basis && Length > 0 && Fan > 1
        && FrameStart >= IndexHeader.Length && LastFrame >= FrameStart && FrameEnd > LastFrame
        && LineStart >= 0 && LineEnd >= LineStart
        && LineStart < PlaceMax && LineEnd - LineStart <= Count * (long)StoreLayout.LineBytesMax
        && TypeCount > 0 && TypeTableLength > 0 && KeyTableLength >= 0
        && NameCount > 0 && NamesLength > 0 && Math.Max(Math.Max(TypeTableLength, KeyTableLength), NamesLength) <= SectionLengthMax;

    private static int Pages(long count, int inPage) => checked((int)((count + inPage - 1) / inPage));
}
