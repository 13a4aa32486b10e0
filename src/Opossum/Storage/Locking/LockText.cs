using System.Globalization;
using System.Text;

namespace Opossum.Storage.Locking;

/// <summary>
/// The text in the lock file: which process took the lock last and when, its mark, up to which position events are durable, whether a flush
/// of the events after that was begun, and after which position events may be only in the journal. After it, whether a process is waiting.
/// </summary>
/// <remarks>Every append reads and writes it, so it works on bytes and allocates none.</remarks>
internal sealed class LockText
{
    public const int HolderLength = 512;
    public const int WaiterLength = 128;

    private const int SelfLengthMax = 300;
    private const int TimeLength = 28;

    private readonly byte[] bytes = new byte[HolderLength + WaiterLength];
    private readonly byte[] waiter;
    private readonly byte[] mark;
    private readonly int timePlace;
    private readonly int durablePlace;

    /// <param name="self">The description of this process.</param>
    /// <param name="mark">A mark that only this process writes.</param>
    public LockText(string self, string mark)
    {
        this.mark = Encoding.ASCII.GetBytes(mark);
        waiter = Line($"waiting: {self}", WaiterLength);
        bytes.AsSpan().Fill((byte)' ');
        var length = Put(0, HeldBy);
        length += Put(length, Line(self, SelfLengthMax).AsSpan().TrimEnd(" \n"u8));
        length += Put(length, " since "u8);
        timePlace = length;
        length += TimeLength;
        length += Put(length, "\nmark "u8);
        length += Put(length, this.mark);
        length += Put(length, "\ndurable "u8);
        durablePlace = length;
        bytes[HolderLength - 1] = (byte)'\n';
        bytes[^1] = (byte)'\n';
    }

    /// <summary>The text that a waiting process writes after the holder's text.</summary>
    public ReadOnlySpan<byte> Waiter => waiter;

    private static ReadOnlySpan<byte> HeldBy => "held by "u8;

    private static ReadOnlySpan<byte> FlushBegun => "\nflush begun\n"u8;

    private static ReadOnlySpan<byte> Journal => "\njournal "u8;

    /// <summary>The text that the holder writes.</summary>
    /// <param name="now">The time, in UTC.</param>
    /// <param name="durableUpTo">The last position known to be durable; null when all are.</param>
    /// <param name="hasBegunFlush">Whether a flush of the events after that position was begun.</param>
    /// <param name="journaledAfter">The position after which events may be only in the journal; null when no event is.</param>
    /// <param name="wipesWaiter">Whether the waiter's text after it is erased.</param>
    public ReadOnlySpan<byte> Holder(DateTime now, long? durableUpTo, bool hasBegunFlush, long? journaledAfter, bool wipesWaiter)
    {
        now.TryFormat(bytes.AsSpan(timePlace), out _, "O", CultureInfo.InvariantCulture);
        var durable = bytes.AsSpan(durablePlace, HolderLength - 1 - durablePlace);
        durable.Fill((byte)' ');
        var length = 3;
        if (durableUpTo is { } position)
            position.TryFormat(durable, out length, default, CultureInfo.InvariantCulture);
        else
            "all"u8.CopyTo(durable);
        durable[length] = (byte)'\n';
        if (hasBegunFlush)
        {
            FlushBegun.CopyTo(durable[length..]);
            length += FlushBegun.Length - 1;
        }
        if (journaledAfter is { } after)
        {
            Journal.CopyTo(durable[length..]);
            length += Journal.Length;
            after.TryFormat(durable[length..], out var digits, default, CultureInfo.InvariantCulture);
            durable[length + digits] = (byte)'\n';
        }
        return bytes.AsSpan(0, wipesWaiter ? bytes.Length : HolderLength);
    }

    /// <summary>Whether the text carries this process's mark.</summary>
    public bool IsOurs(ReadOnlySpan<byte> text) => After(text, "\nmark "u8).SequenceEqual(mark);

    /// <summary>The last position known to be durable according to the text; null when all are.</summary>
    public static long? DurableUpTo(ReadOnlySpan<byte> text) => Position(text, "\ndurable "u8);

    /// <summary>The position after which, according to the text, events may be only in the journal; null when no event is.</summary>
    public static long? JournaledAfter(ReadOnlySpan<byte> text) => Position(text, Journal);

    /// <summary>Whether, according to the text, a flush of the events after that position was begun and not completed.</summary>
    public static bool HasBegunFlush(ReadOnlySpan<byte> text) => text.IndexOf(FlushBegun) >= 0;

    /// <summary>Whether a process is waiting, according to the text.</summary>
    public static bool HasWaiter(ReadOnlySpan<byte> text) => text.Length > HolderLength && text[HolderLength] == (byte)'w';

    /// <summary>The process that took the lock last, as text.</summary>
    public static string HolderOf(ReadOnlySpan<byte> text)
    {
        var end = text.IndexOf((byte)'\n');
        var holder = end > 0 && text.StartsWith(HeldBy) ? Encoding.UTF8.GetString(text[HeldBy.Length..end]).Trim() : "";
        return holder.Length > 0 ? holder : "a process that left no name";
    }

    private static long? Position(ReadOnlySpan<byte> text, ReadOnlySpan<byte> word) =>
        long.TryParse(After(text, word), NumberStyles.None, CultureInfo.InvariantCulture, out var position) ? position : null;

    private static ReadOnlySpan<byte> After(ReadOnlySpan<byte> text, ReadOnlySpan<byte> word)
    {
        var at = text.IndexOf(word);
        if (at < 0)
            return default;
        var rest = text[(at + word.Length)..];
        var end = rest.IndexOf((byte)'\n');
        return end < 0 ? default : rest[..end];
    }

    private int Put(int place, ReadOnlySpan<byte> content)
    {
        content.CopyTo(bytes.AsSpan(place));
        return content.Length;
    }

    private static byte[] Line(string content, int length)
    {
        var line = new byte[length];
        line.AsSpan().Fill((byte)' ');
        Encoding.UTF8.GetEncoder().Convert(content, line.AsSpan(0, length - 1), flush: true, out _, out _, out _);
        line[^1] = (byte)'\n';
        return line;
    }
}
