using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.AspNetCore.Pages;

/// <summary>The health of a store as its page shows it.</summary>
/// <param name="Status">Healthy, Degraded, Unhealthy or Unknown.</param>
/// <param name="Description">Every finding.</param>
/// <param name="Projections">The store's projections.</param>
internal sealed record StoreHealthReport(string Status, string Description, IReadOnlyList<ProjectionRow> Projections)
{
    public static StoreHealthReport Of(HealthCheckResult result)
    {
        var projections = (IReadOnlyDictionary<string, object?>)result.Data["projections"];
        return new StoreHealthReport(result.Status.ToString(), result.Description ?? "",
            [.. projections.Select(static each => ProjectionRow.Of(each.Key, (IReadOnlyDictionary<string, object?>)each.Value!))]);
    }
}
