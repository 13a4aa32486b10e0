using Opossum.Serialization;
using Opossum.Storage.Log;

namespace Opossum.Storage.Commit;

/// <summary>How large an append may be: its lines, and the texts of its event files, are each written from one buffer.</summary>
internal static class AppendSize
{
    private const long JsonBytesMax = StoreLayout.AppendBytesMax;

    // Escapes can make a line longer than the JSON and the index's names together.
    private const long LineBytesMax = StoreLayout.LineBytesMax;

    // JSON that is not indented beyond EventFile's own limit fits when it is as long as an append allows.
    private const long FileBytesMax = 5 * JsonBytesMax;

    // Two spaces for each level, the deepest on each second byte.
    private const int IndentedTimesMax = JsonText.DepthMax + 6;

    /// <summary>At most this many bytes are in the lines of events that keep no condition.</summary>
    public static long OfLines(PreparedEvent[] events)
    {
        var bytes = 0L;
        foreach (var each in events)
            bytes += EventLines.LengthMaxOf(each);
        return bytes;
    }

    /// <exception cref="ArgumentException">The append is too large.</exception>
    public static void ThrowIfTooLarge(PreparedEvent[] events)
    {
        var json = 0L;
        foreach (var each in events)
            json += each.Bytes;
        if (json > JsonBytesMax)
        {
            throw new ArgumentException($"The append has {json} bytes of JSON; at most {JsonBytesMax} are allowed in one. Append the events in "
                + "several.", nameof(events));
        }
        var lines = OfLines(events);
        if (lines > LineBytesMax && events.Max(EventLines.LengthMaxOf) is var line and > LineBytesMax)
        {
            throw new ArgumentException($"An event takes up to {line} bytes in its line; at most {LineBytesMax} are allowed. Give it fewer or "
                + "shorter tags, or less data.", nameof(events));
        }
        if (lines + (IndentedTimesMax * json) > FileBytesMax && events.Sum(EventFile.LengthMaxOf) is var files and > FileBytesMax)
        {
            throw new ArgumentException($"The append takes up to {files} bytes in its event files, where JSON is indented; at most {FileBytesMax} "
                + "are allowed in one. Append the events in several, or give them fewer tags and less deeply nested data.", nameof(events));
        }
    }
}
