using System.CommandLine;
using Opossum.Benchmarks;
using Opossum.Benchmarks.Ages;
using Opossum.Benchmarks.Cold;
using Opossum.Benchmarks.ColdStart;
using Opossum.Benchmarks.Compare;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Journal;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Personal;
using Opossum.Benchmarks.Projections;
using Opossum.Benchmarks.Proof;
using Opossum.Benchmarks.Reactions;
using Opossum.Benchmarks.Rows;
using Opossum.Benchmarks.Scale;
using Opossum.Benchmarks.Sealing;
using Opossum.Benchmarks.Shares;
using Opossum.Benchmarks.ShopFloor;
using Opossum.Benchmarks.Soak;
using Opossum.Benchmarks.Steady;
using Opossum.Benchmarks.Suite;
using Opossum.Benchmarks.Telemetry;
using Spectre.Console;

if (args is [ColdStartProcess.Name, var contender, var used])
    return await ColdStartProcess.RunAsync(contender, used);

var figures =
    new Command("figures",
        "Measures the figures that Opossum promises, against a raw loop that creates, writes and flushes one file an event, "
            + "in one run.") { CommonOptions.Folder, CommonOptions.IsShort };
figures.SetAction(async (parse, cancellationToken) =>
{
    using var folder = WorkFolder.CreateNew(parse.GetRequiredValue(CommonOptions.Folder).FullName, "figures");
    return await new Figures(folder, parse.GetValue(CommonOptions.IsShort)).RunAsync(cancellationToken);
});

var projections =
    new Command("projections",
        "Measures what projections cost: following events, building states, several at once, and memory.") { CommonOptions.Folder,
        CommonOptions.IsShort };
projections.SetAction(async (parse, _) =>
{
    using var folder = WorkFolder.CreateNew(parse.GetRequiredValue(CommonOptions.Folder).FullName, "projections");
    return await new ProjectionFigures(folder, parse.GetValue(CommonOptions.IsShort)).RunAsync();
});

// The second process of `figures`, which measures how soon subscribers receive its events; not for manual use.
var path = new Argument<string>("path");
var count = new Argument<int>("count");
var timed = new Command("append-timed", "Appends a number of events now and then, and says when each append returned.") { path, count };
timed.Hidden = true;
timed.SetAction((parse, _) => SubscriptionLatency.AppendTimedAsync(parse.GetValue(path)!, parse.GetValue(count)));

if (Console.IsOutputRedirected)
{
    // A file has no colours and no width.
    AnsiConsole.Profile.Capabilities.Ansi = false;
    AnsiConsole.Profile.Width = 160;
}
try
{
    // After Ctrl-C there is much to clean up: folders with many files, mounted file systems.
    var configuration = new InvocationConfiguration { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = TimeSpan.FromMinutes(5) };
    var root =
        new RootCommand("Opossum's benchmarks.") { figures, projections, timed, SuiteCommand.Create(), CompareCommand.Create(),
            ShopFloorCommand.Create(), SharesCommand.Create(), ScaleCommand.Create(), SoakCommand.Create(), SoakPeer.CreateCommand(),
            TelemetryCommand.Create(), PersonalCommand.Create(), ProofCommand.Create(), ProofAppendCommand.Create(), AppendCommand.Create(),
            AgesCommand.Create(), ColdCommand.Create(), ColdReader.CreateCommand(), ColdStartCommand.Create(), JournalCommand.Create(),
            SealingCommand.Create(), SteadyCommand.Create(), RowsCommand.Create(), ShareRows.CreateProcess(),
            IdleRows.CreateProcess(), ReactionCommand.Create(), ReactionPeer.CreateCommand() };
    return await root.Parse(args).InvokeAsync(configuration);
}
catch (CannotMeasureException e)
{
    Console.Error.WriteLine(e.Message);
    return 1;
}
catch (OperationCanceledException)
{
    Console.Error.WriteLine("Cancelled; what was written has been removed.");
    return 1;
}
