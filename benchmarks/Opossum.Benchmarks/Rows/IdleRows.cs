using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Projections;
using Opossum.Benchmarks.Reactions;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Rows;

/// <summary>What a process takes that has nothing to do.</summary>
internal static class IdleRows
{
    private const string CommandName = "idle";
    private const string Timer = "no store: a timer of 100 ms";
    private const string Alone = "a store";
    private const string Followed = "a store with a projection, a reaction and a subscription";
    private const double ProcessorMax = 3;

    // What is done is recorded within the write interval, threads that are kept end after 10 s without work, and code that ran often is
    // compiled once more.
    private static readonly TimeSpan settling = TimeSpan.FromSeconds(20);

    /// <summary>The process that is idle.</summary>
    public static Command CreateProcess()
    {
        var (path, what, isShort) = (new Argument<string>("path"), new Argument<string>("what"), new Argument<bool>("short"));
        var command = new Command(CommandName, "The other process of `rows`; of no use by hand.") { path, what, isShort };
        command.Hidden = true;
        command.SetAction((parse, cancellationToken) => IdleAsync(parse.GetRequiredValue(path), parse.GetRequiredValue(what),
            parse.GetRequiredValue(isShort), cancellationToken));
        return command;
    }

    public static async Task MeasureAsync(RowRun run)
    {
        foreach (var what in (string[])[Timer, Alone, Followed])
        {
            var command = OwnProgram.Command(CommandName, run.Folder.Below(what), what, run.IsShort.ToString());
            using var process = Process.Start(new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true })!;
            var figures = await process.StandardOutput.ReadToEndAsync(run.CancellationToken);
            await process.WaitForExitAsync(run.CancellationToken);
            var (processor, threads) = figures.Trim().Split(' ') is [var time, var count]
                ? (double.Parse(time, CultureInfo.InvariantCulture), int.Parse(count, CultureInfo.InvariantCulture))
                : throw new CannotMeasureException($"The idle process ended with {process.ExitCode}.");
            run.Report.Row(what, $"{Number.Plain(processor)} ms", Number.Whole(threads), what != Followed ? ""
                : FigureReport.Target($"at most {ProcessorMax} ms", processor <= ProcessorMax));
        }
    }

    private static async Task<int> IdleAsync(string path, string what, bool isShort, CancellationToken cancellationToken)
    {
        using var timer = what == Timer ? new Timer(static _ => { }, null, 100, 100) : null;
        await using var store = what == Timer ? null : await PaidEvents.FillAsync(path, 100, 10);
        var reaction = new TimedReaction("idle", ReactionStart.Beginning, 100);
        await using var reactions = what == Followed ? store!.StartReactions([reaction]) : null;
        await using var projections = what == Followed ? store!.StartProjections([new PaidTallies()]) : null;
        var subscription = what == Followed ? ReadAsync(store!, cancellationToken) : null;
        if (subscription is not null)
            await reaction.Done;
        await Task.Delay(isShort ? TimeSpan.FromSeconds(1) : settling, cancellationToken);

        var (processor, begun) = (Environment.CpuUsage.TotalTime, Stopwatch.GetTimestamp());
        await Task.Delay(TimeSpan.FromSeconds(isShort ? 1 : 30), cancellationToken);
        var used = (Environment.CpuUsage.TotalTime - processor) / Stopwatch.GetElapsedTime(begun);
        using var process = Process.GetCurrentProcess();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{used * 1_000} {process.Threads.Count}"));
        return 0;
    }

    private static async Task ReadAsync(FileSystemEventStore store, CancellationToken cancellationToken)
    {
        await foreach (var _ in store.SubscribeAsync(Query.All, cancellationToken: cancellationToken))
        {
        }
    }

    private sealed class PaidTallies : Projection<Tally>
    {
        public PaidTallies()
            : base("idle") => On(PaidEvents.EventType, static paid => paid.Tags[0].Value, static (tally, _) => new Tally((tally?.Number ?? 0) + 1, 0));
    }
}
