using Microsoft.Extensions.Options;
using Opossum.Projections;

namespace Opossum.DependencyInjection;

/// <summary>Judges, when the host starts, the options of projections, and that each projection has a store.</summary>
internal sealed class HostedProjectionValidation(IEnumerable<ProjectionRegistration> projections, IEnumerable<StoreRegistration> stores) : IValidateOptions<ProjectionOptions>
{
    public ValidateOptionsResult Validate(string? name, ProjectionOptions options)
    {
        var failures = ProjectionOptionsValidator.Validate(options);
        foreach (var (store, type) in projections)
        {
            if (store.Name == name && !stores.Contains(store))
                failures.Add($"{type} was added to {store}, which was not added itself. Call {store.HowToAdd}.");
        }
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}
