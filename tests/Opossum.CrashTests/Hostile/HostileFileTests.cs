using System.Text;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage.Folders;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Hostile;

/// <summary>
/// An event file whose checksum fits but which no store wrote: what could mislead a reader is refused, in memory that its size bounds.
/// </summary>
public sealed class HostileFileTests
{
    public static TheoryData<string, string, string> Forgeries => new()
    {
        { "\"position\": 1", "\"position\": 1e0", "" },
        { "\"position\": 1", "\"position\": 123456789012345678901234567890", "" },
        { "\"position\": 1", "\"position\": \"1\"", "" },
        { "\"position\": 1", "\"position\": 1, \"position\": 1", "\"type\" is not where it belongs" },
        { "\"type\": \"t\"", "\"type\": \"\"", "The event type is empty" },
        { "\"type\": \"t\"", "\"type\": null", "" },
        { "\"type\": \"t\"", "\"type\": \"\\ud800\"", "" },
        { "\"type\": \"t\"", $"\"type\": \"{new string('t', 1_001)}\"", "The event type has 1,001 characters" },
        { "\"type\": \"t\",", "\"type\": \"t\", \"version\": 0,", "its version is not a number from 1" },
        { "\"type\": \"t\",", "\"type\": \"t\", \"version\": -1,", "its version is not a number from 1" },
        { "\"type\": \"t\",", "\"type\": \"t\", \"version\": 5000000000,", "its version is not a number from 1" },
        { "\"type\": \"t\",", "\"type\": \"t\", \"version\": 99999999999999999999,", "its version is not a number from 1" },
        { "[\"k:1\"]", "[\":k\"]", "key is empty" },
        { "[\"k:1\"]", "[\":1\"]", "The tag's key is empty" },
        { "[\"k:1\"]", $"[\"k:{new string('v', 10_001)}\"]", "The tag's value has 10,001 characters" },
        { "[\"k:1\"]", "[\"k:1\", \"m:2\", \"k:1\"]", "it has one tag twice" },
        { "[\"k:1\"]", "[\"k:1\", 5]", "" },
        { "[\"k:1\"]", "[[\"k:1\"]]", "" },
        { "10:15:30.1234567Z", "10:15:30.1234567", "its timestamp is not in UTC" },
        { "10:15:30.1234567Z", "10:15:30.1234567+02:00", "its timestamp is not in UTC" },
        { "2026-11-21T", "9999-99-99T", "" },
        { Forgery.Id, "{0199e0c1-0000-7000-8000-00000000002a}", "" },
        { "\"first\": 1", "\"first\": 0", "does not fit its position" },
        { "\"last\": 1", "\"last\": 0", "does not fit its position" },
        { "\"last\": 1", "\"last\": 2147483647", "does not fit its position" },
        { "\"after\": 0", "\"after\": 1", "does not fit its position" },
        { "\"after\": 0", "\"after\": -1", "does not fit its position" },
        { "\"after\": 0 }", "\"after\": 0, \"more\": 1 }", "EndObject was expected" },
        { "\"data\": {}", "\"data\": { \"a\": 1, \"a\": 2 }", "The member \"a\" occurs twice" },
        { "\"data\": {}", "\"data\": { \"a\": 1, \"\\u0061\": 2 }", "The member \"a\" occurs twice" },
        { "\"data\": {}", "\"data\": [{ \"b\": [{ \"a\": 1, \"a\": 2 }] }]", "The member \"a\" occurs twice" },
        { "\"data\": {}", "\"data\": \"\\udc00\"", "half a surrogate pair" },
        { "\"data\": {}", "\"data\": 01", "" },
        { "\"data\": {}", "\"data\": {} // remark", "" },
        { "\"data\": {}", "\"data\": {}, \"data\": {}", "\"checksum\" is not where it belongs" },
        { "\"data\": {}", "\"data\": {}, \"more\": 1", "\"checksum\" is not where it belongs" },
        { "\"data\": {}", "\"data\": {}, \"checksum\": \"x\", \"more\": 1", "\"checksum\" is not where it belongs" },
        { "\"data\": {}", "\"data\": {}, \"metadata\": 5", "its metadata is not an object of texts" },
        { "\"data\": {}", "\"data\": {}, \"metadata\": { \"a\": 5 }", "its metadata is not an object of texts" },
        { "\"data\": {}", "\"data\": {}, \"metadata\": { \"a\": { \"b\": \"c\" } }", "its metadata is not an object of texts" },
        { "\"data\": {}", "\"data\": {}, \"metadata\": { \"a\": \"1\", \"a\": \"2\" }", "The member \"a\" occurs twice" },
        { "{\n  \"position\"", "\uFEFF\uFEFF{\n  \"position\"", "" },
        { "\"data\"", "\"d\\u0061ta\"", "\"data\" is not where it belongs" },
        { "  \"type\": \"t\",\n  \"tags\": [\"k:1\"],\n", "  \"tags\": [\"k:1\"],\n  \"type\": \"t\",\n", "\"type\" is not where it belongs" },
    };

    [Fact]
    public void What_the_forgeries_are_made_of_is_an_event() => Assert.NotNull(EventFile.Read(Forgery.Of("{}", "{}"), 1, out _));

