using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.AspNetCore.Pages;

/// <summary>The health of a store, or of the open stores on demand, as a page shows it.</summary>
/// <param name="Status">Healthy, Degraded, Unhealthy or Unknown.</param>
/// <param name="Open">How many stores on demand are open, and how many may be; null: this is the health of a store.</param>
internal sealed record StoreHealthReport(string Status, string Description, (int Now, int Most)? Open)
{
    /// <summary>The folders that follow the store in this host.</summary>
    public IReadOnlyList<IReadOnlyDictionary<string, object?>> Replicas { get; init; } = [];

    public static StoreHealthReport Of(HealthCheckResult result) => new(result.Status.ToString(), result.Description ?? "",
        result.Data.TryGetValue("maxOpen", out var most) ? ((int)result.Data["open"], (int)most) : null)
    {
        Replicas = result.Data.TryGetValue("replicas", out var replicas) ? (IReadOnlyList<IReadOnlyDictionary<string, object?>>)replicas : [],
    };
}
