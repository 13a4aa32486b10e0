using System.Globalization;
using System.Text;

namespace Opossum.Storage.Locking;

/// <summary>
/// The text in the lock file: which process took the lock last and when, its mark, up to which position every event has its file, durably, and
/// how many times that was set. After it, whether a process is waiting.
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
    private readonly int filesPlace;

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
        length += Put(length, Files);
        filesPlace = length;
        bytes[HolderLength - 1] = (byte)'\n';
        bytes[^1] = (byte)'\n';
    }

    /// <summary>The text that a waiting process writes after the holder's text.</summary>
    public ReadOnlySpan<byte> Waiter => waiter;

    private static ReadOnlySpan<byte> HeldBy => "held by "u8;

    private static ReadOnlySpan<byte> Files => "\nfiles "u8;

    private static ReadOnlySpan<byte> All => "all"u8;

    private static ReadOnlySpan<byte> Unknown => "unknown"u8;

    private static ReadOnlySpan<byte> Follow => ", others follow their lines"u8;

    private static ReadOnlySpan<byte> Unflushed => ", others are not flushed"u8;

    private static ReadOnlySpan<byte> FlushBegun => ", a flush of others was begun"u8;

    private static ReadOnlySpan<byte> Note => "\nnote "u8;

    /// <summary>The text that the holder writes.</summary>
    /// <param name="now">The time, in UTC.</param>
    /// <param name="files">How far the event files go; null: every event has its file, durably.</param>
    /// <param name="number">How many times that was set, by any process.</param>
    /// <param name="wipesWaiter">Whether the waiter's text after it is erased.</param>
    public ReadOnlySpan<byte> Holder(DateTime now, FilesNote? files, long number, bool wipesWaiter)
    {
        now.TryFormat(bytes.AsSpan(timePlace), out _, "O", CultureInfo.InvariantCulture);
        var place = bytes.AsSpan(filesPlace, HolderLength - 1 - filesPlace);
        place.Fill((byte)' ');
        var length = All.Length;
        if (files is { IsUnknown: true })
        {
            Unknown.CopyTo(place);
            length = Unknown.Length;
        }
        else if (files is { } note)
        {
            note.UpTo.TryFormat(place, out length, default, CultureInfo.InvariantCulture);
            var what = note.HasLines ? Follow : note.HasBegunFlush ? FlushBegun : Unflushed;
            what.CopyTo(place[length..]);
            length += what.Length;
        }
        else
        {
            All.CopyTo(place);
        }
        Note.CopyTo(place[length..]);
        length += Note.Length;
        number.TryFormat(place[length..], out var digits, default, CultureInfo.InvariantCulture);
        place[length + digits] = (byte)'\n';
        return bytes.AsSpan(0, wipesWaiter ? bytes.Length : HolderLength);
    }

    /// <summary>Whether the text carries this process's mark.</summary>
    public bool IsOurs(ReadOnlySpan<byte> text) => After(text, "\nmark "u8).SequenceEqual(mark);

    /// <summary>How far the event files go, according to the text; null: every event has its file, durably.</summary>
    public static FilesNote? FilesOf(ReadOnlySpan<byte> text)
    {
        var note = After(text, Files);
        if (note.SequenceEqual(All))
            return null;
        var digits = note.IndexOf((byte)',');
        return digits > 0 && long.TryParse(note[..digits], NumberStyles.None, CultureInfo.InvariantCulture, out var position)
            ? new FilesNote(position, note[digits..].SequenceEqual(Follow), note[digits..].SequenceEqual(FlushBegun))
            : FilesNote.Unknown;
    }

    /// <summary>How many times it was set how far the event files go, according to the text; -1: it says nothing.</summary>
    public static long NumberOf(ReadOnlySpan<byte> text) =>
        long.TryParse(After(text, Note), NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : -1;

    /// <summary>Whether a process is waiting, according to the text.</summary>
    public static bool HasWaiter(ReadOnlySpan<byte> text) => text.Length > HolderLength && text[HolderLength] == (byte)'w';

    /// <summary>The process that took the lock last, as text.</summary>
    public static string HolderOf(ReadOnlySpan<byte> text)
    {
        var end = text.IndexOf((byte)'\n');
        var holder = end > 0 && text.StartsWith(HeldBy) ? Encoding.UTF8.GetString(text[HeldBy.Length..end]).Trim() : "";
        return holder.Length > 0 ? holder : "a process that left no name";
    }

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
