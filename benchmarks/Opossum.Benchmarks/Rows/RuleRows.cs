using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Ages;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Rows;

/// <summary>A tag rule that is added to a large store, and events that are found by their ids.</summary>
internal static class RuleRows
{
    private const int Reads = 2_000;
    private const int Openings = 20;

    private static readonly TagRule rule = new("part-moved-0", "part", "part");

    public static async Task MeasureAsync(RowRun run)
    {
        var events = run.Size(1_000_000, 20_000);
        var feed = new AgesFeed(events, DateTimeOffset.UtcNow.AddDays(-1));
        var path = run.Folder.Below("rules");
        AgesStore.Make(path, feed, AgesLedger.Ends, run.CancellationToken);
        await using (var made = await OpenAsync(run, path))
            made.MakeRuns();
        run.Folder.Settle();
        await using (var store = await OpenAsync(run, path))
        {
            await MeasureAddingAsync(run, store, events);
            string Part(int number) => string.Create(CultureInfo.InvariantCulture, $"p{number * AgesFeed.OnceEach}");
            await MeasureReadsAsync(run, "one event by tag", "a tag of the event",
                number => store.ReadAsync(Query.FromTags(feed.Once(number))));
            await MeasureReadsAsync(run, "one event by tag", "a tag of the rule",
                number => store.ReadAsync(Query.FromTags(new Tag("part", Part(number)))));
            await MeasureFindingAsync(run, store, events);
            store.MakeRuns();
        }
        run.Folder.Settle();
        await MeasureOpeningAsync(run, path, feed, "with a rule");
        // The same store, with as many files to list, and no event outside of the runs either.
        await using (var store = await OpenAsync(run, path))
        {
            await store.RemoveTagRuleAsync(rule, cancellationToken: run.CancellationToken);
            store.MakeRuns();
        }
        run.Folder.Settle();
        await MeasureOpeningAsync(run, path, feed, "the rule is removed again");
    }

    private static async Task MeasureAddingAsync(RowRun run, FileSystemEventStore store, int events)
    {
        var (number, without, with) = (0, new List<double>(), new List<double>());
        for (var at = 0; at < run.Size(Reads, 100); at++)
            without.Add(await AppendAsync());
        var begun = Stopwatch.GetTimestamp();
        var adding = store.AddTagRuleAsync(rule, cancellationToken: run.CancellationToken);
        while (!adding.IsCompleted)
            with.Add(await AppendAsync());
        await adding;
        var taken = Stopwatch.GetElapsedTime(begun);
        run.Spread("an append alone", "no rule is added", without, Number.Rate(without.Average()));
        run.Spread("an append alone", "while a rule is added", with, Number.Rate(with.Average()));
        run.Spread("adding a rule", "the whole store", [taken.TotalMicroseconds],
            Number.Rate(taken.TotalMicroseconds / events));

        async Task<double> AppendAsync()
        {
            var at = Stopwatch.GetTimestamp();
            await store.AppendAsync([Workload.Event(number++)], cancellationToken: run.CancellationToken);
            return Stopwatch.GetElapsedTime(at).TotalMicroseconds;
        }
    }

    private static async Task MeasureReadsAsync(RowRun run, string measure, string contender,
        Func<int, IAsyncEnumerable<SequencedEvent>> read)
    {
        var times = new List<double>(Reads);
        foreach (var number in Numbers(run))
        {
            var at = Stopwatch.GetTimestamp();
            var found = await read(4 * number).CountAsync(run.CancellationToken);
            times.Add(Stopwatch.GetElapsedTime(at).TotalMicroseconds);
            if (found != 1)
                throw new InvalidDataException($"{contender} found {found} events of {number}.");
        }
        run.Spread(measure, contender, times);
    }

    private static async Task MeasureFindingAsync(RowRun run, FileSystemEventStore store, int events)
    {
        var times = new List<double>(Reads);
        foreach (var number in Numbers(run))
        {
            var options = new ReadOptions { After = (number * 7919L) % events, Limit = 1 };
            var wanted = await store.ReadAsync(Query.All, options).SingleAsync(run.CancellationToken);
            var at = Stopwatch.GetTimestamp();
            var found = await store.FindAsync(wanted.Id, run.CancellationToken);
            times.Add(Stopwatch.GetElapsedTime(at).TotalMicroseconds);
            if (found?.Position != wanted.Position)
                throw new InvalidDataException($"{wanted.Id} was not found at {wanted.Position}.");
        }
        run.Spread("one event by its id", "", times);
    }

    private static async Task MeasureOpeningAsync(RowRun run, string path, AgesFeed feed, string contender)
    {
        var times = new List<double>(Openings);
        for (var number = 0; number < run.Size(Openings, 2); number++)
        {
            var at = Stopwatch.GetTimestamp();
            await using var store = await OpenAsync(run, path);
            await store.ReadAsync(Query.FromTags(feed.Order(number))).CountAsync(run.CancellationToken);
            times.Add(Stopwatch.GetElapsedTime(at).TotalMicroseconds);
        }
        run.Spread("opening, then 10 by tag", contender, times);
    }

    private static IEnumerable<int> Numbers(RowRun run) => Enumerable.Range(1, run.Size(Reads, 20));

    private static Task<FileSystemEventStore> OpenAsync(RowRun run, string path) =>
        FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, run.CancellationToken);
}
