using System.CommandLine;
using System.Globalization;
using Opossum.Cli.Benching;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Measures what a disk or a share gives a store, and says what to change.</summary>
internal sealed class BenchCommand : CliCommand
{
    private readonly Argument<string> folder = new("folder") { Description = "A folder on the disk or share; a folder in it is made and removed" };
    private readonly Option<bool> json = new("--json") { Description = "Write JSON instead of text" };

    private readonly Option<double> seconds = new("--seconds")
    {
        Description = "How long it may take: from 1 to 600",
        DefaultValueFactory = static _ => 25,
    };

    public BenchCommand(Terminal terminal)
        : base(terminal, "bench", "Measure a disk or a share for half a minute, and give advice",
            "opossum bench .",
            @"opossum bench \\server\shop --seconds 60",
            "opossum bench /mnt/shop --json")
    {
        Add(folder);
        Add(json);
        Add(seconds);
        seconds.Validators.Add(static result =>
        {
            if (result.Tokens is [var token] && double.TryParse(token.Value, CultureInfo.InvariantCulture, out var number)
                && number is not (>= 1 and <= 600))
            {
                result.AddError("--seconds must be from 1 to 600.");
            }
        });
    }

    public override string WhenCancelled => "Cancelled. What was measured with is removed.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = Path.GetFullPath(arguments.GetRequiredValue(folder));
        ThrowIfUnfit(path);
        var bench = new DiskBench(path, TimeSpan.FromSeconds(arguments.GetValue(seconds)));
        var report = await ProgressDisplay.RunAsync(Terminal, async progress =>
        {
            var (status, figures) = await bench.RunAsync(progress, cancellationToken).ConfigureAwait(false);
            var options = Mount.OptionsOf(path);
            return new BenchReport
            {
                Path = path,
                FileSystem = status.FileSystem,
                IsNetwork = status.IsNetwork,
                Flush = status.Flush,
                MountOptions = options,
                Figures = figures,
                Advice = [.. BenchAdvice.Of(status, options, figures)],
            };
        }).ConfigureAwait(false);
        if (arguments.GetValue(json))
            Terminal.WriteJson(report, ReportJson.Default.BenchReport);
        else
            WriteText(report);
        return ExitCode.Ok;
    }

    private static void ThrowIfUnfit(string path)
    {
        if (!Directory.Exists(path))
            throw new CliException(ExitCode.Usage, $"{path} is not a folder. Pass an existing folder on the disk or share to measure.");
        if (File.Exists(Path.Combine(path, "store.json")))
        {
            throw new CliException(ExitCode.Usage,
                $"{path} is a store, in which nothing else may lie. Pass the folder that holds it, if it is on the same disk. Nothing was measured.");
        }
    }

    private void WriteText(BenchReport report)
    {
        Terminal.Out.WriteLine($"{Text.Visible(report.Path)}: {report.FileSystem}{(report.IsNetwork ? ", a network file system" : "")}");
        if (report.MountOptions.Count > 0)
            Terminal.Out.WriteLine($"mounted with {Text.Visible(string.Join(',', report.MountOptions))}");
        Terminal.Out.WriteLine();
        var table = new Columns(Terminal, Column.Words, Column.Number, Column.Number, Column.Number, Column.Number, Column.Words);
        table.Add("each, in µs", "median", "mean", "p99", "per second", "");
        foreach (var figure in report.Figures)
        {
            table.Add(figure.Name, Of(figure.MedianMicroseconds), Of(figure.MeanMicroseconds), Of(figure.P99Microseconds),
                Text.Of((long)figure.PerSecond), figure.Unit);
        }
        table.Write();
        foreach (var advice in report.Advice)
            Terminal.Out.WriteLine($"\n{Terminal.Paint(Style.Bold, "Advice:")} {advice}");
        if (report.Advice.Count == 0)
            Terminal.Out.WriteLine("\nNothing to change was found.");
    }

    private static string Of(double microseconds) => microseconds.ToString(microseconds < 10 ? "F1" : "N0", CultureInfo.InvariantCulture);
}
