using System.Globalization;
using Opossum.Benchmarks.Ages;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Cold;

/// <summary>What was measured within the memory bound. Times are in microseconds.</summary>
/// <param name="Few">Ten events by tag, and the same from SQLite.</param>
/// <param name="Scan">A full scan, and a plain read of the segments.</param>
/// <param name="ScannedBytes">The bytes of the segments.</param>
internal sealed record ColdResult(AgesPair Few, AgesPair Scan, long ScannedBytes)
{
    /// <summary>Four lines of times, and one with the bytes.</summary>
    public static string Format(IReadOnlyList<IEnumerable<double>> times, long scannedBytes) =>
        string.Join('\n', times.Select(static each => string.Join(' ', each.Select(static time => time.ToString("R", CultureInfo.InvariantCulture)))))
            + string.Create(CultureInfo.InvariantCulture, $"\n{scannedBytes}");

    public static ColdResult Parse(string text)
    {
        var lines = text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Distribution Times(int line) => new(lines[line].Split(' ').Select(static time => double.Parse(time, CultureInfo.InvariantCulture)));
        return new ColdResult(new AgesPair(Times(0), Times(1)), new AgesPair(Times(2), Times(3)), long.Parse(lines[4], CultureInfo.InvariantCulture));
    }
}
