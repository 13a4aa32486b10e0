using System.CommandLine;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;
using Spectre.Console;

namespace Opossum.Benchmarks.ShopFloor;

/// <summary><c>shop-floor</c>: latencies of steady producers with bursts, alone and beside the copying of a large file.</summary>
internal static class ShopFloorCommand
{
    private const long CopiedBytes = 1L << 30, CopiedBytesShort = 64L << 20;
    private const int Rounds = 6;

    private static readonly TimeSpan time = TimeSpan.FromSeconds(30), timeShort = TimeSpan.FromSeconds(3);

    public static Command Create()
    {
        var command =
            new Command("shop-floor",
                $"Measures the latency of {Shift.Producers} producers, each at {Shift.EventsPerSecond} events/s with bursts of {Shift.Burst}, for "
                    + $"{time.TotalSeconds} s, against a raw loop for each; then the same while a large file is copied on the same disk.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var rounds = isShort ? 1 : Rounds;
        var slice = (isShort ? timeShort : time) / rounds;
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "shop-floor");
        var disk = Machine.DescribeDisk(folder);
        AnsiConsole.WriteLine(disk);

        var quiet = await MeasureAsync(folder, "quiet", rounds, slice, cancellationToken);
        var source = folder.Below("large-file");
        FileCopying.MakeSource(source, isShort ? CopiedBytesShort : CopiedBytes);
        IReadOnlyList<Latencies> copying;
        using (var copy = new FileCopying(source, folder.Below("large-file-copy")))
        {
            copying = await MeasureAsync(folder, "copying", rounds, slice, cancellationToken);
            AnsiConsole.WriteLine($"Copied beside it: {Number.Whole(copy.CopiedBytes / 1e6)} MB.");
        }

        var report = new ShopFloorReport(disk, slice * rounds, quiet, copying);
        report.Print();
        if (arguments.GetValue(CommonOptions.Output) is { } output)
            report.Write(new ResultsFile(output.FullName));
        return 0;
    }

    private static async Task<IReadOnlyList<Latencies>> MeasureAsync(WorkFolder folder, string purpose, int rounds, TimeSpan slice,
        CancellationToken cancellationToken)
    {
        var parent = folder.Below(purpose);
        Directory.CreateDirectory(parent);
        await using var store =
            new StoreIntake(await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Path.Combine(parent, "store") }, cancellationToken));
        await using var loops = new RawLoopsIntake(Path.Combine(parent, "raw"), Shift.Producers);
        IIntake[] intakes = [store, loops];
        var shifts = intakes.Select(_ => new Shift()).ToArray();
        var latencies = intakes.Select(_ => new List<double>()).ToArray();
        // The first round, of a second, warms up.
        for (var round = 0; round <= rounds; round++)
        {
            for (var turn = 0; turn < intakes.Length; turn++)
            {
                var at = (round + turn) % intakes.Length;
                var measured = await shifts[at].WorkAsync(intakes[at], round == 0 ? TimeSpan.FromSeconds(1) : slice, cancellationToken);
                if (round > 0)
                    latencies[at].AddRange(measured);
            }
        }
        for (var at = 0; at < intakes.Length; at++)
            shifts[at].Digest.ThrowUnlessReadBack(await intakes[at].ReadBackAsync(), intakes[at].Name);
        return [.. intakes.Select((intake, at) => new Latencies(intake.Name, new Distribution(latencies[at])))];
    }
}
