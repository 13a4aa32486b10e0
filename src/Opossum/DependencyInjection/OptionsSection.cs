using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>Sets options from a section of the configuration, and rejects what is wrong in it.</summary>
internal sealed class OptionsSection<TOptions>(string name, IConfiguration section, Action<SectionReader, TOptions> read)
    : IConfigureNamedOptions<TOptions>, IValidateOptions<TOptions>
    where TOptions : class, new()
{
    public void AddTo(IServiceCollection services)
    {
        services.AddSingleton<IConfigureOptions<TOptions>>(this);
        services.AddSingleton<IValidateOptions<TOptions>>(this);
    }

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

    private List<string> Read(TOptions options) => SectionReader.Read(section, reader => read(reader, options));
}
