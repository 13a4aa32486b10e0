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

    private readonly EventFeed feed = new(100_000);

    public async Task RunAsync()
    {
        await using var journal = new OpossumContender(folder.Below("journal"), useJournal: true, clock: new TimerlessClock(TimeProvider.System));
        await journal.OpenAsync();
        await using var entrants = new Entrants();
        var own = await entrants.AddAsync(Task.FromResult(new Entrant(journal, feed)));
        foreach (var name in (string[])[ContenderName.Opossum, ContenderName.RawLogInPlace, ContenderName.Sqlite, ContenderName.GroupedSqlite])
            await entrants.AddAsync(Entrant.OpenAsync(name, folder.Below(name), new EventFeed(100_000)));
        var ungrouped = entrants.All.Where(static entrant => entrant.Name != ContenderName.GroupedSqlite).ToList();
        var grouped = entrants.All.Where(static entrant => entrant.Name != ContenderName.Sqlite).ToList();

        await MeasureAsync("alone", ungrouped, entrant => entrant.Alone(25), 60, (own, others) => string.Join("; ",
            AtMost(AloneMaxOfSqlite, own, others[ContenderName.Sqlite]), AtMost(AloneMaxOfRaw, own, others[ContenderName.RawLogInPlace]),
            Target("1 flush an append", own.Flushes is >= 0.99 and <= 1.01)));
        await MeasureAsync("64 at once", grouped, entrant => entrant.Concurrently(Entrant.Writers, 10), 30, (own, _) =>
            Target($"at most {FlushesAtOnceMax} flushes an event", own.Flushes <= FlushesAtOnceMax));
        await MeasureAsync("a batch of 100", ungrouped, entrant => entrant.Batches(5), 30, (own, others) =>
            AtMost(1, own, others[ContenderName.Sqlite]));
        journal.Store.BringFilesUp();
        await entrants.VerifyAsync();

        async Task MeasureAsync(string measure, List<Entrant> measured, Func<Entrant, Slice> slice, int rounds,
            Func<Measured, Dictionary<string, Measured>, string> judge)
        {
            var slices = measured.ConvertAll(entrant => entrant == own ? Drained(slice(entrant)) : slice(entrant));
            var results = await Interleaved.RunAsync(slices, isShort ? 3 : rounds, WarmUp.Of(isShort), folder, cancellationToken);
            var byName = results.ToDictionary(static each => each.Contender);
            foreach (var each in results)
            {
                report.Row(measure, each.Contender, FigureReport.Time(each.Microseconds), Number.Time(each.Microseconds.Mean),
                    each.Flushes is { } flushes ? flushes.ToString("0.###", CultureInfo.InvariantCulture) : "",
                    each.Contender == ContenderName.OpossumWithJournal ? judge(each, byName) : "");
            }
        }

        Slice Drained(Slice slice) => slice with
        {
            PrepareAsync = () =>
            {
                journal.Store.BringFilesUp();
                return slice.PrepareAsync();
            },
        };
    }

    private static string AtMost(double times, Measured own, Measured other) => FigureReport.Target(
        string.Create(CultureInfo.InvariantCulture, $"at most {times} times {other.Contender}"),
        own.Microseconds.Median <= times * other.Microseconds.Median);

    private static string Target(string text, bool isMet) => FigureReport.Target(text, isMet);
}
