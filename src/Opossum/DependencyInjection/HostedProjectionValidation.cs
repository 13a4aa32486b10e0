using Microsoft.Extensions.Options;
using Opossum.Projections;

namespace Opossum.DependencyInjection;

/// <summary>Brings the ranges of the projections' options into the options pattern.</summary>
internal sealed class HostedProjectionValidation : IValidateOptions<ProjectionOptions>
{
    public ValidateOptionsResult Validate(string? name, ProjectionOptions options)
    {
        var failures = ProjectionOptionsValidator.Validate(options);
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}
