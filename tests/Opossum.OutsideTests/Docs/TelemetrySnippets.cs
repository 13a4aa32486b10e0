using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Opossum.Testing;

namespace Opossum.DocTests;

public sealed class TelemetrySnippets : DocumentCode
{
    [Fact]
    public void Listening()
    {
        using var traces = Sdk.CreateTracerProviderBuilder().AddSource("Opossum").AddOtlpExporter().Build();
        using var metrics = Sdk.CreateMeterProviderBuilder().AddMeter("Opossum").AddOtlpExporter().Build();

        Assert.NotNull(traces);
        Assert.NotNull(metrics);
    }

    [Fact]
    public async Task Processing()
    {
        var options = new OpossumOptions { EnrichMetadata = true };
        options.EventTypes.Add<StudentSubscribed>();
        await using var store = InMemoryEventStore.Open(options);
        await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", "s9")));
        using var cancellation = new CancellationTokenSource();
        var welcome = new Welcome(store, cancellation);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => GreetAsync(store, welcome, 0, cancellation.Token));
        var (subscribed, greeted) = await store.ReadAsync(Query.All).ToListAsync() is [var first, var second] ? (first, second) : default;
        Assert.Equal($"{subscribed.Id}", greeted.Metadata[MetadataNames.CausationId]);
        Assert.Equal($"{subscribed.Id}", greeted.Metadata[MetadataNames.CorrelationId]);
    }

    [Fact]
    public void Users()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddOpossum(builder.Configuration.GetSection("Opossum")).WithHttpUser(outsideRequests: "nightly-import");

        Assert.Contains(builder.Services, static each => each.ServiceType == typeof(IHttpContextAccessor));
    }

    private static async Task GreetAsync(FileSystemEventStore store, Welcome welcome, long after, CancellationToken cancellationToken)
    {
        await foreach (var e in store.SubscribeAsync(Query.For<StudentSubscribed>(), after, cancellationToken))
        {
            using var processing = ProcessingScope.Begin(e);
            await welcome.SendAsync(e, cancellationToken);
        }
    }

    private sealed class Welcome(IEventStore store, CancellationTokenSource cancellation)
    {
        public async Task SendAsync(SequencedEvent subscribed, CancellationToken cancellationToken)
        {
            await store.AppendAsync(NewEvent.FromJson("student-greeted", $"{subscribed.Position}"), cancellationToken: cancellationToken);
            await cancellation.CancelAsync();
        }
    }
}
