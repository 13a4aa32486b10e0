using System.Buffers;
using System.Text;
using Opossum.FileSystem;

namespace Opossum.Personal;

/// <summary>Finds texts in files of any size, in one buffer.</summary>
internal sealed class ByteSearch
{
    private const int BlockBytes = 1024 * 1024;

    // What is looked at on each side of a place: the longest is a stored pseudonym with the mark before it.
    private const int AroundBytes = 32;

    private static readonly SearchValues<byte> pseudonymBytes =
        SearchValues.Create("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"u8);

    private readonly List<TextForm> forms;
    private readonly TextMatch match;
    private readonly int overlap;
    private readonly byte[] buffer;
    private readonly List<(int Start, int Length)> found = [];

    public ByteSearch(IEnumerable<string> texts, TextMatch match)
    {
        forms = [.. texts.SelectMany(TextForms.Of)];
        this.match = match;
        overlap = forms.Max(static form => form.Bytes.Length) - 1 + AroundBytes;
        buffer = new byte[AroundBytes + overlap + BlockBytes];
    }

    /// <summary>Reads a file to its end.</summary>
    /// <param name="isIndex">Whether it is a file of the index, in which each text follows its length.</param>
    /// <param name="hit">Called with the offset and the length of each place, ascending.</param>
    /// <param name="proceed">Called for each block; throws to stop.</param>
    /// <returns>The number of bytes.</returns>
    public long Run(IFile file, bool isIndex, Action<long, int> hit, Action proceed)
    {
        var (start, kept, first) = (0L, 0, 0);
        while (true)
        {
            proceed();
            var read = file.Read(buffer.AsSpan(kept), start + kept);
            var length = kept + read;
            var isEnd = length < buffer.Length;
            // A place that begins in the last bytes may end in the next block, which has them again.
            var limit = isEnd ? length : length - overlap;
            Find(buffer.AsSpan(0, length), first, limit, isIndex);
            // One place can be found in several forms: the longest counts.
            found.Sort(static (a, b) => a.Start != b.Start ? a.Start.CompareTo(b.Start) : b.Length.CompareTo(a.Length));
            for (var at = 0; at < found.Count; at++)
            {
                if (at == 0 || found[at].Start != found[at - 1].Start)
                    hit(start + found[at].Start, found[at].Length);
            }
            found.Clear();
            if (isEnd)
                return start + length;
            var again = limit - AroundBytes;
            buffer.AsSpan(again).CopyTo(buffer);
            (start, kept, first) = (start + again, length - again, AroundBytes);
        }
    }

    /// <summary>Whether one of the texts is in these bytes.</summary>
    public bool IsIn(ReadOnlySpan<byte> bytes)
    {
        Find(bytes, 0, bytes.Length, isIndex: false);
        var isIn = found.Count > 0;
        found.Clear();
        return isIn;
    }

    private void Find(ReadOnlySpan<byte> bytes, int first, int limit, bool isIndex)
    {
        foreach (var form in forms)
        {
            for (var from = first; from < limit && bytes[from..].IndexOf(form.Bytes) is >= 0 and var at && from + at < limit; from += at + 1)
            {
                if (IsMatch(bytes, from + at, form, isIndex) && !IsInPseudonym(bytes, from + at))
                    found.Add((from + at, form.Bytes.Length));
            }
        }
    }

    private bool IsMatch(ReadOnlySpan<byte> bytes, int start, TextForm form, bool isIndex) => match switch
    {
        TextMatch.Anywhere => true,
        TextMatch.Tag when isIndex => FollowsLength(bytes, start, form.Bytes.Length),
        _ => IsWord(bytes, start, form) || (isIndex && FollowsLength(bytes, start, form.Bytes.Length)),
    };

    private static bool IsWord(ReadOnlySpan<byte> bytes, int start, TextForm form)
    {
        var (from, end) = (Math.Max(0, start - AroundBytes), start + form.Bytes.Length);
        var to = Math.Min(bytes.Length, end + AroundBytes);
        // In UTF-16 one byte at an end of the file is half a character of the other order of bytes.
        var (halfBefore, halfAfter) = form.Encoding is UnicodeEncoding ? ((start - from) % 2, (to - end) % 2) : default;
        var before = Encoding.Latin1.GetString(bytes.Slice(from, halfBefore)) + form.Encoding.GetString(bytes[(from + halfBefore)..start]);
        var after = form.Encoding.GetString(bytes[end..(to - halfAfter)]) + Encoding.Latin1.GetString(bytes[(to - halfAfter)..to]);
        return PersonTexts.IsWhole(before + form.Text + after, before.Length, before.Length + form.Text.Length);
    }

    // The last byte of the length before it, a varint; in a run twice the length.
    private static bool FollowsLength(ReadOnlySpan<byte> bytes, int start, int length) =>
        start > 0 && (bytes[start - 1] == LastByteOf(length) || bytes[start - 1] == LastByteOf(2 * length));

    private static int LastByteOf(int number) => number < 128 ? number : number >> 7;

    // By chance a hash has any short text.
    private static bool IsInPseudonym(ReadOnlySpan<byte> bytes, int start)
    {
        var from = Math.Max(0, start - Tag.StoredPseudonymDigits - 1);
        var mark = bytes[from..start].LastIndexOf(":~"u8);
        if (mark < 0)
            return false;
        var hash = bytes[(from + mark + 2)..];
        return hash.Length >= Tag.StoredPseudonymDigits && !hash[..Tag.StoredPseudonymDigits].ContainsAnyExcept(pseudonymBytes);
    }
}
