using System.Buffers.Binary;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>Writes and reads the packed copies of events in events.dat.</summary>
/// <remarks>
/// Length of the payload and its CRC-32C, 4 bytes each, then the payload: position and the event file's checksum, 4 bytes each; timestamp in
/// ticks since the year 1, 8 bytes; id, 16 bytes; then varints: the distances to the commit's first position before and its last position after, the
/// distance from its "after" to the first, less 1; version, type, number of tags, tags, length of the metadata; then the metadata's
/// JSON and the data's, compact. Type and tags are texts: a varint of their length and their UTF-8 bytes.
/// </remarks>
internal static class PackedEvents
{
    /// <summary>The offset at which the first copy begins.</summary>
    public const int HeaderLength = IndexHeader.PackedLength;

    private const int RecordHeaderLength = 8;
    private const int RecordBytesUnchecked = 4096;
    private const int RecordsBytesMax = 1024 * 1024;
    private const int FixedLength = RecordHeaderLength + 4 + 4 + 8 + 16;

    private static readonly TagsReader readTags = ReadTags;

    /// <summary>The names of all stores of the process that were read lately: its size does not grow.</summary>
    public static PackedNames Names { get; } = new();


    public static void WriteEnvelope(ByteWriter writer, StoredEvent stored)
    {
        writer.OpenRecord();
        writer.WriteUInt32((uint)stored.Position);
        writer.WriteUInt32(stored.Checksum);
        writer.WriteInt64(stored.TimestampTicks);
        writer.WriteGuid(stored.Content.Id);
        writer.WriteVarint(stored.Position - stored.Commit.First);
        writer.WriteVarint(stored.Commit.Last - stored.Position);
        writer.WriteVarint(stored.Commit.First - 1 - stored.Commit.After);
        writer.WriteVarint(stored.Content.Version);
    }

    public static void WriteContent(ByteWriter writer, PreparedEvent content)
    {
        writer.WriteText(content.Type);
        writer.WriteVarint(content.Tags.Length);
        foreach (var tag in content.Tags)
            writer.WriteText(tag);
        writer.WriteVarint(content.Metadata.Length);
        writer.WriteBytes(content.Metadata);
        writer.WriteBytes(content.Json);
    }

    /// <summary>Reads a copy; null when it is not the valid copy of this position.</summary>
    public static SequencedEvent? Read(ReadOnlySpan<byte> record, long position, IEventDecoder? decoder)
    {
        if (!IsIntact(record, position))
            return null;
        var reader = new VarintReader(record, FixedLength);
        if (!reader.TryRead(out _) || !reader.TryRead(out _) || !reader.TryRead(out _)
            || !reader.TryRead(out var version)
            || !reader.TryReadText(out var type))
        {
            return null;
        }
        // The tags are made of their texts when they are first asked for.
        var start = reader.Place;
        if (!reader.TryRead(out var tagCount) || tagCount > reader.Remaining)
            return null;
        for (var at = 0; at < tagCount; at++)
        {
            if (!reader.TryReadText(out var tag) || tag.IndexOf((byte)':') < 1)
                return null;
        }
        if (!reader.TryRead(out var metadataLength) || metadataLength > reader.Remaining || version < 1
            || (ulong)Ticks(record) > (ulong)DateTime.MaxValue.Ticks
            || (metadataLength > 0 && !JsonText.IsOfTexts(record.Slice(reader.Place, metadataLength))))
        {
            return null;
        }
        return new SequencedEvent(position, Names.TypeOf(type), version, readTags, Ticks(record), Id(record), record[start..].ToArray(),
            reader.Place - start, metadataLength, decoder);
    }

    /// <summary>Reads a copy with everything its event file holds; null when it is not the valid copy of this position.</summary>
    public static StoredEvent? ReadStored(ReadOnlySpan<byte> record, long position)
    {
        if (Read(record, position, decoder: null) is not { } e || ReadCommit(record, position) is not { } commit
            || !JsonText.IsJson(e.StoredJson.Span))
        {
            return null;
        }
        var content = new PreparedEvent(e.Type, e.Version, [.. e.Tags], e.Id, e.StoredJson.ToArray(), e.MetadataJson.ToArray());
        return new StoredEvent(content, position, commit, Ticks(record)) { Checksum = ReadChecksum(record) };
    }

    /// <summary>The checksum of the event file that this is a copy of; null when it is not the valid copy of this position.</summary>
    public static uint? FileChecksum(ReadOnlySpan<byte> record, long position) =>
        IsIntact(record, position) ? ReadChecksum(record) : null;

    /// <summary>The event's id; null when it is not the valid copy of this position.</summary>
    public static Guid? FindId(ReadOnlySpan<byte> record, long position) => IsIntact(record, position) ? Id(record) : null;

