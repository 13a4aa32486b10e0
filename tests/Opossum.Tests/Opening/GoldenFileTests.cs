using System.Text;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Opening;

/// <summary>The exact text of the files that people read. A change here is a change of the format.</summary>
public sealed class GoldenFileTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, shardPositions: StoreLayout.ShardPositionsDefault);

    public void Dispose() => place.Dispose();

    [Fact]
    public void Store_file()
    {
        place.Open();
        var text = Encoding.UTF8.GetString(place.Bytes(place.Layout.StoreFile));
        var id = text.Split('"')[5];

        Assert.True(Guid.TryParseExact(id, "D", out _), text);
        Assert.Equal(
            $$"""
            {
              "format": 1,
              "id": "{{id}}",
              "created": "2026-01-01T00:00:00.0000000Z"
            }

            """,
            text);
    }

    [Fact]
    public async Task Event_file()
    {
        var store = place.Open(options => options.EventTypes.Add<ParcelSent>().AddUpcaster("parcel-sent", 1, json => json));
        await store.AppendAsync([NewEvent.FromJson("first", "null")]);
        ((SimulatedClock)place.Clock).Advance(TimeSpan.FromTicks(1_234_567));
        await store.AppendAsync(
        [
            NewEvent.FromJson("second", "{}", new Tag("k", "v")),
            new NewEvent(new ParcelSent("p\"1\"", "Grüße 😀", [new Part(1, []), new Part(2.50m, ["a", "b"])], null), new Tag("mood", "😀:\n\u2028"))
            {
                Id = Guid.Parse("0199E0C1-0000-7000-8000-00000000002A"),
                Metadata = new Dictionary<string, string> { ["correlationId"] = "c-7", ["über"] = "\\ / <é>" },
            },
        ]);

        Assert.Equal(
            """
            {
              "position": 3,
              "type": "parcel-sent",
              "version": 2,
              "tags": ["mood:😀:\n\u2028", "parcel:p\"1\""],
              "timestamp": "2026-01-01T00:00:00.1234567Z",
              "id": "0199e0c1-0000-7000-8000-00000000002a",
              "commit": { "first": 2, "last": 3, "after": 1 },
              "data": {
                "parcelId": "p\"1\"",
                "text": "Grüße 😀",
                "parts": [
                  {
                    "weight": 1,
                    "labels": []
                  },
                  {
                    "weight": 2.50,
                    "labels": [
                      "a",
                      "b"
                    ]
                  }
                ],
                "nothing": null
              },
              "metadata": {
                "correlationId": "c-7",
                "über": "\\ / <é>"
              },
              "checksum": "crc32c:9812795e"
            }

            """,
            Encoding.UTF8.GetString(place.Bytes(place.Layout.EventFile(3))));
    }

    [Fact]
    public async Task Places_of_files()
    {
        await place.Open().AppendAsync(Events.Many(2));

        Assert.Equal(
            ["/store", "/store/.store.lock", "/store/Events", "/store/Events/0000000000", "/store/Events/0000000000/0000000001.json",
                "/store/Events/0000000000/0000000002.json", "/store/Index", "/store/Index/types-and-tags.idx", "/store/Log", "/store/Log/0000000000.jsonl",
                "/store/store.json"],
            place.Snapshot().Keys);
        Assert.Equal("/store/Events/0000000000/0000009999.json", place.Layout.EventFile(9_999));
        Assert.Equal("/store/Events/0000010000/0000010000.json", place.Layout.EventFile(10_000));
        Assert.Equal("/store/Events/2147480000/2147483646.json", place.Layout.EventFile(int.MaxValue - 1));
    }

    [EventType("parcel-sent", Version = 2)]
    private sealed record ParcelSent([property: Tag("parcel")] string ParcelId, string Text, Part[] Parts, string? Nothing);

    private sealed record Part(decimal Weight, string[] Labels);
}
