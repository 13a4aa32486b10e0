using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.AspNetCore.Pages;

/// <summary>The health of a store, or of the open stores on demand, as a page shows it.</summary>
/// <param name="Status">Healthy, Degraded, Unhealthy or Unknown.</param>
/// <param name="Description">Every finding.</param>
/// <param name="Projections">The store's projections.</param>
/// <param name="Reactions">The store's reactions that this app runs.</param>
/// <param name="Open">How many stores on demand are open, and how many may be; null: this is the health of a store.</param>
internal sealed record StoreHealthReport(string Status, string Description, IReadOnlyList<ProjectionRow> Projections,
    IReadOnlyList<ReactionRow> Reactions, (int Now, int Most)? Open)
{
    public static StoreHealthReport Of(HealthCheckResult result) => new(result.Status.ToString(), result.Description ?? "",
        Read(result, "projections", ProjectionRow.Of), Read(result, "reactions", ReactionRow.Of),
        result.Data.TryGetValue("maxOpen", out var most) ? ((int)result.Data["open"], (int)most) : null);

    private static IReadOnlyList<T> Read<T>(HealthCheckResult result, string name, Func<string, IReadOnlyDictionary<string, object?>, T> make) =>
        [.. ((IReadOnlyDictionary<string, object?>?)result.Data.GetValueOrDefault(name) ?? new Dictionary<string, object?>())
            .Select(each => make(each.Key, (IReadOnlyDictionary<string, object?>)each.Value!))];
}
