using System.CommandLine;
using System.CommandLine.Parsing;
using Opossum.Cli.Commands;

namespace Opossum.Cli;

/// <summary>Says what is wrong with a command line, and what was probably meant.</summary>
internal static class UsageErrors
{
    private const int DistanceMax = 2;

    /// <summary>An error in words of this program; the parser names CLR types.</summary>
    public static string InWords(ParseError error) => error.SymbolResult switch
    {
        ArgumentResult { Argument.Name: "store", Tokens: [], Parent: CommandResult { Command: StoreCommand } } =>
            "No store is named: pass its folder, or set OPOSSUM_STORE. The current folder is none.",
        _ when !error.Message.Contains("expected type", StringComparison.Ordinal) => InOneLine(error.Message),
        OptionResult { Tokens: [var token, ..] } option => $"{option.Option.Name} {token.Value} is not {KindOf(option.Option.ValueType)}.",
        ArgumentResult { Parent: OptionResult option, Tokens: [var token, ..] } =>
            $"{option.Option.Name} {token.Value} is not {KindOf(option.Option.ValueType)}.",
        ArgumentResult { Tokens: [var token, ..] } argument =>
            $"{argument.Argument.Name} {token.Value} is not {KindOf(argument.Argument.ValueType)}.",
        _ => error.Message,
    };

    /// <summary>What is wrong with a value of an option that needs none, which the parser takes for an argument; null: nothing.</summary>
    public static string? FindValueOfFlag(ParseResult parsed, IEnumerable<string> arguments)
    {
        string[] flags = [.. parsed.CommandResult.Command.Options.Where(static each => each.ValueType == typeof(bool))
            .SelectMany(static each => each.Aliases.Prepend(each.Name))];
        foreach (var argument in arguments.TakeWhile(static each => each != "--"))
        {
            var at = argument.AsSpan().IndexOfAny('=', ':');
            if (at > 0 && flags.Contains(argument[..at]) && !bool.TryParse(argument[(at + 1)..], out _))
                return $"{argument[..at]} {argument[(at + 1)..]} is not {KindOf(typeof(bool))}.";
        }
        return null;
    }

    /// <summary>For each name that nothing has, the names of this command that are nearly the same.</summary>
    public static IEnumerable<string> Suggestions(ParseResult parsed)
    {
        var command = parsed.CommandResult.Command;
        string[] names = [.. command.Subcommands.SelectMany(static each => each.Aliases.Prepend(each.Name)),
            .. command.Options.Select(static each => each.Name)];
        foreach (var token in parsed.UnmatchedTokens)
        {
            if (Nearest(token, names) is { Count: > 0 } near)
                yield return $"Did you mean {string.Join(" or ", near)}?";
        }
    }

    /// <summary>The names that are nearest to a mistyped one; none when all are far from it.</summary>
    public static List<string> Nearest(string typed, IEnumerable<string> names)
    {
        var near = names.Select(name => (Name: name, Distance: Distance(typed, name)))
            .Where(each => each.Distance <= Math.Min(DistanceMax, (each.Name.Length - 1) / 2)).ToList();
        var least = near.Count == 0 ? 0 : near.Min(static each => each.Distance);
        return [.. near.Where(each => each.Distance == least).Select(static each => each.Name)];
    }

    // The parser gives each value that an argument may have a line of its own.
    private static string InOneLine(string message) => message.ReplaceLineEndings("\n").Replace("\n\t", " ", StringComparison.Ordinal);

    private static string KindOf(Type type) => type == typeof(bool) ? "true or false" : "a whole number";

    // How many characters are to be inserted, removed, replaced, or swapped with the next one.
    private static int Distance(string one, string other)
    {
        var distances = new int[one.Length + 1, other.Length + 1];
        for (var row = 0; row <= one.Length; row++)
        {
            for (var column = 0; column <= other.Length; column++)
            {
                if (row == 0 || column == 0)
                {
                    distances[row, column] = row + column;
                    continue;
                }
                var cost = one[row - 1] == other[column - 1] ? 0 : 1;
                var least = Math.Min(Math.Min(distances[row - 1, column], distances[row, column - 1]) + 1, distances[row - 1, column - 1] + cost);
                if (row > 1 && column > 1 && one[row - 1] == other[column - 2] && one[row - 2] == other[column - 1])
                    least = Math.Min(least, distances[row - 2, column - 2] + 1);
                distances[row, column] = least;
            }
        }
        return distances[one.Length, other.Length];
    }
}
