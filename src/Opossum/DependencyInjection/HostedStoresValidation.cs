using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>Validates the options of stores on demand.</summary>
internal sealed class HostedStoresValidation : IValidateOptions<OpossumStoresOptions>
{
    public ValidateOptionsResult Validate(string? name, OpossumStoresOptions options)
    {
        var checks = new OptionsChecks(nameof(OpossumStoresOptions));
        checks.Path(options.Root ?? "", "the folder that contains the stores", nameof(options.Root));
        checks.Range<int>(options.MaxOpen, 1, 100_000, nameof(options.MaxOpen));
        checks.Range<TimeSpan>(options.IdleTimeout, TimeSpan.FromSeconds(1), TimeSpan.FromDays(1), nameof(options.IdleTimeout));
        checks.Range<TimeSpan>(options.WaitTimeout, TimeSpan.FromSeconds(1), TimeSpan.FromHours(1), nameof(options.WaitTimeout));
        checks.Require(options.Store.Path.Length == 0, $"Store.Path must be empty, but is {options.Store.Path}: the path of each store "
            + "follows from Root and its name.");
        List<string> failures =
        [
            .. checks.Failures, .. options.Store.Check(pathRequired: false).Failures, .. options.Projections.Check().Failures,
            .. options.Reactions.Check().Failures,
        ];
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}
