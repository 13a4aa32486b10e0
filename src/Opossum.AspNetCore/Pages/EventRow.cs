using System.Globalization;
using System.Text;

namespace Opossum.AspNetCore.Pages;

/// <summary>What a list shows of an event. It is small, whatever the event's size.</summary>
internal sealed record EventRow(long Position, string Type, int Version, DateTimeOffset Time, IReadOnlyList<Tag> Tags, int FurtherTags,
    string Excerpt)
{
    /// <summary>The longest text of a tag in a list.</summary>
    public const int TagLengthMax = 80;

    /// <summary>How many tags of something are in a list.</summary>
    public const int TagsMax = 8;

    private const int ExcerptLengthMax = 240;
    private const int ExcerptBytesMax = ExcerptLengthMax * 3;

    public string TypeAndVersion => Version == 1 ? Type : string.Create(CultureInfo.InvariantCulture, $"{Type} v{Version}");

    public static EventRow Of(SequencedEvent e) => new(e.Position, e.Type, e.Version, e.Timestamp, [.. e.Tags.Take(TagsMax)],
        Math.Max(0, e.Tags.Count - TagsMax), ExcerptOf(e.StoredJson.Span));

    public static string ExcerptOf(ReadOnlySpan<byte> json) => VisibleText.Cut(Beginning(json, ExcerptBytesMax), ExcerptLengthMax);

    public static string InWords(DateTimeOffset time) => time.UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture);

    public static string ForMachines(DateTimeOffset time) =>
        time.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.FFFFFFF'Z'", CultureInfo.InvariantCulture);

    /// <summary>The text up to a number of bytes, without half a character at its end.</summary>
    public static string Beginning(ReadOnlySpan<byte> utf8, int bytesMax)
    {
        if (utf8.Length <= bytesMax)
            return Encoding.UTF8.GetString(utf8);
        var end = bytesMax;
        // The bytes of a character after its first begin with the bits 10.
        while (end > 0 && (utf8[end] & 0xC0) == 0x80)
            end--;
        return Encoding.UTF8.GetString(utf8[..end]);
    }
}
