using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.AspNetCore.Pages;

/// <summary>The health of a store, or of the open stores on demand, as a page shows it.</summary>
/// <param name="Status">Healthy, Degraded, Unhealthy or Unknown.</param>
/// <param name="Description">Every finding.</param>
/// <param name="Projections">The store's projections.</param>
/// <param name="Open">How many stores on demand are open, and how many may be; null: this is the health of a store.</param>
internal sealed record StoreHealthReport(string Status, string Description, IReadOnlyList<ProjectionRow> Projections, (int Now, int Most)? Open)
{
    public static StoreHealthReport Of(HealthCheckResult result)
    {
        var projections = (IReadOnlyDictionary<string, object?>?)result.Data.GetValueOrDefault("projections");
        return new StoreHealthReport(result.Status.ToString(), result.Description ?? "",
            [.. (projections ?? new Dictionary<string, object?>()).Select(static each => ProjectionRow.Of(each.Key,
                (IReadOnlyDictionary<string, object?>)each.Value!))],
            result.Data.TryGetValue("maxOpen", out var most) ? ((int)result.Data["open"], (int)most) : null);
    }
}
