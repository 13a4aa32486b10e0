using System.Net.Http.Json;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.SampleTests.CourseManagement;

/// <summary>Alone, because an exporter hears the whole process: the spans of other tests would fill its queue.</summary>
[CollectionDefinition(nameof(TelemetryTests), DisableParallelization = true)]
[Collection(nameof(TelemetryTests))]
public sealed class TelemetryTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Traces_and_metrics_are_exported_where_the_configuration_says()
    {
        await using var receiver = await OtlpReceiver.StartAsync();
        SequencedEvent defined;
        await using (var app = new App(folder).WithWebHostBuilder(builder => builder
            .UseSetting("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.Address).UseSetting("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")))
        {
            using var client = app.CreateClient();
            var answer = await client.PostAsJsonAsync("/api/courses", new { courseId = "cooking", title = "Cooking", capacity = 1 },
                TestContext.Current.CancellationToken);
            answer.EnsureSuccessStatusCode();
            defined = await app.Services.GetRequiredService<IEventStore>().ReadAsync(Query.All).SingleAsync(TestContext.Current.CancellationToken);
        }

        var trace = defined.Metadata[MetadataNames.TraceParent].Split('-')[1];
        var spans = receiver.Spans.Where(span => span.TraceId.Equals(trace, StringComparison.OrdinalIgnoreCase)).Select(span => span.Name);
        Assert.Equal(["Microsoft.AspNetCore.Hosting.HttpRequestIn", "append", "read"], spans.Order(StringComparer.Ordinal));
        Assert.Equal([], new[] { "opossum.append.duration", "opossum.flush.duration", "opossum.group.size", "opossum.store.events" }.Except(receiver.Metrics));
        Assert.Contains("http.server.request.duration", receiver.Metrics);
        Assert.Contains("service.name course-management", receiver.Resource, StringComparison.Ordinal);
    }
}
