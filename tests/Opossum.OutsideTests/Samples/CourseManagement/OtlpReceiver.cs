using System.Collections.Concurrent;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

namespace Opossum.SampleTests.CourseManagement;

/// <summary>Receives what an exporter sends by OTLP over HTTP, and reads the names in it.</summary>
internal sealed class OtlpReceiver : IAsyncDisposable
{
    private readonly ConcurrentQueue<(string Signal, byte[] Body)> received = new();
    private readonly WebApplication app;

    private OtlpReceiver()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        app = builder.Build();
        app.MapPost("/v1/{signal}", async (string signal, HttpRequest request) =>
        {
            using var body = new MemoryStream();
            await request.Body.CopyToAsync(body);
            received.Enqueue((signal, body.ToArray()));
            return Results.Bytes([], "application/x-protobuf");
        });
    }

    public string Address => app.Urls.Single();

    /// <summary>The name of each span and the trace that it belongs to.</summary>
    public IReadOnlyList<(string Name, string TraceId)> Spans =>
        [.. Find("traces", 1, 2, 2).Select(span => (Text(Find(span, 5).Single()), Convert.ToHexString(Find(span, 1).Single().Span)))];

    /// <summary>The names of the metrics.</summary>
    public IReadOnlyList<string> Metrics => [.. Find("metrics", 1, 2, 2, 1).Select(Text).Distinct()];

    /// <summary>The attributes of the resource, as key and value in a row.</summary>
    public string Resource => string.Join(' ', Find("traces", 1, 1, 1).SelectMany(each => Find(each, 1).Concat(Find(each, 2, 1))).Select(Text));

    public static async Task<OtlpReceiver> StartAsync()
    {
        var receiver = new OtlpReceiver();
        await receiver.app.StartAsync();
        return receiver;
    }

    public ValueTask DisposeAsync() => app.DisposeAsync();

    private IEnumerable<ReadOnlyMemory<byte>> Find(string signal, params int[] path) =>
        received.Where(each => each.Signal == signal).SelectMany(each => Find(each.Body, path));

    // The bytes of all fields at a path of field numbers, by the wire format of Protocol Buffers.
    private static IEnumerable<ReadOnlyMemory<byte>> Find(ReadOnlyMemory<byte> message, params int[] path)
    {
        for (var at = 0; at < message.Length;)
        {
            var key = Varint(message, ref at);
            var length = (key & 7) switch
            {
                0 => Varint(message, ref at) * 0,
                1 => 8,
                2 => Varint(message, ref at),
                5 => 4,
                var other => throw new InvalidDataException($"wire type {other}"),
            };
            var content = message.Slice(at, length);
            at += length;
            if (key >> 3 != path[0] || (key & 7) != 2)
                continue;
            foreach (var found in path.Length == 1 ? [content] : Find(content, path[1..]))
                yield return found;
        }
    }

    private static int Varint(ReadOnlyMemory<byte> bytes, ref int at)
    {
        var value = 0L;
        for (var shift = 0; ; shift += 7)
        {
            var next = bytes.Span[at++];
            value |= (long)(next & 0x7F) << shift;
            if (next < 0x80)
                return (int)value;
        }
    }

    private static string Text(ReadOnlyMemory<byte> bytes) => Encoding.UTF8.GetString(bytes.Span);
}
