using System.Buffers.Binary;
using System.Text;

namespace Opossum.Storage.Index;

/// <summary>A growing buffer for the index files' binary records.</summary>
internal sealed class ByteWriter
{
    private const int RecordHeaderLength = 8;
    private const int LengthAtFirst = 4096;
    private const int LengthKept = 4 * 1024 * 1024;

    private byte[] bytes = new byte[LengthAtFirst];

    public int Length { get; private set; }

    /// <summary>The buffer, whose first <see cref="Length"/> bytes are written. The next write may replace it.</summary>
    public byte[] Bytes => bytes;

    public ReadOnlySpan<byte> Written => bytes.AsSpan(0, Length);

    public void Clear() => Length = 0;

    /// <summary>Releases the memory of unusually long content.</summary>
    public void Trim()
    {
        if (bytes.Length <= LengthKept)
            return;
        bytes = new byte[LengthAtFirst];
        Length = 0;
    }

    public void WriteVarint(long number)
    {
        var target = Reserve(10);
        var length = 0;
        var rest = (ulong)number;
        while (rest >= 0x80)
        {
            target[length++] = (byte)(rest | 0x80);
            rest >>= 7;
        }
        target[length++] = (byte)rest;
        Length += length;
    }

    public void WriteUInt32(uint number)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(Reserve(sizeof(uint)), number);
        Length += sizeof(uint);
    }

    public void WriteInt64(long number)
    {
        BinaryPrimitives.WriteInt64LittleEndian(Reserve(sizeof(long)), number);
        Length += sizeof(long);
    }

    public void WriteBytes(ReadOnlySpan<byte> content)
    {
        content.CopyTo(Reserve(content.Length));
        Length += content.Length;
    }

    /// <summary>Writes a text: its length as a varint, and its UTF-8 bytes.</summary>
    public void WriteText(string text)
    {
        WriteVarint(Encoding.UTF8.GetByteCount(text));
        WriteUtf8(text);
    }

    public void WriteUtf8(string text) => Length += Encoding.UTF8.GetBytes(text, Reserve(Encoding.UTF8.GetMaxByteCount(text.Length)));

    /// <summary>Fills in a frame's header. Its checksum covers that of the frame before; see <see cref="IndexFrame.ChecksumOf"/>.</summary>
    public uint CloseFrame(int start, uint chain)
    {
        var checksum = IndexFrame.ChecksumOf(chain, bytes.AsSpan(start + RecordHeaderLength, LengthOf(start)));
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(start), (uint)LengthOf(start));
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(start + sizeof(uint)), checksum);
        return checksum;
    }

    /// <summary>Reserves space for a record's header; <see cref="CloseFrame"/> fills it in.</summary>
    public int OpenRecord()
    {
        var start = Length;
        WriteInt64(0);
        return start;
    }

    /// <summary>The bytes after a record's header.</summary>
    public int LengthOf(int start) => Length - start - RecordHeaderLength;

    private Span<byte> Reserve(int count)
    {
        if (bytes.Length - Length < count)
            Array.Resize(ref bytes, (int)Math.Min(Math.Max(bytes.Length * 2L, (long)Length + count), Array.MaxLength));
        return bytes.AsSpan(Length);
    }
}
