using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Projections;
using Opossum.Benchmarks.ReadModels;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Rows;

/// <summary>Rows of a database that are built from events, beside loops of the same statements.</summary>
internal static class ReadModelRows
{
    private const int Rounds = 7;
    private const int AppendEvents = 1_000;

    public static async Task MeasureAsync(RowRun run)
    {
        var events = run.Size(20_000, 2_000);
        var store = run.Folder.Below("store");
        await FillAsync(store, events);
        var (projected, looped) = (NewTimes(), NewTimes());
        var rounds = run.Size(Rounds, 1);
        // The first round warms up.
        for (var round = 0; round <= rounds; round++)
        {
            foreach (var model in ReadModel.All)
            {
                run.CancellationToken.ThrowIfCancellationRequested();
                run.Folder.Settle();
                var projection = await model.ProjectAsync(store, NewDatabase(), events);
                run.Folder.Settle();
                var loop = await model.LoopAsync(NewDatabase(), events);
                if (round == 0)
                    continue;
                projected[model].Add(projection.TotalMicroseconds / events);
                looped[model].Add(loop.TotalMicroseconds / events);
            }
        }
        foreach (var model in ReadModel.All)
        {
            var (ours, loop) = (new Distribution(projected[model]), new Distribution(looped[model]));
            run.Report.Row(model.Title, Number.Rate(ours.Median), Number.Rate(loop.Median),
                $"{Number.Plain(loop.Median / ours.Median)}", $"{Number.Rate(ours.Max)} to {Number.Rate(ours.Min)}");
        }

        string NewDatabase() => run.Folder.Below($"{Guid.NewGuid():N}.db");
    }

    private static Dictionary<ReadModel, List<double>> NewTimes() =>
        ReadModel.All.ToDictionary(static model => model, static _ => new List<double>());

    private static async Task FillAsync(string path, int events)
    {
        var options = new OpossumOptions { Path = path, FlushEventsImmediately = false };
        options.EventTypes.Add<Booked>();
        await using var store = await FileSystemEventStore.OpenAsync(options);
        for (var from = 0; from < events; from += AppendEvents)
        {
            await store.AppendAsync([.. Enumerable.Range(from, AppendEvents)
                .Select(static number => new NewEvent(ReadModel.Event(number)))]);
        }
    }
}
