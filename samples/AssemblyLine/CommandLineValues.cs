using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace AssemblyLine;

/// <summary>Parses command-line values that are not plain text.</summary>
internal static class CommandLineValues
{
    private static readonly TimeSpan longest = TimeSpan.FromDays(7);

    /// <summary>Reads <c>30s</c>, <c>1.5m</c>, <c>8h</c>; a number without a unit is in seconds.</summary>
    public static TimeSpan Duration(ArgumentResult result)
    {
        var text = result.Tokens[0].Value;
        var (number, unit) = text switch
        {
            [.. var minutes, 'm'] => (minutes, 60),
            [.. var hours, 'h'] => (hours, 3600),
            [.. var seconds, 's'] => (seconds, 1),
            _ => (text, 1),
        };
        var isNumber = double.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var count);
        if (isNumber && count * unit > 0 && count * unit <= longest.TotalSeconds)
            return TimeSpan.FromSeconds(count * unit);
        result.AddError($"'{text}' is no duration. It is written 30s, 5m or 8h, and at most {longest.TotalHours}h.");
        return default;
    }

    public static void RequireText(Option<string?> option) => option.Validators.Add(result =>
    {
        if (result.GetValueOrDefault<string?>() is "")
            result.AddError($"{option.Name} must not be empty.");
    });

    public static void RequireRange<T>(Option<T> option, T least, T most)
        where T : IComparable<T> => option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<T>() is { } value && (value.CompareTo(least) < 0 || value.CompareTo(most) > 0))
                result.AddError($"{option.Name} must lie between {least} and {most}.");
        });
}
