using System.CommandLine;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Spectre.Console;

namespace Opossum.Benchmarks.Personal;

/// <summary><c>personal</c>: what personal data costs: members, forgetting a person, and opening a store with many keys.</summary>
internal static class PersonalCommand
{
    public static Command Create()
    {
        var command =
            new Command("personal",
                "Measures what personal data costs: encrypting and decrypting a member, events without one, forgetting a person with many "
                    + "events, and opening a store with many persons' keys.") { CommonOptions.Folder, CommonOptions.IsShort };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "personal");
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var table = new Table().AddColumns("", "measured", "target");

        var members = await MemberCost.MeasureAsync(rounds: isShort ? 5 : 50, cancellationToken);
        table.AddRow("encrypting a member", Time(members.Sealing), "at most 15 µs");
        table.AddRow("decrypting a member", Time(members.Opening), "at most 10 µs");
        table.AddRow("an event without one, written", Time(members.PlainWriting), "0");
        table.AddRow("an event without one, read", Time(members.PlainReading), "0");

        var forgetting = await ForgettingCost.MeasureAsync(folder, isShort ? 1_000 : 10_000, cancellationToken);
        table.AddRow(Invariant($"forgetting a person with {forgetting.Events:N0} events"), Invariant($"{forgetting.Milliseconds:F1} ms"),
            "at most 100 ms");
        table.AddRow("event files that changed", Invariant($"{forgetting.FilesChanged}"), "0");
        table.AddRow("places where a text still lies", Invariant($"{forgetting.TextsFound}"), "0");

        var opening = await KeysCost.MeasureAsync(folder, isShort ? 2_000 : 100_000, cancellationToken);
        table.AddRow(Invariant($"opening a store with the keys of {opening.Persons:N0} persons"), Time(opening.With), "as without");
        table.AddRow("opening the same store without them", Time(opening.Without), "");
        AnsiConsole.Write(table);
        return 0;
    }

    private static string Time(Distribution microseconds) =>
        Invariant($"{microseconds.Median:F2} µs ({microseconds.LowerQuartile:F2} to {microseconds.UpperQuartile:F2})");

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
