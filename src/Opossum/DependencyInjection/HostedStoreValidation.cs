using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>Validates the store's options in the options pattern.</summary>
internal sealed class HostedStoreValidation : IValidateOptions<OpossumOptions>
{
    public ValidateOptionsResult Validate(string? name, OpossumOptions options)
    {
        var failures = OpossumOptionsValidator.Validate(options);
        if (failures.Count == 0)
            return ValidateOptionsResult.Success;
        return ValidateOptionsResult.Fail(string.IsNullOrEmpty(name)
            ? failures
            : failures.Select(failure => $"Store {NameRules.Quote(name)}: {failure}"));
    }
}
