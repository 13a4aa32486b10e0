using System.CommandLine;
using Opossum.Cli.Migration;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Copies the events of a folder in the flat layout into a store, with stable names instead of CLR types.</summary>
internal sealed class MigrateCommand : CliCommand
{
    private readonly Argument<string> source = new("flat") { Description = "The folder in the flat layout; it is only read" };
    private readonly Argument<string> target = new("store") { Description = "The store's folder; it is created if it is missing or empty" };
    private readonly Option<string> types = new("--types")
    {
        Description = "The table of type names. If the file is missing, it is proposed for you to edit",
        DefaultValueFactory = static _ => "types.json",
        HelpName = "file",
    };
    private readonly Option<bool> allowPlain = new("--allow-plain")
    {
        Description = "Store members in plain that are encrypted in other events of the type",
    };

    public MigrateCommand(Terminal terminal)
        : base(terminal, "migrate", "Copy the events of a folder in the flat layout into a store",
            "opossum migrate old-sales sales                    proposes types.json; edit it",
            "opossum migrate old-sales sales --dry-run",
            "opossum migrate old-sales sales                    migrates")
    {
        Add(source, target, types, allowPlain, DryRun, Yes, Json);
        DryRun.Description = "Check every event with the table, and change nothing";
        Yes.Description = "Continue with the proposed table, without edits";
    }

    public override string WhenCancelled => "Cancelled. What was stored stays; the same command, run again, continues from there.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var flat = FlatStore.Open(arguments.GetRequiredValue(source));
        var tablePath = arguments.GetRequiredValue(types);
        var seen = await ProgressDisplay.RunAsync(Terminal, progress => Task.Run(() => flat.FindTypes(progress, cancellationToken),
            cancellationToken)).ConfigureAwait(false);
        if (flat.FirstGap is { } gap)
            Terminal.Error.WriteLine($"Position {gap} has no file in {flat.Folder}: the positions of the events after it change.");
        var table = TypeTable.TryRead(tablePath);
        var isNew = table is null;
        table ??= TypeTable.Propose(seen);
        if (isNew && !IsDryRun(arguments))
            table.Write(tablePath);
        if (isNew && !arguments.GetValue(Yes))
            return Report(arguments, new MigrateReport(tablePath, isNew, null), table);
        table.ThrowIfMissing(seen, tablePath);
        var report = await MigrateAsync(arguments, flat, table, cancellationToken).ConfigureAwait(false);
        return Report(arguments, new MigrateReport(tablePath, isNew, report), table);
    }

    private async Task<ImportReport> MigrateAsync(ParseResult arguments, FlatStore flat, TypeTable table, CancellationToken cancellationToken)
    {
        var options = new ImportOptions
        {
            CreateIfMissing = true,
            DryRun = IsDryRun(arguments),
            AllowPlain = arguments.GetValue(allowPlain),
        };
        await using var lines = new PartsStream(flat.ReadLines(table));
        return await ProgressDisplay.RunAsync(Terminal, progress => StoreImport.RunAsync(arguments.GetRequiredValue(target), lines, options,
            new StepsOf(progress, flat.Count), cancellationToken)).ConfigureAwait(false);
    }

    private ExitCode Report(ParseResult arguments, MigrateReport report, TypeTable table) =>
        WriteDone(arguments, report, shown => WriteText(arguments, shown, table));

    private void WriteText(ParseResult arguments, MigrateReport report, TypeTable table)
    {
        if (report.Import is { } import)
        {
            Terminal.Out.WriteLine(IsDryRun(arguments) ? $"Dry run, nothing was stored. {import}" : import.ToString());
            return;
        }
        var columns = new Columns(Terminal, Column.Words, Column.Words);
        foreach (var (clrType, name) in table.Names)
            columns.Add(clrType, name);
        columns.Write();
        Terminal.Out.WriteLine(IsDryRun(arguments)
            ? $"Would propose these names in {report.Table}. Nothing was changed."
            : $"Proposed these names in {report.Table}; nothing was migrated. Edit the names there, then run the same command again.");
    }

    // The import does not know how many lines will come; the folder does.
    private sealed class StepsOf(IProgress<Step> steps, long total) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => steps.Report(new Step("Migrating", value.Done, total));
    }
}
