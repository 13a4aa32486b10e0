using System.CommandLine;

namespace Opossum.Benchmarks.Contenders;

/// <summary><c>append</c>, hidden: runs under strace to count system calls; not for manual use.</summary>
internal static class AppendCommand
{
    private static readonly Argument<string> contender = new("contender");
    private static readonly Argument<AppendWay> way = new("way");
    private static readonly Argument<string> path = new("path");
    private static readonly Argument<int> steps = new("steps");

    public static Command Create()
    {
        var command = new Command("append", "Lets one contender append, in one way, a number of steps.") { contender, way, path, steps };
        command.Hidden = true;
        command.SetAction(async (arguments, _) =>
        {
            await using var entrant =
                await Entrant.OpenAsync(arguments.GetRequiredValue(contender), arguments.GetRequiredValue(path), new EventFeed(plannedEvents: 1));
            await entrant.AppendAsync(arguments.GetValue(way), arguments.GetValue(steps));
            return 0;
        });
        return command;
    }
}
