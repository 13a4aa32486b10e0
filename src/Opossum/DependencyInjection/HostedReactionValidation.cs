using Microsoft.Extensions.Options;
using Opossum.Reactions;

namespace Opossum.DependencyInjection;

/// <summary>Validates the reactions' options in the options pattern.</summary>
internal sealed class HostedReactionValidation : IValidateOptions<ReactionOptions>
{
    public ValidateOptionsResult Validate(string? name, ReactionOptions options)
    {
        var failures = ReactionOptionsValidator.Validate(options);
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}
