using System.Globalization;
using Microsoft.Extensions.Options;
using Opossum.Projections;
using Opossum.Reactions;

namespace Opossum.DependencyInjection;

/// <summary>Validates the options of stores on demand.</summary>
internal sealed class HostedStoresValidation : IValidateOptions<OpossumStoresOptions>
{
    private const int OpenLimit = 100_000;
    private static readonly TimeSpan timeoutMin = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan idleTimeoutLimit = TimeSpan.FromDays(1);
    private static readonly TimeSpan waitTimeoutLimit = TimeSpan.FromHours(1);

    public ValidateOptionsResult Validate(string? name, OpossumStoresOptions options)
    {
        var failures = new List<string>();
        if (string.IsNullOrWhiteSpace(options.Root))
            failures.Add("OpossumStoresOptions.Root is empty; set it to the folder that contains the stores.");
        if (options.MaxOpen is < 1 or > OpenLimit)
            failures.Add(Say($"OpossumStoresOptions.MaxOpen must lie between 1 and {OpenLimit}, but is {options.MaxOpen}."));
        Check(nameof(options.IdleTimeout), options.IdleTimeout, idleTimeoutLimit);
        Check(nameof(options.WaitTimeout), options.WaitTimeout, waitTimeoutLimit);
        if (options.Store.Path.Length > 0)
        {
            failures.Add($"OpossumStoresOptions.Store.Path must be empty, but is {options.Store.Path}: the path of each store follows from Root "
                + "and its name.");
        }
        failures.AddRange(OpossumOptionsValidator.Validate(options.Store, pathRequired: false));
        failures.AddRange(ProjectionOptionsValidator.Validate(options.Projections));
        failures.AddRange(ReactionOptionsValidator.Validate(options.Reactions));
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);

        void Check(string option, TimeSpan value, TimeSpan limit)
        {
            if (value < timeoutMin || value > limit)
                failures.Add(Say($"OpossumStoresOptions.{option} must lie between {timeoutMin} and {limit}, but is {value}."));
        }
    }

    private static string Say(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
