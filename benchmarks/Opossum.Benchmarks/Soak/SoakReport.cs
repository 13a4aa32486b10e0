using Opossum.Benchmarks.Reporting;
using Spectre.Console;

namespace Opossum.Benchmarks.Soak;

/// <summary>A soak's rounds as a table, and whether anything grew that should not.</summary>
internal sealed class SoakReport(SoakResult result, bool isShort)
{
    /// <summary>The number of rounds needed to compare later ones with earlier ones; the first warms up.</summary>
    public const int RoundsMin = 4;

    private const double Mebibyte = 1 << 20;
    private const double ManagedGrowthMax = 8 * Mebibyte, ResidentGrowthMax = 64 * Mebibyte;

    // Each sealed file that is read has one. A subscription that is just ending has some; a leak at each append, read or reopening would be hundreds.
    private const int HandleGrowthMax = 8;

    private double BytesPerEvent => result.IndexBytes / (double)result.Events;

    private double ManagedGrowth => Growth(row => row.ManagedBytes - BytesPerEvent * row.Head);

    private double ResidentGrowth => Growth(row => row.ResidentBytes - BytesPerEvent * row.Head);

    private double HandleGrowth => Growth(static row => row.Handles);

    /// <summary>
    /// Whether nothing is lost, nothing is damaged, and nothing grew. A short run measures mostly its start, so only its handles are
    /// judged.
    /// </summary>
    public bool IsGood => result.Check.IsClean && result.Appended == result.Events
        && HandleGrowth <= HandleGrowthMax + result.Status.SealedFolders
        && (isShort || (ManagedGrowth <= ManagedGrowthMax && ResidentGrowth <= ResidentGrowthMax));

    public void Print()
    {
        var table = new Table().AddColumns("time", "events", "events/s", "append: median", "p99", "max", "managed", "resident", "handles", "threads");
        var time = TimeSpan.Zero;
        foreach (var row in result.Rows)
        {
            time += row.Time;
            table.AddRow(
                $"{(int)time.TotalMinutes}:{time:ss}", Number.Whole(row.Head), Number.Whole(row.Events / row.Time.TotalSeconds),
                Number.Time(row.Appends.Median), Number.Time(row.Appends.Percentile(99)), Number.Time(row.Appends.Max),
                Mebibytes(row.ManagedBytes), Mebibytes(row.ResidentBytes), $"{row.Handles}", $"{row.Threads}");
        }
        AnsiConsole.Write(table);
        AnsiConsole.WriteLine($"{Number.Whole(result.Appended)} events acknowledged, {Number.Whole(result.Events)} in the store; "
            + $"{Number.Whole(result.Refused)} appends refused by their conditions; reopened {Number.Whole(result.Reopened)} times; {result.Check}");
        AnsiConsole.WriteLine($"{Number.Whole(result.Status.EventsInJournal)} events without files in the journal, "
            + $"{Number.Whole(result.Status.SealedFolders)} sealed folders.");
        AnsiConsole.WriteLine($"The index takes {Number.Plain(BytesPerEvent)} bytes of memory an event. Apart from that, from the first rounds after "
            + $"the warm-up to the last ones: managed memory {Change(ManagedGrowth)}, resident memory {Change(ResidentGrowth)}, handles "
            + $"{HandleGrowth:+0.0;-0.0;0}.");
        AnsiConsole.WriteLine(IsGood ? "Nothing grew that should not." : "Something grew, was lost or is damaged.");
    }

    // From the first third to the last, the first round left out.
    private double Growth(Func<SoakRow, double> value)
    {
        var rows = result.Rows.Skip(1).Select(value).ToArray();
        var third = Math.Max(1, rows.Length / 3);
        return rows[^third..].Average() - rows[..third].Average();
    }

    private static string Mebibytes(double bytes) => $"{Number.Plain(bytes / Mebibyte)} MiB";

    private static string Change(double bytes) => (bytes < 0 ? "-" : "+") + Mebibytes(Math.Abs(bytes));
}
