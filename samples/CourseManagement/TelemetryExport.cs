using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace CourseManagement;

/// <summary>
/// Exports the traces and metrics of the store and of ASP.NET to the address in OTEL_EXPORTER_OTLP_ENDPOINT. Without an address it does nothing. The
/// exporter reads its other settings, such as OTEL_EXPORTER_OTLP_PROTOCOL, from the same configuration.
/// </summary>
internal sealed class TelemetryExport(IConfiguration configuration) : IHostedService, IDisposable
{
    private TracerProvider? traces;
    private MeterProvider? metrics;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (string.IsNullOrEmpty(configuration["OTEL_EXPORTER_OTLP_ENDPOINT"]))
            return Task.CompletedTask;
        traces = Sdk.CreateTracerProviderBuilder()
            .ConfigureServices(services => services.AddSingleton(configuration))
            .ConfigureResource(NameService)
            .AddSource("Opossum", "Microsoft.AspNetCore")
            .AddOtlpExporter()
            .Build();
        metrics = Sdk.CreateMeterProviderBuilder()
            .ConfigureServices(services => services.AddSingleton(configuration))
            .ConfigureResource(NameService)
            .AddMeter("Opossum", "Microsoft.AspNetCore.Hosting")
            .AddOtlpExporter()
            .Build();
        return Task.CompletedTask;
    }

    // The store is still open, and reports its size and the lag of its projections a last time.
    public Task StopAsync(CancellationToken cancellationToken) => Task.Run(
        () =>
        {
            traces?.ForceFlush();
            metrics?.ForceFlush();
        },
        cancellationToken);

    // Sends what was measured last: the services are disposed after all of them have stopped, if the process lives that long.
    public void Dispose()
    {
        traces?.Dispose();
        metrics?.Dispose();
    }

    private void NameService(ResourceBuilder resource) => resource.AddService(configuration["OTEL_SERVICE_NAME"] ?? "course-management");
}
