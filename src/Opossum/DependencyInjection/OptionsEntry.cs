using System.Globalization;

namespace Opossum.DependencyInjection;

/// <summary>An option that the configuration can set.</summary>
/// <param name="Key">Its key, which is the option's name.</param>
/// <param name="Expected">The form of its value, for error messages.</param>
/// <param name="TrySet">Sets the option from the value; false if the value has another form.</param>
internal sealed record OptionsEntry<TOptions>(string Key, string Expected, Func<TOptions, string, bool> TrySet)
{
    public static OptionsEntry<TOptions> Text(string key, string expected, Action<TOptions, string> set) => new(key, expected, (options, text) =>
    {
        set(options, text);
        return true;
    });

    public static OptionsEntry<TOptions> Flag(string key, Action<TOptions, bool> set) => new(key, "true or false", (options, text) =>
    {
        if (!bool.TryParse(text, out var flag))
            return false;
        set(options, flag);
        return true;
    });

    public static OptionsEntry<TOptions> Number(string key, string expected, Action<TOptions, int> set) => new(key, expected, (options, text) =>
    {
        if (!int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number))
            return false;
        set(options, number);
        return true;
    });

    public static OptionsEntry<TOptions> LongNumber(string key, string expected, Action<TOptions, long> set) =>
        new(key, expected, (options, text) =>
    {
        if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number))
            return false;
        set(options, number);
        return true;
    });

    // TimeSpan alone would parse "30" as 30 days and "00:30" as 30 minutes, and users mean neither.
    public static OptionsEntry<TOptions> Time(string key, string example, Action<TOptions, TimeSpan> set) =>
        new(key, $"a time of the form hh:mm:ss, such as {example}", (options, text) =>
    {
        if (text.AsSpan().Count(':') != 2 || !TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out var time))
            return false;
        set(options, time);
        return true;
    });
}