    [Theory]
    [MemberData(nameof(Forgeries))]
    public void A_file_that_no_store_writes_is_refused_with_what_is_wrong(string part, string replacement, string message)
    {
        var file = Forgery.Of(part, replacement);

        Assert.Null(EventFile.Read(file, 1, out var problem));
        Assert.StartsWith("is not an event file although its checksum matches: ", problem, StringComparison.Ordinal);
        Assert.Contains(message, problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Text_that_is_no_UTF8_is_refused_wherever_it_stands()
    {
        foreach (var part in (string[])["\"t\"", "\"k:1\"", "{}"])
        {
            var text = Encoding.UTF8.GetBytes(Forgery.Text(part, "\"k:?\""));
            text[text.AsSpan().IndexOf((byte)'?')] = 0xFF;
            Assert.Null(EventFile.Read(Forgery.Of(text), 1, out var problem));
            Assert.NotEmpty(problem!);
        }
    }

    [Theory]
    [InlineData('[', 66)]
    [InlineData('[', 100_000)]
    [InlineData('{', 100_000)]
    public void A_depth_bomb_is_refused_without_being_climbed_into(char opening, int depth)
    {
        var bomb = opening == '['
            ? new string('[', depth) + new string(']', depth)
            : string.Concat(Enumerable.Repeat("{\"a\":", depth)) + "1" + new string('}', depth);
        var file = Forgery.Of("{}", bomb);
        Allocations.AssertBounded(file.Length, 1, () => Assert.Null(EventFile.Read(file, 1, out _)));
    }

    [Fact]
    public void A_number_of_a_million_digits_is_kept_as_it_stands_and_only_who_wants_it_typed_is_refused()
    {
        var number = "1" + new string('0', 1_000_000);
        var stored = EventFile.Read(Forgery.Of("{}", number), 1, out _)!;
        Assert.Equal(number, Encoding.UTF8.GetString(stored.Content.Json));

        var types = new EventTypeRegistry().Add<int>("t");
        var serializer = new EventSerializer(types, int.MaxValue);
        var e = new SequencedEvent(1, "t", 1, [], 0, Guid.Empty, stored.Content.Json, 0, decoder: null);
        Assert.Throws<EventDataException>(() => serializer.Read(e));
    }

    [Fact]
    public void Names_without_end_are_refused_in_memory_that_the_file_bounds()
    {
        var many = string.Concat(Enumerable.Range(0, 20_000).Select(number => $"\"k:{number}\", "));
        var tags = Forgery.Of("[\"k:1\"]", $"[{many}\"k:0\"]");
        Allocations.AssertBounded(tags.Length, 40, () => Assert.Null(EventFile.Read(tags, 1, out _)));
        var type = Forgery.Of("\"t\"", $"\"{new string('t', 1_000_000)}\"");
        Allocations.AssertBounded(type.Length, 3, () => Assert.Null(EventFile.Read(type, 1, out _)));
    }

    [Fact]
    public void A_file_that_is_longer_than_any_event_is_not_read()
    {
        using var place = StorePlace.InFolder();
        place.Open();
        place.CloseStores();
        place.Put(place.Layout.EventFile(1), Forgery.Of("{}", "{}"));
        using (var stream = File.OpenWrite(place.Layout.EventFile(1)))
            stream.SetLength(1L << 40);
        using var fileSystem = RealFileSystem.Create();
        var files = new EventFiles(new StoreFolder(fileSystem, place.Layout));
        string? problem = null;

        Allocations.AssertBounded(0, 0, () => Assert.Null(files.Read(1, out problem)));
        Assert.Equal("is longer than any event file", problem);
        var finding = Assert.Single(place.Check().Findings, each => each.Kind == FindingKind.BadEventFile);
        Assert.Equal($"{place.Layout.EventFile(1)} is longer than any event file", finding.Message);
    }

    [Fact]
    public void A_sparse_file_of_a_length_that_an_event_may_have_is_not_read()
    {
        using var place = StorePlace.InFolder();
        place.Open();
        place.CloseStores();
        place.Put(place.Layout.EventFile(1), Forgery.Of("{}", "{}"));
        using (var stream = File.OpenWrite(place.Layout.EventFile(1)))
            stream.SetLength(1L << 30);
        using var fileSystem = RealFileSystem.Create();
        var files = new EventFiles(new StoreFolder(fileSystem, place.Layout));
        string? problem = null;

        Allocations.AssertBounded(0, 0, () => Assert.Null(files.Read(1, out problem)));
        Assert.Equal("is long and ends with zeros: it is cut off or overwritten", problem);
        place.Open();
        Assert.False(place.Exists(place.Layout.EventFile(1)));
    }

    [Fact]
    public async Task A_forged_file_is_named_by_the_check_and_taken_in_by_nobody()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        place.Open();
        place.CloseStores();
        place.Put(place.Layout.EventFile(1), Forgery.Of("{}", "{\"a\":1,\"a\":2}"));

        Assert.Equal((FindingKind.BadEventFile, 1), place.Check().Findings.Select(each => (each.Kind, each.Position)).First());
        Assert.Equal(0, await place.Open(options => options.ReadOnly = true).GetHeadAsync());
        // Nothing proves that it was ever committed, so it is set aside as what a crash left.
        Assert.Equal(0, await place.Open().GetHeadAsync());
        Assert.False(place.Exists(place.Layout.EventFile(1)));
    }

    [Fact]
    public void Large_files_are_read_together_only_as_far_as_memory_should_hold_them()
    {
        LongTests.SkipUnlessAsked();
        using var place = StorePlace.On(VolumeKind.Ext4);
        place.Open();
        var file = Forgery.Of("{}", $"\"{new string('x', 9_000_000)}\"");
        for (var position = 1; position <= 20; position++)
            place.Put(place.Layout.EventFile(position), file);
        var files = new EventFiles(new StoreFolder(place.Attach(), place.Root));
        long[] positions = [.. Enumerable.Range(1, 20)];

        // Each states position 1, and is read all the same.
        var some = files.Batches.Read(positions, 0, _ => files.Read(1));
        Assert.Equal(8, some.Count);
        Assert.All(some, each => Assert.NotNull(each.Stored));
        Assert.Single(files.Batches.Read(positions, 19, _ => files.Read(1)));
    }
}
