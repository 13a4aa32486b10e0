using System.Globalization;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>Reads a store's options from a section of the configuration, by hand, so that it needs no reflection and takes nothing that it does not know.</summary>
internal sealed class OpossumSection(string store, IConfiguration section) : IConfigureNamedOptions<OpossumOptions>, IValidateOptions<OpossumOptions>
{
    private const string KeysInWords = "Path, CreateIfMissing, ReadOnly, FlushEventsImmediately, LockTimeout, PayloadBytesMax and RecoveryPatience";

    public void Configure(string? name, OpossumOptions options)
    {
        if (name == store)
            Read(options);
    }

    public void Configure(OpossumOptions options) => Configure(Options.DefaultName, options);

    // Reads once more, into options that nobody uses, so that what is wrong comes in one exception with all else that is.
    public ValidateOptionsResult Validate(string? name, OpossumOptions options)
    {
        if (name != store)
            return ValidateOptionsResult.Skip;
        var failures = Read(new OpossumOptions());
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }

    private List<string> Read(OpossumOptions options)
    {
        var failures = new List<string>();
        if (section is IConfigurationSection { Value: { } text } itself)
            failures.Add($"{itself.Path} must be a section of the configuration that holds Opossum's options, but is the value {Texts.Quote(text)}.");
        foreach (var entry in section.GetChildren())
        {
            if (Read(entry, options) is { } failure)
                failures.Add(failure);
        }
        return failures;
    }

    private string? Read(IConfigurationSection entry, OpossumOptions options)
    {
        if (Is(nameof(OpossumOptions.Path)))
        {
            if (entry.Value is not { } path)
                return Wrong("a text, the store's folder");
            options.Path = path;
        }
        else if (Is(nameof(OpossumOptions.CreateIfMissing)))
        {
            if (!bool.TryParse(entry.Value, out var create))
                return Wrong("true or false");
            options.CreateIfMissing = create;
        }
        else if (Is(nameof(OpossumOptions.ReadOnly)))
        {
            if (!bool.TryParse(entry.Value, out var readOnly))
                return Wrong("true or false");
            options.ReadOnly = readOnly;
        }
        else if (Is(nameof(OpossumOptions.FlushEventsImmediately)))
        {
            if (!bool.TryParse(entry.Value, out var flush))
                return Wrong("true or false");
            options.FlushEventsImmediately = flush;
        }
        else if (Is(nameof(OpossumOptions.LockTimeout)))
        {
            if (!TryReadTime(entry.Value, out var timeout))
                return Wrong("a time of the form hh:mm:ss, such as 00:01:00");
            options.LockTimeout = timeout;
        }
        else if (Is(nameof(OpossumOptions.PayloadBytesMax)))
        {
            if (!int.TryParse(entry.Value, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var bytes))
                return Wrong("a whole number of bytes, such as 10485760");
            options.PayloadBytesMax = bytes;
        }
        else if (Is(nameof(OpossumOptions.RecoveryPatience)))
        {
            if (!TryReadTime(entry.Value, out var patience))
                return Wrong("a time of the form hh:mm:ss, such as 00:00:05");
            options.RecoveryPatience = patience;
        }
        else
        {
            var hint = section is IConfigurationRoot ? " The whole configuration was given; give a section of it, such as configuration.GetSection(\"Opossum\")." : "";
            return $"{entry.Path} is not an option that the configuration can set; those are {KeysInWords}.{hint}";
        }
        return null;

        bool Is(string option) => string.Equals(entry.Key, option, StringComparison.OrdinalIgnoreCase);

        string Wrong(string expected) => $"{entry.Path} must be {expected}, but is {(entry.Value is { } value ? Texts.Quote(value) : "no value")}.";
    }

    // TimeSpan alone would take "30" for 30 days and "00:30" for 30 minutes, and neither is what was meant.
    private static bool TryReadTime(string? text, out TimeSpan time)
    {
        time = default;
        return text is not null && text.AsSpan().Count(':') == 2 && TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out time);
    }
}
