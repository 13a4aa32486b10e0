using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;
using Opossum.Testing.Simulated;

namespace Opossum.Benchmarks.Journal;

/// <summary>Appends alone, at once and in batches, in turns with the contenders'.</summary>
internal sealed class JournalAppends(WorkFolder folder, FigureReport report, bool isShort, CancellationToken cancellationToken)
{
    // The targets.
    private const double AloneMaxOfSqlite = 0.7;
    private const double AloneMaxOfRaw = 1.5;
    private const double FlushesAtOnceMax = 0.02;

    // The larger events.
    private const int LargerBytes = 315;
    private const int LargerWriters = 50;
    private const string LargerJournal = "journal-larger";
    private const string LargerSqlite = "sqlite-larger";

    public async Task RunAsync()
    {
        await MeasureAsync();
        await MeasureLargerAsync();
        // Hundreds of thousands of files, for which a volume in a file has no room beside what comes next.
        Directory.Delete(folder.Below(LargerJournal), recursive: true);
        Directory.Delete(folder.Below(LargerSqlite), recursive: true);
    }

    private async Task MeasureAsync()
    {
        var feed = new EventFeed(100_000);
        await using var journal = new OpossumContender(folder.Below("journal"), useJournal: true, clock: new TimerlessClock(TimeProvider.System));
        await journal.OpenAsync();
        await using var entrants = new Entrants();
        await entrants.AddAsync(Task.FromResult(new Entrant(journal, feed)));
        foreach (var name in (string[])[ContenderName.Opossum, ContenderName.RawLogInPlace, ContenderName.Sqlite, ContenderName.GroupedSqlite])
            await entrants.AddAsync(Entrant.OpenAsync(name, folder.Below(name), new EventFeed(100_000)));
        var ungrouped = entrants.All.Where(static entrant => entrant.Name != ContenderName.GroupedSqlite).ToList();
        var grouped = entrants.All.Where(static entrant => entrant.Name != ContenderName.Sqlite).ToList();

        await RowsAsync("alone", ungrouped, entrant => entrant.Alone(25), 60, journal, (own, others) => string.Join("; ",
            AtMost(AloneMaxOfSqlite, own, others[ContenderName.Sqlite]), AtMost(AloneMaxOfRaw, own, others[ContenderName.RawLogInPlace]),
            Target("1 flush an append", own.Flushes is >= 0.99 and <= 1.01)));
        await RowsAsync("64 at once", grouped, entrant => entrant.Concurrently(Entrant.Writers, 10), 30, journal, (own, _) =>
            Target($"at most {FlushesAtOnceMax} flushes an event", own.Flushes <= FlushesAtOnceMax));
        await RowsAsync("a batch of 100", ungrouped, entrant => entrant.Batches(5), 30, journal, (own, others) =>
            AtMost(1, own, others[ContenderName.Sqlite]));
        journal.Store.BringFilesUp();
        await entrants.VerifyAsync();
    }

    // Turns that are so long that files are written meanwhile, beside an app on SQLite whose waiting appends share a transaction.
    private async Task MeasureLargerAsync()
    {
        await using var journal = new OpossumContender(folder.Below(LargerJournal), useJournal: true);
        await journal.OpenAsync();
        await using var entrants = new Entrants();
        await entrants.AddAsync(Task.FromResult(new Entrant(journal, Larger())));
        await entrants.AddAsync(Entrant.OpenAsync(ContenderName.GroupedSqlite, folder.Below(LargerSqlite), Larger()));
        var all = entrants.All.ToList();

        await RowAsync("alone", entrant => entrant.Alone(isShort ? 25 : 500));
        await RowAsync($"{LargerWriters} at once", entrant => entrant.Concurrently(LargerWriters, isShort ? 5 : 100));
        await RowAsync($"{LargerWriters} at once, under conditions", entrant => entrant.ConcurrentlyUnderCondition(LargerWriters, isShort ? 5 : 100));
        await RowAsync("a batch of 100", entrant => entrant.Batches(isShort ? 5 : 50));
        journal.Store.BringFilesUp();
        await entrants.VerifyAsync();

        Task RowAsync(string measure, Func<Entrant, Slice> slice) => RowsAsync($"{LargerBytes} bytes, files written meanwhile: {measure}", all, slice,
            15, journal, static (own, others) => AtMost(1, own, others[ContenderName.GroupedSqlite]));

        static EventFeed Larger() => new(100_000) { PayloadBytes = LargerBytes };
    }

    private async Task RowsAsync(string measure, List<Entrant> measured, Func<Entrant, Slice> slice, int rounds, OpossumContender journal,
        Func<Measured, Dictionary<string, Measured>, string> judge)
    {
        var slices = measured.ConvertAll(entrant => AfterFiles(journal, slice(entrant)));
        var results = await Interleaved.RunAsync(slices, isShort ? 3 : rounds, WarmUp.Of(isShort), folder, cancellationToken);
        var byName = results.ToDictionary(static each => each.Contender);
        foreach (var each in results)
        {
            report.Row(measure, each.Contender, FigureReport.Time(each.Microseconds), Number.Time(each.Microseconds.Mean),
                each.Flushes is { } flushes ? flushes.ToString("0.###", CultureInfo.InvariantCulture) : "",
                each.Contender == ContenderName.OpossumWithJournal ? judge(each, byName) : "");
        }
    }

    // No turn has the files of another one to write.
    private static Slice AfterFiles(OpossumContender journal, Slice slice) => slice with
    {
        PrepareAsync = () =>
        {
            journal.Store.BringFilesUp();
            return slice.PrepareAsync();
        },
    };

    private static string AtMost(double times, Measured own, Measured other) => FigureReport.Target(
        string.Create(CultureInfo.InvariantCulture, $"at most {times} times {other.Contender}"),
        own.Microseconds.Median <= times * other.Microseconds.Median);

    private static string Target(string text, bool isMet) => FigureReport.Target(text, isMet);
}
