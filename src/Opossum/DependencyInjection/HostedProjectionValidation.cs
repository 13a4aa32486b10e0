using Microsoft.Extensions.Options;
using Opossum.Projections;

namespace Opossum.DependencyInjection;

/// <summary>Validates the projections' options in the options pattern.</summary>
internal sealed class HostedProjectionValidation : IValidateOptions<ProjectionOptions>
{
    public ValidateOptionsResult Validate(string? name, ProjectionOptions options)
    {
        var failures = ProjectionOptionsValidator.Validate(options);
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}
