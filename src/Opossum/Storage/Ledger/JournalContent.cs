using System.Buffers;
using Opossum.Serialization;

namespace Opossum.Storage.Ledger;

/// <summary>The groups that a journal file holds, as far as they were read.</summary>
/// <param name="number">The number of the file.</param>
/// <param name="store">The store's id.</param>
internal sealed class JournalContent(int number, Guid store)
{
    private const int BufferLength = 64 * 1024;

    private readonly List<JournalLine> lines = [];

    /// <summary>Reads bytes of the file at an offset until the buffer is full or the file ends; returns their number.</summary>
    public delegate int Read(Span<byte> buffer, long offset);

    public IReadOnlyList<JournalLine> Lines => lines;

    public bool IsEmpty => lines.Count == 0;

    public long First => IsEmpty ? 0 : lines[0].Position;

    public long Last => IsEmpty ? 0 : lines[^1].Position;

    /// <summary>The use that the header states; an empty id when there is no header.</summary>
    public Guid Use { get; private set; }

    /// <summary>The store that the header states, if it is another one.</summary>
    public Guid? OtherStore { get; private set; }

    /// <summary>The checksum of the last closing line, or of the header.</summary>
    public uint Chain { get; private set; }

    /// <summary>Where the last group ends.</summary>
    public long End { get; private set; }

    /// <summary>The lines of the events after a position.</summary>
    public IEnumerable<JournalLine> LinesAfter(long position) =>
        lines.Skip((int)Math.Clamp(position - First + 1, 0, lines.Count));

    /// <summary>Begins a use of the file.</summary>
    public void Begin(Guid use, ReadOnlySpan<byte> header)
    {
        lines.Clear();
        Use = use;
        Chain = Crc32C.Of(header);
        End = header.Length;
    }

    /// <summary>Adds a group that this process has written at the end.</summary>
    public void Add(IEnumerable<JournalLine> written, uint checksum, long end)
    {
        lines.AddRange(written);
        Chain = checksum;
        End = end;
    }

    /// <summary>Reads what follows: the header, if nothing was read before, and all whole groups.</summary>
    public void Continue(Read read)
    {
        var rented = ArrayPool<byte>.Shared.Rent(BufferLength);
        try
        {
            for (var length = 0; ;)
            {
                var got = read(rented.AsSpan(length), End + length);
                length += got;
                var taken = Take(rented.AsSpan(0, length), out var isOver);
                if (isOver || got == 0)
                    return;
                rented.AsSpan(taken, length - taken).CopyTo(rented);
                length -= taken;
                if (length == rented.Length)
                    RentedBytes.Grow(ref rented, 2 * length);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private int Take(ReadOnlySpan<byte> text, out bool isOver)
    {
        var taken = 0;
        if (Use == Guid.Empty)
        {
            if (!TryTakeHeader(text))
            {
                isOver = text.Length >= JournalText.HeaderLength || text is [not (byte)'{', ..];
                return 0;
            }
            taken = JournalText.HeaderLength;
        }
        while (TryTakeGroup(text, taken, out var end, out isOver))
            taken = end;
        return taken;
    }

    private bool TryTakeHeader(ReadOnlySpan<byte> text)
    {
        if (!JournalText.TryReadHeader(text, out var stated, out var use))
            return false;
        if (stated != store)
        {
            OtherStore = stated;
            return false;
        }
        Begin(use, text[..JournalText.HeaderLength]);
        return true;
    }

    // False with isOver: what follows is no group of this use. False without: more bytes are needed to know.
    private bool TryTakeGroup(ReadOnlySpan<byte> text, int start, out int end, out bool isOver)
    {
        var group = new List<JournalLine>();
        (end, isOver) = (start, false);
        for (var at = start; ;)
        {
            var length = text[at..].IndexOf(JournalText.Blank);
            if (length < 0)
            {
                // A line that does not begin as one of the journal's needs no end, and a group has one.
                isOver = text.Length - start > JournalText.GroupLengthMax
                    || (text.Length - at > JournalText.ClosingLengthMax && !JournalText.IsEvent(text[at..]));
                return false;
            }
            var line = text.Slice(at, length);
            if (JournalText.IsEvent(line))
            {
                group.Add(new JournalLine(group.Count, number, End + at - start, length));
                at += length + 1;
                continue;
            }
            isOver = !JournalText.TryReadClosing(text[..(at + length)], at, out var closing, out var checksum)
                || closing.Use != Use || closing.Previous != Chain || closing.Bytes != at - start
                || closing.Last - closing.First + 1 != group.Count || (!IsEmpty && closing.First != Last + 1);
            if (isOver)
                return false;
            end = at + length + 1;
            Add(group.Select(each => each with { Position = closing.First + each.Position }), checksum, End + end - start);
            return true;
        }
    }
}