    /// <summary>The bytes of a position's copy in a view; fewer, or none, when the file does not hold them.</summary>
    /// <param name="view">The view.</param>
    /// <param name="position">The position.</param>
    /// <param name="readPastCache">Reads the file past the cache, from an offset. Null: the file is read as usual.</param>
    public static byte[] ReadRecord(IndexView view, long position, Func<byte[], long, int>? readPastCache = null)
    {
        if (view.Packed is not { } packed || !view.HasCopy(position))
            return [];
        var place = view.Contents.PackedStart(position);
        var (start, length) = (view.OffsetOf(place), view.Contents.PackedEnd(position) - place);
        // What the index says may be wrong, even maliciously.
        if (length <= 0 || start < HeaderLength)
            return [];
        var record = new byte[length > RecordBytesUnchecked ? Math.Clamp(packed.GetLength() - start, 0, length) : length];
        var read = readPastCache is null ? packed.Read(record, start) : readPastCache(record, start);
        return read == record.Length ? record : record[..read];
    }

    /// <summary>The copies of neighbouring positions, read at once; empty when they are too long, or the file does not hold them.</summary>
    public static byte[] ReadRecords(IndexView view, long first, long last)
    {
        var place = view.Contents.PackedStart(first);
        var length = view.Contents.PackedEnd(last) - place;
        if (view.Packed is not { } packed || !view.HasCopy(first) || length is <= 0 or > RecordsBytesMax || view.OffsetOf(place) < HeaderLength)
            return [];
        var records = new byte[length];
        return packed.Read(records, view.OffsetOf(place)) == length ? records : [];
    }

    /// <summary>Skips copies that follow each other; beyond the end of the bytes when they are cut off, or a length in them is damaged.</summary>
    /// <param name="copies">The copies.</param>
    /// <param name="at">The place of the first one.</param>
    /// <param name="count">How many to skip.</param>
    public static int Skip(ReadOnlySpan<byte> copies, int at, int count)
    {
        for (; count > 0 && at < copies.Length; count--)
            at += CopyAt(copies, at).Length is > 0 and var length ? length : copies.Length;
        return at;
    }

    /// <summary>The copy that begins at a place; empty when it is cut off, or its length is damaged.</summary>
    public static ReadOnlySpan<byte> CopyAt(ReadOnlySpan<byte> copies, int at)
    {
        if (at > copies.Length - RecordHeaderLength)
            return default;
        var length = BinaryPrimitives.ReadUInt32LittleEndian(copies[at..]);
        return length <= copies.Length - at - RecordHeaderLength ? copies.Slice(at, RecordHeaderLength + (int)length) : default;
    }

    /// <summary>The bytes of copies of neighbouring events that come before the copy of a position.</summary>
    /// <param name="copies">Whole copies.</param>
    /// <param name="first">The position of the first one.</param>
    /// <param name="position">The position.</param>
    public static int LengthBefore(ReadOnlySpan<byte> copies, long first, long position)
    {
        var length = 0;
        for (var each = first; each < position && length < copies.Length; each++)
            length += RecordHeaderLength + (int)BinaryPrimitives.ReadUInt32LittleEndian(copies[length..]);
        return length;
    }

    /// <summary>The commit that the event belongs to; null when it is not the valid copy of this position.</summary>
    public static CommitRange? Commit(ReadOnlySpan<byte> record, long position) => IsIntact(record, position) ? ReadCommit(record, position) : null;

    // The texts were found valid when the copy was read.
    private static Tag[] ReadTags(ReadOnlySpan<byte> packed)
    {
        var reader = new VarintReader(packed, 0);
        reader.TryRead(out var count);
        var tags = count == 0 ? [] : new Tag[count];
        foreach (ref var tag in tags.AsSpan())
        {
            reader.TryReadText(out var text);
            tag = Names.TagOf(text);
        }
        return tags;
    }

    private static CommitRange? ReadCommit(ReadOnlySpan<byte> record, long position)
    {
        var reader = new VarintReader(record, FixedLength);
        if (!reader.TryRead(out var before) || !reader.TryRead(out var behind) || !reader.TryRead(out var gap))
            return null;
        return new CommitRange(position - before, position + behind, position - before - 1 - gap);
    }

    private static bool IsIntact(ReadOnlySpan<byte> record, long position) =>
        record.Length > FixedLength
        && BinaryPrimitives.ReadUInt32LittleEndian(record) == (uint)(record.Length - RecordHeaderLength)
        && BinaryPrimitives.ReadUInt32LittleEndian(record[RecordHeaderLength..]) == (uint)position
        && BinaryPrimitives.ReadUInt32LittleEndian(record[4..]) == Crc32C.Of(record[RecordHeaderLength..]);

    private static uint ReadChecksum(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt32LittleEndian(record[(RecordHeaderLength + 4)..]);

    private static long Ticks(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadInt64LittleEndian(record[(RecordHeaderLength + 8)..]);

    private static Guid Id(ReadOnlySpan<byte> record) => new(record.Slice(RecordHeaderLength + 16, 16), bigEndian: true);
}
