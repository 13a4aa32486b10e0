using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Opossum.Cli.Commands;

/// <summary>Options whose value is a whole number.</summary>
internal static class NumberOption
{
    /// <summary>Reads a number from a lowest to a greatest one, or says what is expected.</summary>
    /// <param name="expected">What the number is and which ones there are, as in <c>is not a position. Pass a number from 1.</c></param>
    public static long? Parse(ArgumentResult result, long max, string expected, long min = 1)
    {
        var text = result.Tokens[0].Value;
        if (long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number >= min && number <= max)
            return number;
        result.AddError($"{((OptionResult)result.Parent!).Option.Name} {text} {expected}");
        return null;
    }

    /// <summary>Refuses a negative number.</summary>
    /// <param name="advice">What to pass instead, as a sentence with a space before it.</param>
    public static void RefuseNegative(Option<long?> option, string advice = "") => option.Validators.Add(result =>
    {
        if (result.Tokens is [var token] && long.TryParse(token.Value, out var number) && number < 0)
            result.AddError($"{result.Option.Name} {number} is negative.{advice}");
    });
}
