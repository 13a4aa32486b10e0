using System.Buffers.Binary;

namespace Opossum.Storage.Index;

/// <summary>Reads the bytes of a run's section, which follow each other through its pages.</summary>
/// <param name="firstPage">The number of the section's first page.</param>
/// <param name="offset">The offset in the section at which to begin.</param>
/// <param name="isPassing">Whether the pages are read once only, and so not kept in memory.</param>
internal struct RunReader(IndexRun run, int firstPage, long offset, bool isPassing = false)
{
    private byte[]? page;
    private int number = (int)(offset / RunPage.ContentLength);
    private int place = (int)(offset % RunPage.ContentLength);

    /// <summary>The offset in the section.</summary>
    public readonly long Offset => (long)number * RunPage.ContentLength + place;

    public byte ReadByte()
    {
        MakeSureOfPage();
        return page![place++];
    }

    /// <summary>Reads a number from 0 to 2^35.</summary>
    public long ReadVarint()
    {
        var value = 0L;
        for (var shift = 0; shift < 35; shift += 7)
        {
            var octet = ReadByte();
            value |= (long)(octet & 0x7F) << shift;
            if (octet < 0x80)
                return value;
        }
        throw run.Forged();
    }

    public uint ReadUInt32()
    {
        Span<byte> bytes = stackalloc byte[sizeof(uint)];
        Read(bytes);
        return BinaryPrimitives.ReadUInt32LittleEndian(bytes);
    }

    public void Read(Span<byte> target)
    {
        while (target.Length > 0)
        {
            MakeSureOfPage();
            var part = Math.Min(target.Length, RunPage.ContentLength - place);
            page.AsSpan(place, part).CopyTo(target);
            place += part;
            target = target[part..];
        }
    }

    /// <summary>Reads as many bytes as the text has, and compares them with it.</summary>
    public bool ReadAndCompare(ReadOnlySpan<byte> text)
    {
        var isEqual = true;
        while (text.Length > 0)
        {
            MakeSureOfPage();
            var part = Math.Min(text.Length, RunPage.ContentLength - place);
            isEqual = isEqual && page.AsSpan(place, part).SequenceEqual(text[..part]);
            place += part;
            text = text[part..];
        }
        return isEqual;
    }

    public void Skip(long count)
    {
        var target = place + count;
        if (count < 0)
            throw run.Forged();
        if (target <= RunPage.ContentLength)
        {
            place = (int)target;
            return;
        }
        number += (int)(target / RunPage.ContentLength);
        place = (int)(target % RunPage.ContentLength);
        page = null;
    }

    private void MakeSureOfPage()
    {
        if (place == RunPage.ContentLength)
        {
            number++;
            place = 0;
            page = null;
        }
        page ??= isPassing ? run.ReadPage(firstPage + number) : run.Page(firstPage + number);
    }
}
