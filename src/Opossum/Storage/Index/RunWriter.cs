using System.Buffers.Binary;
using System.Diagnostics;
using System.Text;

namespace Opossum.Storage.Index;

/// <summary>Writes a run. The same source always gives the same bytes.</summary>
/// <remarks>docs/storage-format.md describes them.</remarks>
internal sealed class RunWriter
{
    /// <summary>Lists with more positions are cut into blocks of this number.</summary>
    public const int BlockLength = 128;

    /// <summary>The bytes of the entry that each block has at the beginning of its list: its first position, and where its others are.</summary>
    public const int BlockEntryLength = 2 * sizeof(uint);

    private readonly IRunSource source;
    private readonly RunOutput output;
    private readonly RunHeader header;
    private readonly uint seed;
    private readonly RunSection filter;
    private readonly RunSection directory;
    private readonly RunSection names;
    private readonly ByteWriter writer = new();
    private readonly ByteWriter list = new();
    private readonly ByteWriter blocks = new();
    private readonly uint[] filterBlock = new uint[FilterBits.Words];
    private int filterBlocksWritten;
    private int bucketsWritten;

    private RunWriter(IRunSource source, RunOutput output)
    {
        this.source = source;
        this.output = output;
        header = source.Header;
        seed = header.Seed;
        filter = new RunSection(header.FilterPage, seed, output);
        directory = new RunSection(header.DirectoryPage, seed, output);
        names = new RunSection(header.NamesPage, seed, output);
    }

    public static RunHeader Write(IRunSource source, RunOutput output, CancellationToken cancellationToken) =>
        new RunWriter(source, output).Write(cancellationToken);

    private RunHeader Write(CancellationToken cancellationToken)
    {
        WriteEvents();
        var typeTable = new RunSection(header.TypeTablePage, seed, output);
        RunTables.WriteTypes(typeTable, source.Types);
        typeTable.Close();
        WriteNames(cancellationToken);
        var keyTable = new RunSection(header.KeyTablePage, seed, output);
        RunTables.WriteKeys(keyTable, source.Keys);
        keyTable.Close();
        var whole = header with { NamesLength = names.Length };
        names.Close();
        output(whole.ToPage(), 0);
        return whole;
    }

    private void WriteEvents()
    {
        var groups = new RunSection(RunHeader.GroupsPage, seed, output);
        var starts = new RunSection(header.StartsPage, seed, output);
        var types = new RunSection(header.TypesPage, seed, output);
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        var (start, group, inGroup) = (header.LineStart, 0L, 0);
        foreach (var (type, end) in source.Events())
        {
            if (inGroup == 0)
            {
                BinaryPrimitives.WriteInt64LittleEndian(bytes, group = start);
                groups.AppendRecord(bytes);
            }
            inGroup = (inGroup + 1) % RunHeader.LinesInGroup;
            BinaryPrimitives.WriteUInt32LittleEndian(bytes, checked((uint)(start - group)));
            starts.AppendRecord(bytes[..sizeof(uint)]);
            BinaryPrimitives.WriteInt32LittleEndian(bytes, type);
            types.AppendRecord(bytes[..header.TypeWidth]);
            start = end;
        }
        groups.Close();
        starts.Close();
        types.Close();
    }

    private void WriteNames(CancellationToken cancellationToken)
    {
        var keys = source.Keys.ToDictionary(static use => use.Name, StringComparer.Ordinal);
        var keysByText = keys.GetAlternateLookup<ReadOnlySpan<char>>();
        Span<char> key = stackalloc char[Tag.MaxKeyLength];
        var count = 0;
        foreach (var entry in source.Names())
        {
            if (count++ % 1024 == 0)
                cancellationToken.ThrowIfCancellationRequested();
            AddToFilter(entry.Hash);
            WriteDirectoryUpTo(RunHeader.PartOf(entry.Hash, header.Buckets));
            WriteEntry(entry);
            if (entry.TypeNumber < 0)
                keysByText[key[..Encoding.UTF8.GetChars(entry.Text.AsSpan(0, IndexFrame.KeyLength(entry.Text)), key)]].Tags++;
        }
        WriteFilterUpTo(header.FilterBlocks);
        filter.Close();
        WriteDirectoryUpTo(header.Buckets - 1);
        directory.Close();
        Debug.Assert(count == header.NameCount, "Filter and directory have the sizes for another number of names.");
    }

    private void WriteEntry(RunEntry entry)
    {
        writer.Clear();
        writer.WriteVarint(entry.Text.Length * 2L + (entry.TypeNumber >= 0 ? 1 : 0));
        writer.WriteBytes(entry.Text);
        if (entry.TypeNumber >= 0)
            writer.WriteVarint(entry.TypeNumber);
        writer.WriteVarint(entry.Count);
        EncodeList(entry.Positions);
        writer.WriteVarint(blocks.Length + list.Length);
        names.Append(writer.Written);
        names.Append(blocks.Written);
        names.Append(list.Written);
    }

    private void EncodeList(ReadOnlySpan<int> positions)
    {
        list.Clear();
        blocks.Clear();
        var isCut = positions.Length > BlockLength;
        var before = header.Basis;
        for (var at = 0; at < positions.Length; at++)
        {
            if (isCut && at % BlockLength == 0)
            {
                blocks.WriteUInt32((uint)(positions[at] - header.Basis));
                blocks.WriteUInt32((uint)list.Length);
            }
            else
            {
                list.WriteVarint(positions[at] - before);
            }
            before = positions[at];
        }
    }

    private void AddToFilter(ulong hash)
    {
        WriteFilterUpTo(RunHeader.PartOf(hash, header.FilterBlocks));
        FilterBits.Add(filterBlock, hash);
    }

    private void WriteFilterUpTo(int block)
    {
        Span<byte> bytes = stackalloc byte[RunHeader.FilterBlockLength];
        for (; filterBlocksWritten < block; filterBlocksWritten++)
        {
            for (var at = 0; at < filterBlock.Length; at++)
                BinaryPrimitives.WriteUInt32LittleEndian(bytes[(at * sizeof(uint))..], filterBlock[at]);
            filter.AppendRecord(bytes);
            Array.Clear(filterBlock);
        }
    }

    private void WriteDirectoryUpTo(int bucket)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        for (; bucketsWritten <= bucket; bucketsWritten++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(bytes, names.Length);
            directory.AppendRecord(bytes[..RunHeader.OffsetLength]);
        }
    }
}
