// An assembly line: each machine is its own process, and all share one store. Run it, watch it, kill a machine.
//
//   dotnet run --project samples/AssemblyLine                                  four machines for 30 seconds, on a temporary store
//   dotnet run --project samples/AssemblyLine -- --store line --duration 10m   a store in the folder line, which is kept
//   dotnet run --project samples/AssemblyLine -- --restart                     a machine that is killed is replaced

using System.CommandLine;
using AssemblyLine;
using Opossum;
using Spectre.Console;

var storeOption =
    new Option<string?>("--store")
    {
        Description = "The store's folder, which is kept [default: a temporary one, deleted at the end]",
        HelpName = "path"
    };
var durationOption =
    new Option<TimeSpan>("--duration")
    {
        Description = "How long, such as 30s, 5m or 8h",
        HelpName = "time",
        DefaultValueFactory = _ => TimeSpan.FromSeconds(30)
    };
durationOption.CustomParser = CommandLineValues.Duration;
var machinesOption = new Option<int>("--machines") { Description = "How many machines, 1 to 16", HelpName = "number", DefaultValueFactory = _ => 4 };
var rateOption =
    new Option<double>("--rate") { Description = "Events a second, of all machines together", HelpName = "number", DefaultValueFactory = _ => 50 };
var seedOption =
    new Option<int?>("--seed") { Description = "What all random choices come from [default: another one each time]", HelpName = "number" };
var restartOption = new Option<bool>("--restart") { Description = "Replace the process of a machine when it has ended" };
var plainOption = new Option<bool>("--plain") { Description = "Print lines of text, not a live table; always so when the output is no terminal" };
var shortOption = new Option<bool>("--short") { Description = "The same as --plain --duration 4s" };
CommandLineValues.RequireText(storeOption);
CommandLineValues.RequireRange(machinesOption, 1, 16);
CommandLineValues.RequireRange(rateOption, 1, 10_000);

var root = new RootCommand("Simulates an assembly line: machines, operators and orders in several processes on one event store.")
{
    storeOption, durationOption, machinesOption, rateOption, seedOption, restartOption, plainOption, shortOption,
};
root.SetAction(RunLineAsync);

// The command that the control room starts for each machine.
var nameArgument = new Argument<string>("name");
var operatorsOption = new Option<int>("--operators");
var machineCommand = new Command("machine") { nameArgument, storeOption, operatorsOption, rateOption, seedOption };
machineCommand.Hidden = true;
machineCommand.SetAction(RunMachineAsync);
root.Add(machineCommand);

// Enough time to stop the machines and to run the self-check. The control room handles Ctrl-C and stops the machines.
var parsed = root.Parse(args);
var isMachine = parsed.CommandResult.Command == machineCommand;
var configuration =
    new InvocationConfiguration { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = isMachine ? null : TimeSpan.FromMinutes(1) };
try
{
    return await parsed.InvokeAsync(configuration);
}
catch (EventStoreException e)
{
    Console.Error.WriteLine(e.Message);
    return 1;
}
catch (OperationCanceledException)
{
    Console.Error.WriteLine("Cancelled before the line was running.");
    return 1;
}

async Task<int> RunLineAsync(ParseResult arguments, CancellationToken cancellationToken)
{
    if (arguments.GetValue(storeOption) is { } named && await LineStore.FindStrangerAsync(Path.GetFullPath(named), cancellationToken) is { } problem)
    {
        Console.Error.WriteLine(problem);
        return 1;
    }
    var isShort = arguments.GetValue(shortOption);
    var isTemporary = arguments.GetValue(storeOption) is null;
    var settings = new LineSettings
    {
        Store = Path.GetFullPath(arguments.GetValue(storeOption) ?? Directory.CreateTempSubdirectory("opossum-line-").FullName),
        Duration = isShort ? TimeSpan.FromSeconds(4) : arguments.GetValue(durationOption),
        Machines = arguments.GetValue(machinesOption),
        Rate = arguments.GetValue(rateOption),
        Seed = arguments.GetValue(seedOption) ?? Random.Shared.Next(1_000_000),
        Restart = arguments.GetValue(restartOption),
        Plain = isShort || arguments.GetValue(plainOption) || !AnsiConsole.Profile.Capabilities.Ansi || Console.IsOutputRedirected,
    };
    Console.WriteLine($"Store {settings.Store}, seed {settings.Seed}");
    var isWell = await new ControlRoom(settings).RunAsync(cancellationToken);
    if (!isTemporary || !isWell)
    {
        Console.WriteLine($"The store is kept in {settings.Store}");
    }
    else
    {
        Directory.Delete(settings.Store, recursive: true);
        Console.WriteLine("The store was a temporary one and is gone now. To keep one: --store PATH");
    }
    return isWell ? 0 : 1;
}

Task<int> RunMachineAsync(ParseResult arguments, CancellationToken cancellationToken)
{
    var settings = new MachineSettings(
        arguments.GetRequiredValue(nameArgument),
        arguments.GetRequiredValue(storeOption)!,
        arguments.GetValue(operatorsOption),
        arguments.GetValue(rateOption),
        arguments.GetValue(seedOption) ?? 0);
    return MachineProgram.RunAsync(settings);
}
