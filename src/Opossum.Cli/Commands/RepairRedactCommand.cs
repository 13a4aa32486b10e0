using System.CommandLine;
using System.Globalization;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Replaces members of events by null, or finishes a redaction that was interrupted.</summary>
internal sealed class RepairRedactCommand : ChangeCommand
{
    private const int PositionsMax = 1_000_000;

    private readonly Argument<string[]> positions = new("positions")
    {
        Description = "Positions and ranges of the events, such as 7 20-25; none with --finish",
        Arity = ArgumentArity.ZeroOrMore,
    };
    private readonly Option<string[]> members = new("--member")
    {
        Description = "A member of the data, such as email, address.street or contacts[].phone; may be given several times",
        HelpName = "path",
    };
    private readonly Option<string?> reason = new("--reason") { Description = "Why, for the record; it is stored readable", HelpName = "text" };
    private readonly Option<bool> finish = new("--finish") { Description = "Finish a redaction that was interrupted" };

    public RepairRedactCommand(Terminal terminal)
        : base(terminal, "redact", "Replace members of events by null, and record who did it and why",
            "opossum repair redact sales 7 20-25 --member email --member address.street --reason \"request of 2026-11-20\" --yes",
            "opossum repair redact sales --finish")
        => Add(positions, members, reason, finish);

    public override string? WhenCancelled => "Interrupted. If the redaction had begun, opossum repair redact --finish completes it.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = await StoreToChangeAsync(arguments, cancellationToken, orFormer: false).ConfigureAwait(false);
        if (arguments.GetValue(finish))
            return await FinishAsync(arguments, path, cancellationToken).ConfigureAwait(false);
        var events = PositionsOf(arguments.GetValue(positions) ?? []);
        if (events.Count == 0 || arguments.GetValue(members) is not { Length: > 0 } paths || arguments.GetValue(reason) is not { } why)
            throw new CliException(ExitCode.Usage, "Name the positions, at least one --member, and a --reason; or --finish. Nothing was changed.");
        // Cancelled before it begins, the call judges its arguments and does nothing.
        _ = StoreRepair.RedactAsync(path, events, paths, why, cancellationToken: new CancellationToken(canceled: true));
        var what = $"{string.Join(", ", paths)} in {Text.Count(events.Count, "event")}";
        if (IsDryRun(arguments))
        {
            await ThrowIfNotThereAsync(path, events, paths, cancellationToken).ConfigureAwait(false);
            return Plan(arguments, $"Would replace {what} by null, rebuild the index, and ask for every projection to be built again.");
        }
        Confirm(arguments, $"Replace {what} by null, for good?");
        var done = await WithProgressAsync(progress =>
            StoreRepair.RedactAsync(path, events, paths, why, progress, cancellationToken).WaitAsync(cancellationToken))
            .ConfigureAwait(false);
        return WriteDone(arguments, done, report => Terminal.Out.WriteLine(report));
    }

    private async Task<ExitCode> FinishAsync(ParseResult arguments, string path, CancellationToken cancellationToken)
    {
        if (IsDryRun(arguments))
            return Plan(arguments, "Would finish an interrupted redaction, if there is one: opossum check names it.");
        var done = await WithProgressAsync(progress =>
            StoreRepair.FinishRedactionAsync(path, progress, cancellationToken).WaitAsync(cancellationToken)).ConfigureAwait(false);
        if (done is null)
        {
            var nothing = new RedactionReport { Redacted = [], Unchanged = [], RedactedInQuarantine = [], UnreadInQuarantine = [], Projections = [] };
            return Write(arguments, nothing, _ => Terminal.Out.WriteLine("Nothing to do: no redaction is unfinished."));
        }
        return WriteDone(arguments, done, report => Terminal.Out.WriteLine(report));
    }

    private async Task ThrowIfNotThereAsync(string path, SortedSet<long> events, string[] members, CancellationToken cancellationToken)
    {
        await using var store = await StorePath.OpenForReadingAsync(path, Terminal, cancellationToken).ConfigureAwait(false);
        var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        if (events.Max > head)
        {
            throw new CliException(ExitCode.Failed,
                $"There is no event at position {Text.Of(events.Max)}: the last one is at position {Text.Of(head)}. Nothing was changed.");
        }
        var missing = members.ToHashSet(StringComparer.Ordinal);
        foreach (var position in events)
        {
            if (missing.Count == 0)
                return;
            if (await EventFile.ReadEventAsync(store, position, cancellationToken).ConfigureAwait(false) is { } e)
                missing.RemoveWhere(member => JsonMembers.Has(e.StoredJson, member));
        }
        if (missing.FirstOrDefault() is { } member)
        {
            throw new CliException(ExitCode.Failed, $"None of the events has the member \"{member}\". Write the path as the event files have it, "
                + "below \"data\", with upper and lower case: email, address.street, contacts[].phone. Nothing was changed.");
        }
    }

    private ExitCode Plan(ParseResult arguments, string plan)
    {
        return Write(arguments, new DryRunReport(plan, IsDryRun(arguments)), report => Terminal.Out.WriteLine(report.Plan));
    }

    private static SortedSet<long> PositionsOf(string[] texts)
    {
        var found = new SortedSet<long>();
        foreach (var text in texts)
        {
            var ends = text.Split('-');
            var (first, last) = (0L, 0L);
            if (ends.Length > 2 || !TryParse(ends[0], out first) || !TryParse(ends[^1], out last) || last < first || last - first >= PositionsMax)
                throw new CliException(ExitCode.Usage, $"\"{text}\" is neither a position nor a range such as 20-25. Nothing was changed.");
            for (var position = first; position <= last; position++)
                found.Add(position);
        }
        return found;
    }

    private static bool TryParse(string text, out long position) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out position) && position > 0;
}
