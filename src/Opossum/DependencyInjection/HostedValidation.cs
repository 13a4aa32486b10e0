using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>Validates options in the options pattern, with the name of their store.</summary>
internal sealed class HostedValidation<TOptions>(Func<TOptions, OptionsChecks> check) : IValidateOptions<TOptions>
    where TOptions : class
{
    public ValidateOptionsResult Validate(string? name, TOptions options)
    {
        var failures = check(options).Failures;
        if (failures.Count == 0)
            return ValidateOptionsResult.Success;
        var store = string.IsNullOrEmpty(name) ? "" : $"Store {NameRules.Quote(name)}: ";
        return ValidateOptionsResult.Fail(failures.Select(failure => store + failure));
    }
}
