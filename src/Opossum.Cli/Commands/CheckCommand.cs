using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Cli.Types;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Checks a store, and names the command that repairs each fault.</summary>
internal sealed class CheckCommand : StoreCommand
{
    private readonly Option<string?> types = new("--types")
    {
        Description = "Instead read all events as the [EventType] classes of this assembly, which runs its code: a dry run of changed classes",
        HelpName = "app.dll",
    };

    private readonly KeysOption keys = new();

    public CheckCommand(Terminal terminal)
        : base(terminal, "check", "Read every file of a store and report each fault with its remedy",
            "opossum check sales",
            "opossum check sales --json",
            "opossum check sales --types bin/Release/net10.0/Shop.dll")
        => Add(types, keys);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = ExistingStoreOf(arguments);
        if (arguments.GetValue(types) is { } assembly)
            return await CheckTypesAsync(arguments, assembly, cancellationToken).ConfigureAwait(false);
        var folder = keys.Of(arguments);
        var report = await WithProgressAsync(progress => StoreCheck.RunAsync(path, folder, progress, cancellationToken)).ConfigureAwait(false);
        return Write(arguments, CheckReport.Of(report, path), WriteText, report.IsClean ? ExitCode.Ok : ExitCode.Negative);
    }

    private async Task<ExitCode> CheckTypesAsync(ParseResult arguments, string assembly, CancellationToken cancellationToken)
    {
        var registered = AppEventTypes.Load(assembly);
        await using var store = await OpenForReadingAsync(arguments, cancellationToken, types: registered).ConfigureAwait(false);
        var result = await WithProgressAsync(_ => store.CheckEventTypesAsync(query: null, cancellationToken)).ConfigureAwait(false);
        var report = TypesReport.Of(result);
        return Write(arguments, report, new TypesText(Terminal).Write, report.IsClean ? ExitCode.Ok : ExitCode.Negative);
    }

    private void WriteText(CheckReport report)
    {
        var without = (report.IsWithoutLock ? " Checked without the lock, so an append under way may look incomplete." : "")
            + (report.IsWithoutIndex ? " There is no index, as in a backup: the next opening builds it." : "")
            + (report is { IsWithoutIndex: true, IsClean: false }
                ? " If this is a backup, do not repair it: run the backup again with --verify-all."
                : "");
        Terminal.Out.WriteLine(report.IsClean
            ? $"{Terminal.Paint(Style.Green, "Nothing wrong")} in {Text.Count(report.Events, "event")}.{without}"
            : $"{Terminal.Paint(Style.Red, Text.Count(report.Findings.Count, "fault"))} in {Text.Count(report.Events, "event")}. "
                + $"Whole up to position {Text.Of(report.WholeUpTo)}.{without}");
        foreach (var finding in report.Findings)
        {
            Terminal.Out.WriteLine();
            Terminal.Out.WriteLine($"{Terminal.Paint(Style.Bold, finding.Kind.ToString())}: {Text.Visible(finding.Message)}");
            Terminal.Out.WriteLine($"  remedy: {finding.Command ?? finding.Advice}");
            if (finding.Command is not null)
                Terminal.Out.WriteLine($"    {finding.Advice}");
        }
        if (report.KeysProblem is { } problem)
        {
            Terminal.Out.WriteLine();
            Terminal.Out.WriteLine($"{Text.Visible(problem)} That is no fault of a copy.");
        }
        if (report.Quarantine is { } quarantine)
        {
            Terminal.Out.WriteLine();
            Terminal.Out.WriteLine($"{quarantine}. That is no fault, but look at it.");
        }
        if (!report.IsClean)
        {
            Terminal.Out.WriteLine();
            Terminal.Out.WriteLine("End all processes that use the store, repair event files before the index, and check again after each remedy.");
        }
    }
}
