using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.AspNetCore.Pages;

/// <summary>Runs the health check of a store, also in an app that has not added it to its own health checks.</summary>
internal sealed class HealthReader
{
    private readonly HealthCheckRegistration registration;

    public HealthReader(object? serviceKey)
    {
        var checks = new OneCheck();
        checks.AddOpossum(serviceKey);
        registration = checks.Registration!;
    }

    public async Task<StoreHealthReport> ReadAsync(PageRequest page)
    {
        try
        {
            var check = registration.Factory(page.Http.RequestServices);
            var result = await check.CheckHealthAsync(new HealthCheckContext { Registration = registration }, page.Cancelled).ConfigureAwait(false);
            return StoreHealthReport.Of(result);
        }
        catch (InvalidOperationException e)
        {
            // The store was not added with AddOpossum or is not open, which the message says.
            return new StoreHealthReport("Unknown", e.Message, []);
        }
    }

    /// <summary>Takes the one registration that an extension of health checks adds.</summary>
    private sealed class OneCheck : IHealthChecksBuilder
    {
        public HealthCheckRegistration? Registration { get; private set; }

        public IServiceCollection Services { get; } = new ServiceCollection();

        public IHealthChecksBuilder Add(HealthCheckRegistration registration)
        {
            Registration = registration;
            return this;
        }
    }
}
