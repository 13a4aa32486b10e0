using System.Text;
using Opossum.Serialization;
using Opossum.Storage.Log;
using Opossum.Testing.Simulated;
using Opossum.Tests.Hostile;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

/// <summary>The first event of an append keeps the append's condition, if the store is told to.</summary>
public sealed class KeptConditionTests : IDisposable
{
    private const string Asked = """{"after":2,"query":[{"types":["a","b"],"tags":["k:1","k:2"]}]}""";

    private static readonly Query query = Query.FromItems(Item(["b", "a"], "k:2", "k:1"));

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System, shardPositions: 4);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task The_first_event_says_what_was_asked_and_the_others_do_not()
    {
        await using var store = Open();
        await store.AppendAsync(Many(2), cancellationToken: Cancellation);
        await store.AppendAsync(Many(3, "a", "k:1"), new AppendCondition(query, After: 2), Cancellation);

        foreach (var events in (List<SequencedEvent>[])[await store.ReadAllAsync(), await ReadFilesAsync()])
        {
            Assert.Equal([null, null, Asked, null, null], events.ConvertAll(Describe));
            Assert.Equal(["k:1"], events[2].Tags.Select(static tag => tag.ToString()));
            Assert.Equal("{}", Encoding.UTF8.GetString(events[2].Json.Span));
        }
        AssertFile(3, """  "condition": { "after": 2, "query": [{ "types": ["a", "b"], "tags": ["k:1", "k:2"] }] },""");
        place.AssertClean();
    }

    [Fact]
    public async Task By_default_nothing_is_kept()
    {
        await using var store = place.Open();
        await store.AppendAsync([New("a")], new AppendCondition(query), Cancellation);

        Assert.Null(Assert.Single(await store.ReadAllAsync()).Condition);
        Assert.Null(place.Event(1).Condition);
    }

    [Fact]
    public async Task What_was_asked_can_be_checked_again()
    {
        await using var store = Open();
        await store.AppendAsync(Many(2, "a", "k:1", "k:2"), cancellationToken: Cancellation);
        await store.AppendAsync(New("a", "k:1", "k:2"), new AppendCondition(query, After: 2), Cancellation);

        var condition = (await store.ReadAllAsync())[2].Condition!;
        var between = new ReadOptions { After = condition.After ?? 0, UpTo = 2 };
        Assert.Empty(await store.ReadAllAsync(condition.FailIfEventsMatch, between));
        Assert.Equal([1, 2, 3], await store.PositionsAsync(condition.FailIfEventsMatch));
    }

    [Theory]
    [InlineData(null, 0)]
    [InlineData(0L, 0)]
    [InlineData(1L, 1)]
    [InlineData(2L, 1)]
    [InlineData(long.MaxValue, 1)]
    public async Task The_position_is_before_the_event(long? after, long kept)
    {
        await using var store = Open();
        await store.AppendAsync(New("t"), cancellationToken: Cancellation);
        await store.AppendAsync(New("a"), new AppendCondition(query, after), Cancellation);

        Assert.Equal(kept, (await store.ReadAllAsync())[1].Condition!.After);
        Assert.Equal(kept, place.Event(2).Condition!.After);
    }

    [Fact]
    public async Task The_condition_that_nothing_was_appended_since_matches_all_events()
    {
        await using var store = Open();
        await store.AppendAsync(New("a"), new AppendCondition(Query.All, After: 0), Cancellation);

        Assert.True(Assert.Single(await store.ReadAllAsync()).Condition!.FailIfEventsMatch.IsAll);
        AssertFile(1, """  "condition": { "after": 0, "query": [] },""");
    }

    [Fact]
    public async Task Appends_of_one_group_keep_each_its_own_one()
    {
        var store = Open();
        Task[] appends;
        using (var other = place.OtherLock())
        using (other.Acquire(TimeSpan.FromMinutes(1)))
        {
            appends =
            [
                store.AppendAsync(Many(2), new AppendCondition(Tagged("k:1")), Cancellation),
                store.AppendAsync(Many(2), cancellationToken: Cancellation),
                store.AppendAsync(Many(2), new AppendCondition(Tagged("k:2"), After: 0), Cancellation),
            ];
        }
        await Task.WhenAll(appends);

        var kept = (await store.ReadAllAsync()).ConvertAll(Describe);
        Assert.Equal([OfTag("k:1"), null, null, null, OfTag("k:2"), null], kept);
        place.CloseStores();
        place.AssertClean();

        static string OfTag(string tag) => $$"""{"after":0,"query":[{"tags":["{{tag}}"]}]}""";
    }

    [Fact]
    public async Task A_retry_with_another_condition_is_recognised_and_changes_nothing()
    {
        await using var store = Open();
        NewEvent[] events = [New("a", "k:1", "k:2"), New("b")];
        var first = await store.AppendAsync(events, new AppendCondition(query), Cancellation);
        var file = place.Bytes(place.Layout.EventFile(1));

        Assert.Equal(first, await store.AppendAsync(events, new AppendCondition(Tagged("k:1")), Cancellation));
        Assert.Equal(file, place.Bytes(place.Layout.EventFile(1)));
        Assert.Equal(2, await store.GetHeadAsync(Cancellation));
    }

    // 32 KiB of text; one more byte is too much.
    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public async Task A_query_that_is_too_long_is_not_kept_and_the_file_says_so(int more, bool isKept)
    {
        var tags = Enumerable.Range(0, 4).Select(static number => $"{number}:{new string('x', 8_000)}");
        var rest = KeptCondition.QueryBytesMax - QueryText.Of(Tagged([.. tags, "k:"])).Length + more;
        var large = new AppendCondition(Tagged([.. tags, $"k:{new string('x', rest)}"]));
        await using var store = Open();
        await store.AppendAsync(New("t"), large, Cancellation);

        foreach (var events in (List<SequencedEvent>[])[await store.ReadAllAsync(), await ReadFilesAsync()])
            Assert.Equal(isKept, Assert.Single(events).Condition is not null);
        if (!isKept)
            AssertFile(1, """  "condition": { "after": 0, "query": null },""");
        place.AssertClean();
    }

    [Fact]
    public async Task It_is_the_same_in_the_file_the_line_the_journal_and_the_sealed_file()
    {
        var store = place.Open(static options => (options.KeepConditions, options.UseJournal) = (true, true));
        foreach (var after in (long[])[0, 1, 2, 3])
            await store.AppendAsync(New("a"), new AppendCondition(query, after), Cancellation);
        Assert.Contains($"\"condition\":{Asked}", LogText(), StringComparison.Ordinal);
        var texts = (await store.ReadAllAsync()).ConvertAll(Describe);
        place.CloseStores();
        var files = place.Snapshot(place.Layout.Events);

        place.Seal(keepNewest: 0);
        Assert.Equal(texts, (await place.Open().ReadAllAsync()).ConvertAll(Describe));
        place.CloseStores();
        place.AssertClean();
        place.Unseal();

        Assert.Equal(files, place.Snapshot(place.Layout.Events));
        Assert.Equal(4, texts.OfType<string>().Distinct().Count());
    }

    [Fact]
    public async Task It_stays_when_the_event_is_redacted()
    {
        await using (var store = Open())
        {
            var named = NewEvent.FromJson("a", """{"name":"Ann"}""");
            await store.AppendAsync(named, new AppendCondition(query, After: 0), Cancellation);
        }
        place.CloseStores();
        var before = place.Event(1).Condition!;

        place.Repair(static store => new Storage.Repair.Redaction(store, TimeProvider.System)
            .Run(new Storage.Repair.RedactionOrder([1], ["name"], "test")));

        Assert.Equal(before.ToText(), place.Event(1).Condition!.ToText());
        var e = Assert.Single(await place.Open().ReadAllAsync());
        Assert.Equal(Encoding.UTF8.GetString(before.ToText()), Describe(e));
    }

    [Theory]
    [InlineData("""{ "after": 0, "query": [{ "tags": ["k:2", "k:1"] }] }""", "not in the form")]
    [InlineData("""{ "after": 0, "query": [{ "tags": ["k:1"] }, { "tags": ["k:1"] }] }""", "not in the form")]
    [InlineData("""{ "after": 0, "query": [{ "tags": ["k:1"], "types": ["a"] }] }""", "not in the form")]
    [InlineData("""{ "after": 0, "query": [{ "tags": ["k:1"], "types": [] }] }""", "not in the form")]
    [InlineData("""{ "after": 0, "query": [{ "tags": ["k:1"], "more": 1 }] }""", "not in the form")]
    [InlineData("""{ "after": 0, "query": [{ "tags": [":k"] }] }""", "key is empty")]
    [InlineData("""{ "after": 0, "query": [{ }] }""", "neither event types nor tags")]
    [InlineData("""{ "after": 0, "query": [null] }""", "Object")]
    [InlineData("""{ "after": 0, "query": {} }""", "Array")]
    [InlineData("""{ "after": 0, "query": [{ "types": [null] }] }""", "null")]
    [InlineData("""{ "after": 1, "query": [] }""", "the position 1 in its condition")]
    [InlineData("""{ "after": -1, "query": [] }""", "the position -1 in its condition")]
    [InlineData("""{ "query": [], "after": 0 }""", "\"after\" is not where it belongs")]
    [InlineData("""{ "after": 0 }""", "\"query\" is not where it belongs")]
    [InlineData("""{ "after": 0, "query": [], "more": 1 }""", "EndObject was expected")]
    [InlineData("null", "StartObject was expected")]
    public void A_forged_condition_is_refused_by_name(string condition, string problem)
    {
        var file = Forgery.Of("""  "data": {}""", $"""  "condition": {condition},{"\n"}  "data": {"{}"}""");

        Assert.Null(EventFile.Read(file, 1, out var refusal));
        Assert.Contains(problem, refusal, StringComparison.Ordinal);
    }

    [Fact]
    public void Only_the_first_event_of_an_append_has_one()
    {
        const string Forged = "\"after\": 0 },\n  \"condition\": { \"after\": 0, \"query\": [] }";
        var text = Forgery.Text("\"after\": 0 }", Forged);
        Assert.NotNull(EventFile.Read(Forgery.Of(Encoding.UTF8.GetBytes(text)), 1, out _));
        var second = text.Replace("\"position\": 1", "\"position\": 2", StringComparison.Ordinal)
            .Replace("\"last\": 1", "\"last\": 2", StringComparison.Ordinal);

        Assert.Null(EventFile.Read(Forgery.Of(Encoding.UTF8.GetBytes(second)), 2, out var problem));
        Assert.Contains("not the first event of its append", problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Reading_a_forged_condition_names_the_event()
    {
        const string Forged = "  \"condition\": {\"after\":0,\"query\":[{}]},\n  \"data\": {}";
        var file = Forgery.Of("""  "data": {}""", Forged);
        var decoder = new DecoderWithoutKeys(new EventSerializer(new EventTypeRegistry(), 1_000));

        var e = EventLine.Read(CanonicalText.Of(file), 1, decoder, takesUnknown: false)!;
        var error = Assert.Throws<EventDataException>(() => e.Condition);
        Assert.Contains("position 1", error.Message, StringComparison.Ordinal);
    }

    private FileSystemEventStore Open() => place.Open(static options => options.KeepConditions = true);

    private static string? Describe(SequencedEvent e) =>
        e.Condition is { } condition ? Encoding.UTF8.GetString(KeptCondition.Of(condition).ToText()) : null;

    // Without lines, all events are read from their files.
    private async Task<List<SequencedEvent>> ReadFilesAsync()
    {
        foreach (var name in place.Names(place.Layout.Log))
        {
            var path = Path.Combine(place.Layout.Log, name);
            if (name.EndsWith(".jsonl", StringComparison.Ordinal))
                place.Patch(path, 0, new byte[place.Bytes(path).Length]);
        }
        return await place.Open().ReadAllAsync();
    }

    private void AssertFile(long position, string line) =>
        Assert.Contains(line, Encoding.UTF8.GetString(place.Bytes(place.Layout.EventFile(position))).Split('\n'));

    private string LogText() =>
        string.Concat(place.Snapshot(place.Layout.Log).Values.OfType<byte[]>().Select(Encoding.UTF8.GetString));
}
