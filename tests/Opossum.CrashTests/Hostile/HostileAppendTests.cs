using System.Text;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Hostile;

/// <summary>
/// Events made to harm: refused before anything is written, in memory that their size bounds. What is refused for its form stands in
/// BadEventTests.
/// </summary>
public sealed class HostileAppendTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);
    private readonly FileSystemEventStore store;

    public HostileAppendTests() => store = place.Open(options => options.EventTypes.Add<Link>("link").Add<int>("number"));

    public void Dispose()
    {
        place.CloseStores();
        place.AssertClean();
        place.Dispose();
    }

    [Theory]
    [InlineData("12 MiB of text", "Its data has more than 10,485,760 bytes of compact JSON")]
    [InlineData("12 MiB of brackets", "depth of 64")]
    [InlineData("12 MiB of members", "Its data has more than 10,485,760 bytes of compact JSON")]
    [InlineData("a member twice, 6 MiB apart", "The member \"a\" occurs twice in one object.")]
    [InlineData("no UTF-8 at its end", "It is not valid UTF-8.")]
    public void An_event_that_is_too_large_or_too_deep_is_refused_in_memory_that_it_bounds(string what, string message)
    {
        const int size = 12 * 1024 * 1024;
        var json = new byte[size];
        switch (what)
        {
            case "12 MiB of text":
                json.AsSpan().Fill((byte)'x');
                json[0] = json[^1] = (byte)'"';
                break;
            case "12 MiB of brackets":
                json.AsSpan(0, size / 2).Fill((byte)'[');
                json.AsSpan(size / 2).Fill((byte)']');
                break;
            case "12 MiB of members":
                json.AsSpan().Fill((byte)' ');
                FillWithMembers(json);
                break;
            case "no UTF-8 at its end":
                json.AsSpan().Fill((byte)'x');
                json[0] = json[^1] = (byte)'"';
                json[^2] = 0xC3;
                break;
            default:
                json.AsSpan().Fill((byte)' ');
                "{\"a\":1,"u8.CopyTo(json);
                "\"a\":2}"u8.CopyTo(json.AsSpan(size / 2));
                break;
        }
        var before = place.Disk!.OperationCount;

        ArgumentException? error = null;
        Allocations.AssertBounded(size, 3.5,
            () => error = Assert.Throws<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("t", json, [])]).Wait()));

        Assert.Contains("events[0] is not allowed.", error!.Message, StringComparison.Ordinal);
        Assert.Contains(message, error.Message, StringComparison.Ordinal);
        Assert.InRange(error.Message.Length, 1, 1_000);
        Assert.Equal(before, place.Disk.OperationCount);
    }

    [Fact]
    public async Task An_object_that_contains_itself_is_refused()
    {
        var link = new Link();
        link.Next = link;
        var error = await Assert.ThrowsAsync<ArgumentException>(async () => await store.AppendAsync([new NewEvent(link)]));
        Assert.Contains("cannot be serialized", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, await store.GetHeadAsync());
    }

    [Theory]
    [InlineData("1e999999999")]
    [InlineData("-123456789012345678901234567890123456789012345678901234567890.5")]
    [InlineData("0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000001")]
    public async Task A_number_that_no_type_holds_is_kept_as_it_stands_and_harms_only_who_wants_it_typed(string number)
    {
        await store.AppendAsync([NewEvent.FromJson("number", number)]);
        place.CloseStores();
        place.Delete(place.Layout.IndexFile);
        var e = Assert.Single(await place.Open(options => options.EventTypes.Add<int>("number")).ReadAllAsync());

        Assert.Equal(number, Encoding.UTF8.GetString(e.Json.Span));
        Assert.Throws<EventDataException>(() => e.Data);
    }

    private static void FillWithMembers(byte[] json)
    {
        var place = 0;
        json[place++] = (byte)'{';
        for (var number = 0; place < json.Length - 20; number++)
            place += Encoding.UTF8.GetBytes($"\"{number}\":1,", json.AsSpan(place));
        "\"\":1}"u8.CopyTo(json.AsSpan(place));
    }

    private sealed class Link
    {
        public Link? Next { get; set; }
    }
}
