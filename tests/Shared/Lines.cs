using Opossum.Storage;
using Opossum.Storage.Log;

namespace Opossum.Tests;

/// <summary>The lines of a segment.</summary>
internal static class Lines
{
    /// <summary>Where the line begins that follows a number of lines.</summary>
    public static int StartOf(byte[] segment, int number)
    {
        var start = 0;
        for (; number > 0; number--)
            start = Array.IndexOf(segment, EventLines.LineEnd, start) + 1;
        return start;
    }

    /// <summary>The lines of events.</summary>
    public static EventLines Of(IReadOnlyList<StoredEvent> events)
    {
        var lines = new EventLines();
        lines.Encode(events);
        return lines;
    }
}
