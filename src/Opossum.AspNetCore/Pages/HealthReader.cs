using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.AspNetCore.Pages;

/// <summary>Runs a health check of stores, also in an app that has not added it to its own health checks.</summary>
internal sealed class HealthReader
{
    private readonly HealthCheckRegistration registration;

    public HealthReader(Action<IHealthChecksBuilder> add)
    {
        var checks = new OneCheck();
        add(checks);
        registration = checks.Registration!;
    }

    public async Task<StoreHealthReport> ReadAsync(IServiceProvider services, CancellationToken cancellationToken)
    {
        try
        {
            var context = new HealthCheckContext { Registration = registration };
            return StoreHealthReport.Of(await registration.Factory(services).CheckHealthAsync(context, cancellationToken).ConfigureAwait(false));
        }
        catch (InvalidOperationException e)
        {
            // The store was not added with AddOpossum or is not open, which the message says.
            return new StoreHealthReport("Unknown", e.Message, Open: null);
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
