using System.CommandLine;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Personal;

/// <summary><c>personal</c>: what personal data costs: members, forgetting a person, and opening a store with many keys.</summary>
internal static class PersonalCommand
{
    public static Command Create()
    {
        var command =
            new Command("personal",
                "Measures what personal data costs: encrypting and decrypting a member, events without one, forgetting a person with many "
                    + "events, and opening a store with many persons' keys.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "personal");
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var report = new FigureReport("personal",
            $"What personal data costs on {Machine.DescribeDisk(folder)}: medians and quartiles. Members are encrypted and decrypted in a store in memory; "
                + "the cost is that of an append or a read with a personal member less that of one without, in turns.",
            "", "measured", "target");

        var members = await MemberCost.MeasureAsync(rounds: isShort ? 5 : 50, cancellationToken);
        report.Row("encrypting a member", FigureReport.Time(members.Sealing), FigureReport.Target("at most 15 µs", members.Sealing.Median <= 15));
        report.Row("decrypting a member", FigureReport.Time(members.Opening), FigureReport.Target("at most 10 µs", members.Opening.Median <= 10));
        report.Row("an event without one, written", FigureReport.Time(members.PlainWriting), "none");
        report.Row("an event without one, read", FigureReport.Time(members.PlainReading), "none");

        var forgetting = await ForgettingCost.MeasureAsync(folder, isShort ? 1_000 : 10_000, cancellationToken);
        report.Row($"forgetting a person with {Number.Whole(forgetting.Events)} events", Number.Time(forgetting.Milliseconds * 1_000),
            FigureReport.Target("at most 100 ms", forgetting.Milliseconds <= 100));
        report.Row("event files that changed", Number.Whole(forgetting.FilesChanged), FigureReport.Target("0", forgetting.FilesChanged == 0));
        report.Row("places where a text still lies", Number.Whole(forgetting.TextsFound), FigureReport.Target("0", forgetting.TextsFound == 0));

        var opening = await KeysCost.MeasureAsync(folder, isShort ? 2_000 : 100_000, cancellationToken);
        report.Row($"opening a store with the keys of {Number.Whole(opening.Persons)} persons", FigureReport.Time(opening.With),
            FigureReport.Target("as without", opening.With.LowerQuartile <= opening.Without.UpperQuartile));
        report.Row("opening the same store without them", FigureReport.Time(opening.Without), "");
        report.Publish(arguments.GetValue(CommonOptions.Output));
        return 0;
    }
}
