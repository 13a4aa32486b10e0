using System.CommandLine;
using Opossum.Benchmarks.Measuring;
using Spectre.Console;

namespace Opossum.Benchmarks.Soak;

/// <summary><c>soak</c>: one store in steady use, for minutes.</summary>
internal static class SoakCommand
{
    private const int MinutesDefault = 10;
    private const int RoundsShort = 4;

    private static readonly TimeSpan roundShort = TimeSpan.FromSeconds(3);

    private static readonly Option<int> minutes =
        new("--minutes")
        {
            Description = $"How many minutes, and rows of the table. Default: {MinutesDefault}.",
            DefaultValueFactory = _ => MinutesDefault
        };

    private static readonly Option<bool> journal =
        new("--journal") { Description = "Both processes append with a journal." };

    private static readonly Option<bool> sealing =
        new("--seal") { Description = "Folders of older events are sealed in the background." };

    public static Command Create()
    {
        minutes.Validators.Add(static result =>
        {
            if (result.GetValueOrDefault<int>() < SoakReport.RoundsMin)
                result.AddError($"--minutes needs {SoakReport.RoundsMin} at least.");
        });
        var command =
            new Command("soak",
                "Uses one store steadily by appends, reads, subscriptions and reopenings, while another process appends too; tells each minute "
                    + "what it takes, and fails when memory or handles grow, or when the store is not in order in the end.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, minutes, journal, sealing,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "soak");
        AnsiConsole.WriteLine(Machine.DescribeDisk(folder));
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var mode = new SoakMode(arguments.GetValue(journal), arguments.GetValue(sealing));
        var run =
            new SoakRun(folder.Below("store"), mode, isShort
                ? RoundsShort
                : arguments.GetValue(minutes), isShort ? roundShort : TimeSpan.FromMinutes(1), cancellationToken);
        var report = new SoakReport(await run.RunAsync(), isShort);
        report.Print();
        return report.IsGood ? 0 : 1;
    }
}
