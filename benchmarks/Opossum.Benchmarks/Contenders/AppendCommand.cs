using System.CommandLine;

namespace Opossum.Benchmarks.Contenders;

/// <summary><c>append</c>, hidden: runs under strace to count system calls, and says what memory it took; not for manual use.</summary>
internal static class AppendCommand
{
    private static readonly Argument<string> contender = new("contender");
    private static readonly Argument<AppendWay> way = new("way");
    private static readonly Argument<string> path = new("path");
    private static readonly Argument<int> steps = new("steps");
    private static readonly Argument<int> writers = new("writers") { DefaultValueFactory = static _ => Entrant.Writers };

    public static Command Create()
    {
        var command = new Command("append", "Lets one contender append, in one way, a number of steps.") { contender, way, path, steps, writers };
        command.Hidden = true;
        command.SetAction(async (arguments, _) =>
        {
            await using var entrant =
                await Entrant.OpenAsync(arguments.GetRequiredValue(contender), arguments.GetRequiredValue(path), new EventFeed(plannedEvents: 1));
            await entrant.AppendAsync(arguments.GetValue(way), arguments.GetValue(steps), arguments.GetValue(writers));
            Console.WriteLine(AppendMemory.OfThisProcess());
            return 0;
        });
        return command;
    }
}
