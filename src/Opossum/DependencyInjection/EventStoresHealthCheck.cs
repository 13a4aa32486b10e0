using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.DependencyInjection;

/// <summary>Reports the health of all open stores on demand. It throws if none were added, which counts as unhealthy.</summary>
internal sealed class EventStoresHealthCheck(IServiceProvider services) : IHealthCheck
{
    private const int DescribedMax = 10;

    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var stores = services.GetService<EventStores>()
            ?? throw new InvalidOperationException("The health check is for stores on demand, which were not added. Call AddOpossumStores(...).");
        var open = 0;
        var worst = HealthStatus.Healthy;
        var found = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var leased in stores.Look())
        {
            open++;
            var health = await JudgeAsync(stores, leased, context.Registration.FailureStatus, cancellationToken).ConfigureAwait(false);
            worst = health.Status < worst ? health.Status : worst;
            if (health.Status != HealthStatus.Healthy)
                found.Add(leased.Name, health.Description ?? "");
        }
        foreach (var (name, problem) in stores.FindLost())
        {
            worst = context.Registration.FailureStatus < worst ? context.Registration.FailureStatus : worst;
            found.TryAdd(name, problem);
        }
        var data = new Dictionary<string, object> { ["open"] = open, ["maxOpen"] = stores.MaxOpen, ["unhealthy"] = found };
        return new HealthCheckResult(worst, Describe(open, found), data: data);
    }

    private static async Task<HealthCheckResult> JudgeAsync(EventStores stores, LeasedStore leased, HealthStatus failureStatus,
        CancellationToken cancellationToken)
    {
        if (stores.ReopensAfterFault && leased.Store.Faulted.IsCompleted)
        {
            return HealthCheckResult.Degraded(
                $"The store accepts no appends; its next handle opens it again: {leased.Store.FindTrouble()?.Message}");
        }
        try
        {
            return await StoreHealth.JudgeAsync(leased.Store, leased.Runner, failureStatus, cancellationToken, reactions: leased.Reactions)
                .ConfigureAwait(false);
        }
        catch (EventStoreException e)
        {
            return new HealthCheckResult(failureStatus, e.Message);
        }
    }

    private static string Describe(int open, Dictionary<string, string> found)
    {
        if (found.Count == 0)
            return $"{open} stores are open.";
        var described = string.Join(' ', found.Take(DescribedMax).Select(static each => $"{each.Key}: {each.Value}"));
        return found.Count > DescribedMax ? $"{described} And {found.Count - DescribedMax} more." : described;
    }
}
