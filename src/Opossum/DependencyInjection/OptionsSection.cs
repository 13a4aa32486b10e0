using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>Reads options from a section of the configuration without reflection, and rejects unknown keys.</summary>
/// <param name="name">The options' name.</param>
/// <param name="section">The section.</param>
/// <param name="entries">The options that it can set.</param>
/// <param name="subsections">The subsections that it may contain and that are read elsewhere.</param>
internal sealed class OptionsSection<TOptions>(string name, IConfiguration section, IReadOnlyList<OptionsEntry<TOptions>> entries,
    params string[] subsections)
    : IConfigureNamedOptions<TOptions>, IValidateOptions<TOptions>
    where TOptions : class, new()
{
    public void Configure(string? optionsName, TOptions options)
    {
        if (optionsName == name)
            Read(options);
    }

    public void Configure(TOptions options) => Configure(Options.DefaultName, options);

    // Reads again, into options that are discarded, so that these errors come in one exception with all others.
    public ValidateOptionsResult Validate(string? optionsName, TOptions options)
    {
        if (optionsName != name)
            return ValidateOptionsResult.Skip;
        var failures = Read(new TOptions());
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }

    private List<string> Read(TOptions options)
    {
        var failures = new List<string>();
        // Sources copied from another configuration, as test hosts do, give a section an empty value.
        if (section is IConfigurationSection { Value: { Length: > 0 } text } itself)
            failures.Add($"{itself.Path} must be a section of the configuration with Opossum's options, but is the value {NameRules.Quote(text)}.");
        foreach (var child in section.GetChildren())
        {
            if (Read(child, options) is { } failure)
                failures.Add(failure);
        }
        return failures;
    }

    private string? Read(IConfigurationSection child, TOptions options)
    {
        if (Array.Exists(subsections, Is))
            return null;
        if (entries.FirstOrDefault(each => Is(each.Key)) is not { } entry)
        {
            var hint = section is IConfigurationRoot
                ? " The whole configuration was given; give a section of it, such as configuration.GetSection(\"Opossum\")."
                : "";
            return $"{child.Path} is not an option that the configuration can set; those are {KeysInWords()}.{hint}";
        }
        if (child.Value is { } text && entry.TrySet(options, text))
            return null;
        return $"{child.Path} must be {entry.Expected}, but is {(child.Value is { } value ? NameRules.Quote(value) : "no value")}.";

        bool Is(string key) => string.Equals(child.Key, key, StringComparison.OrdinalIgnoreCase);
    }

    private string KeysInWords()
    {
        var keys = entries.Select(entry => entry.Key).ToList();
        keys.AddRange(subsections);
        return keys.Count == 1 ? keys[0] : $"{string.Join(", ", keys.SkipLast(1))} and {keys[^1]}";
    }
}
