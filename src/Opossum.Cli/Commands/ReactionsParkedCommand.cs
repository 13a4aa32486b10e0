using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Lists the parked events of a reaction, or shows one with its attempts.</summary>
internal sealed class ReactionsParkedCommand : StoreCommand
{
    private readonly Argument<string> name = new("name") { Description = "The reaction's name" };

    private readonly Argument<long?> position =
        new("position") { Description = "Only the event at this position, with all its attempts", Arity = ArgumentArity.ZeroOrOne };

    public ReactionsParkedCommand(Terminal terminal)
        : base(terminal, "parked", "List the parked events of a reaction, or show one with its attempts",
            "opossum reactions parked sales mails",
            "opossum reactions parked sales mails 42")
        => Add(name, position);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var reaction = arguments.GetRequiredValue(name);
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        await FollowerKind.Reaction.ThrowIfUnknownAsync(store, reaction, cancellationToken).ConfigureAwait(false);
        var parked = await store.Reactions[reaction].ReadParkedAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        if (arguments.GetValue(position) is not { } wanted)
            return Write(arguments, new ParkedReport(reaction, parked), WriteList);
        var one = parked.FirstOrDefault(each => each.Position == wanted)
            ?? throw new CliException(ExitCode.Negative, $"The event {wanted} of the reaction {reaction} is not parked.");
        return Write(arguments, new ParkedReport(reaction, [one]), _ => WriteOne(one));
    }

    private void WriteList(ParkedReport report)
    {
        if (report.Parked.Count == 0)
        {
            Terminal.Out.WriteLine($"{report.Reaction} has no parked events.");
            return;
        }
        var rows = new Columns(Terminal, Column.Number, new Column(Style: Style.Bold), new Column(), Column.Number, Column.Words);
        rows.Add("position", "type", "key", "attempts", "error");
        foreach (var each in report.Parked)
            rows.Add(Text.Of(each.Position), each.Type, each.Key, $"{(each.Attempts is [.., var last] ? last.Number : 0)}", ErrorOf(each));
        rows.Write();
    }

    private void WriteOne(ParkedEvent parked)
    {
        Terminal.Out.WriteLine($"event     {Text.Of(parked.Position)}, {Text.Visible(parked.Type)}");
        Terminal.Out.WriteLine($"key       {Text.Visible(parked.Key)}{(parked.KeyWaits ? ", whose further events wait" : "")}");
        if (parked.ParkedAt is { } at)
            Terminal.Out.WriteLine($"parked    {Text.Of(at)}");
        if (parked.Problem is { } problem)
            Terminal.Out.WriteLine($"problem   {Text.Visible(problem)}");
        foreach (var attempt in parked.Attempts)
        {
            Terminal.Out.WriteLine();
            Terminal.Out.WriteLine($"attempt {attempt.Number}, {Text.Of(attempt.EndedAt)}:");
            foreach (var line in attempt.Error.ReplaceLineEndings("\n").Split('\n'))
                Terminal.Out.WriteLine($"  {Terminal.Paint(Style.Red, Text.Visible(line))}");
        }
    }

    private static string ErrorOf(ParkedEvent parked) =>
        parked.Problem ?? (parked.Attempts is [.., var last] ? last.Error.ReplaceLineEndings("\n").Split('\n')[0] : "");
}
