using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace Opossum.DependencyInjection;

/// <summary>
/// Reads a section of the configuration without reflection, option by option. A key that no option has asked for is an error.
/// </summary>
internal sealed class SectionReader
{
    private readonly IConfiguration section;
    private readonly List<string> keys = [];
    private readonly List<string> failures = [];

    private SectionReader(IConfiguration section) => this.section = section;

    /// <summary>Reads a section.</summary>
    /// <returns>What is wrong with it, a sentence each.</returns>
    public static List<string> Read(IConfiguration section, Action<SectionReader> read)
    {
        var reader = new SectionReader(section);
        // Sources copied from another configuration, as test hosts do, give a section an empty value.
        if (section is IConfigurationSection { Value: { Length: > 0 } text, Path: var path })
        {
            reader.failures.Add($"{path} must be a section of the configuration with Opossum's options, but is the value "
                + $"{NameRules.Quote(text)}.");
        }
        read(reader);
        reader.RefuseUnknownKeys();
        return reader.failures;
    }

    public void Section(string key, Action<SectionReader> read)
    {
        Ignore(key);
        failures.AddRange(Read(section.GetSection(key), read));
    }

    public void Sections(string key, Action<SectionReader> read) => Section(key, list =>
    {
        foreach (var child in list.section.GetChildren())
            list.Section(child.Key, read);
    });

    /// <summary>Makes what needs all that the section has been asked for; a refusal is a failure, unless others explain it.</summary>
    public void Make(Action make)
    {
        try
        {
            make();
        }
        catch (ArgumentException e) when (section is IConfigurationSection { Path: var path })
        {
            if (failures.Count == 0)
                failures.Add($"{path}: {e.Message}");
        }
    }

    /// <summary>A key that sets other options.</summary>
    public void Ignore(string key) => keys.Add(key);

    public void Text(string key, string meaning, Action<string> set) => Value(key, $"a text, {meaning}", text =>
    {
        set(text);
        return true;
    });

    public void Flag(string key, Action<bool> set) => Value(key, "true or false", text =>
    {
        if (!bool.TryParse(text, out var flag))
            return false;
        set(flag);
        return true;
    });

    public void Number(string key, string example, Action<long> set, long most = int.MaxValue) =>
        Value(key, $"a whole number of {example}", text =>
    {
        if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number))
            return false;
        if (number > most || number < -most)
            return false;
        set(number);
        return true;
    });

    // TimeSpan alone would parse "30" as 30 days and "00:30" as 30 minutes, and users mean neither.
    public void Time(string key, string example, Action<TimeSpan> set) =>
        Value(key, $"a time of the form hh:mm:ss or d.hh:mm:ss, such as {example}", text =>
    {
        if (text.AsSpan().Count(':') != 2 || !TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out var time))
            return false;
        set(time);
        return true;
    });

    private void Value(string key, string expected, Func<string, bool> trySet)
    {
        keys.Add(key);
        var child = section.GetSection(key);
        if (!section.GetChildren().Any(each => IsKey(each, key)) || (child.Value is { } text && trySet(text)))
            return;
        var actual = child.Value is { } value ? NameRules.Quote(value) : "no value";
        failures.Add($"{child.Path} must be {expected}, but is {actual}.");
    }

    private void RefuseUnknownKeys()
    {
        var hint = section is IConfigurationRoot
            ? " The whole configuration was given; give a section of it, such as configuration.GetSection(\"Opossum\")."
            : "";
        foreach (var child in section.GetChildren().Where(child => !keys.Exists(key => IsKey(child, key))))
        {
            failures.Add($"{child.Path} is not an option that the configuration can set; those are "
                + $"{string.Join(", ", keys.SkipLast(1))} and {keys[^1]}.{hint}");
        }
    }

    private static bool IsKey(IConfigurationSection child, string key) =>
        string.Equals(child.Key, key, StringComparison.OrdinalIgnoreCase);
}
