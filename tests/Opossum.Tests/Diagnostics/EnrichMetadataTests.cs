using System.Diagnostics;
using Opossum.Testing.Simulated;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.Diagnostics;

[Collection(nameof(TelemetryCollection))]
public sealed class EnrichMetadataTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task By_default_nothing_is_added()
    {
        using var request = new Activity("request").Start();
        var store = place.Open();

        Assert.Empty((await AppendAsync(store, Events.New("t"))).Metadata);
    }

    [Fact]
    public async Task Without_an_activity_and_a_cause_there_is_nothing_to_add()
    {
        Assert.Empty((await AppendAsync(Open(), Events.New("t"))).Metadata);
    }

    [Fact]
    public async Task What_is_added_counts_as_metadata_of_the_event()
    {
        var store = place.Open(static options =>
        {
            options.User = static () => new string('u', 1_000);
            options.Advanced.MaxPayloadBytes = 1_000;
        });

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([Events.New("t")], cancellationToken: Cancellation));

        Assert.Contains("Its metadata has more than 1,000 bytes", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_trace_of_the_current_activity_is_added()
    {
        using var request = new Activity("request") { TraceStateString = "vendor=1" }.Start();

        var metadata = (await AppendAsync(Open(), Events.New("t"))).Metadata;
        Assert.Equal(request.Id, metadata[MetadataNames.TraceParent]);
        Assert.Equal("vendor=1", metadata[MetadataNames.TraceState]);
        Assert.Equal(request.TraceId.ToHexString(), metadata[MetadataNames.CorrelationId]);
        Assert.DoesNotContain(MetadataNames.CausationId, metadata.Keys);
    }

    [Fact]
    public async Task An_append_that_is_traced_adds_its_own_activity()
    {
        using var listening = new Listening(place.Root);
        var store = Open();

        var metadata = (await AppendAsync(store, Events.New("t"))).Metadata;
        Assert.Equal(Assert.Single(listening.Activities).Id, metadata[MetadataNames.TraceParent]);
    }

    [Fact]
    public async Task Metadata_of_the_event_win()
    {
        using var request = new Activity("request") { TraceStateString = "vendor=1" }.Start();
        var own = new Dictionary<string, string>
        {
            [MetadataNames.CorrelationId] = "order-7",
            ["user"] = "Jörg \"J\"",
            [MetadataNames.TraceParent] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        };

        var stored = await AppendAsync(Open(), Events.New("t") with { Metadata = own });
        Assert.Equal(own, stored.Metadata);
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task What_is_added_follows_what_the_event_has()
    {
        using var request = new Activity("request").Start();

        var metadata = (await AppendAsync(Open(), Events.New("t") with { Metadata = new Dictionary<string, string> { ["user"] = "Ann" } })).Metadata;
        Assert.Equal(["user", MetadataNames.TraceParent, MetadataNames.CorrelationId], metadata.Keys);
        place.CloseStores();
        place.AssertClean();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_retry_in_another_trace_is_recognised(bool hasMetadata)
    {
        var store = Open();
        var e = Events.New("t") with { Metadata = hasMetadata ? new Dictionary<string, string> { ["user"] = "Ann" } : new() };
        var condition = new AppendCondition(Query.All);
        AppendResult first;
        using (new Activity("first").Start())
            first = await store.AppendAsync(e, condition, Cancellation);

        using (new Activity("second").Start())
            Assert.Equal(first, await store.AppendAsync(e, condition, Cancellation));
        Assert.Equal(first, await place.Open().AppendAsync(e, condition, Cancellation));
        var other = e with { Metadata = new Dictionary<string, string> { ["user"] = "Bob" } };
        await Assert.ThrowsAsync<AppendConditionFailedException>(() => store.AppendAsync(other, condition, Cancellation));
        var more = e with { Metadata = new Dictionary<string, string> { ["user"] = "Ann", ["more"] = "" } };
        await Assert.ThrowsAsync<AppendConditionFailedException>(() => store.AppendAsync(more, condition, Cancellation));
    }

    [Fact]
    public async Task What_follows_from_an_event_names_it_and_keeps_its_correlation()
    {
        var store = Open();
        var placed = await AppendAsync(store, Events.New("placed") with { Metadata = new Dictionary<string, string> { ["correlationId"] = "order-7" } });
        SequencedEvent paid, shipped;
        using (ProcessingScope.Begin(placed))
            paid = await AppendAsync(store, Events.New("paid"));
        using (ProcessingScope.Begin(paid))
            shipped = await AppendAsync(store, Events.New("shipped"));

        Assert.Equal((placed.Id.ToString(), "order-7"), CauseOf(paid));
        Assert.Equal((paid.Id.ToString(), "order-7"), CauseOf(shipped));
        Assert.Empty((await AppendAsync(store, Events.New("t"))).Metadata);
    }

    [Fact]
    public async Task What_follows_from_an_event_without_a_correlation_is_correlated_by_its_id()
    {
        var store = Open();
        var first = await AppendAsync(store, Events.New("first"));
        using var processing = ProcessingScope.Begin(first);

        Assert.Equal((first.Id.ToString(), first.Id.ToString()), CauseOf(await AppendAsync(store, Events.New("second"))));
        Assert.Null(processing.Activity);
    }

    [Fact]
    public async Task A_subscriber_continues_the_trace_of_the_append()
    {
        using var listening = new Listening(place.Root);
        var store = Open();
        await store.AppendAsync(Events.New("placed"), cancellationToken: Cancellation);
        await foreach (var e in store.SubscribeAsync(Query.FromEventTypes("placed"), cancellationToken: Cancellation))
        {
            using var processing = ProcessingScope.Begin(e);
            await store.AppendAsync(Events.New("paid"), cancellationToken: Cancellation);
            break;
        }

        var (append, following) = (listening.Activities[0], listening.Activities[1]);
        var process = Assert.Single(listening.Processings);
        Assert.Equal(("process placed", append.SpanId, append.TraceId), (process.OperationName, process.ParentSpanId, process.TraceId));
        Assert.Equal(append.Context.SpanId, Assert.Single(process.Links).Context.SpanId);
        Assert.Equal(process.SpanId, following.ParentSpanId);
    }

    [Fact]
    public async Task Below_another_activity_the_processing_is_linked_to_the_append()
    {
        using var listening = new Listening(place.Root);
        var placed = await AppendAsync(Open(), Events.New("placed"));
        using (var replay = new Activity("replay").Start())
        {
            using var processing = ProcessingScope.Begin(placed);
            Assert.Equal(replay.SpanId, processing.Activity!.ParentSpanId);
        }

        Assert.Equal(Assert.Single(listening.Activities).SpanId, Assert.Single(Assert.Single(listening.Processings).Links).Context.SpanId);
    }

    [Fact]
    public async Task The_user_is_added_unless_the_event_names_one_and_a_retry_by_another_is_the_same_event()
    {
        string? user = "u7";
        var store = place.Open(options => options.User = () => user);
        var own = Events.New("t") with { Metadata = new Dictionary<string, string> { [MetadataNames.User] = "own" } };
        var once = Events.New("t", "k:1");
        var condition = new AppendCondition(Events.Tagged("k:1"));

        Assert.Equal("u7", (await AppendAsync(store, Events.New("t"))).Metadata[MetadataNames.User]);
        Assert.Equal("own", (await AppendAsync(store, own)).Metadata[MetadataNames.User]);
        var first = await store.AppendAsync(once, condition, Cancellation);
        user = "u8";
        Assert.Equal(first, await store.AppendAsync(once, condition, Cancellation));
        user = null;
        Assert.Empty((await AppendAsync(store, Events.New("t"))).Metadata);
    }

    [Fact]
    public async Task The_user_is_added_to_an_event_that_a_reaction_schedules()
    {
        var store = place.Open(static options => options.User = static () => "u7");
        await using var runner = store.StartReactions([new RecordingReaction(ReactionStart.Beginning, static (context, cancellationToken) =>
            context.ScheduleAsync(DateTimeOffset.MinValue, NewEvent.FromJson("due", "{}"), cancellationToken: cancellationToken))]);
        await store.AppendAsync(RecordingReaction.Placed("a"), cancellationToken: Cancellation);
        await store.Reactions["recording"].WaitForAsync(1, Cancellation);

        await foreach (var e in store.SubscribeAsync(Query.FromEventTypes("due"), cancellationToken: Cancellation))
        {
            Assert.Equal("u7", e.Metadata[MetadataNames.User]);
            break;
        }
    }

    private static (string, string) CauseOf(SequencedEvent e) => (e.Metadata[MetadataNames.CausationId], e.Metadata[MetadataNames.CorrelationId]);

    private static async Task<SequencedEvent> AppendAsync(IEventStore store, NewEvent e)
    {
        var appended = await store.AppendAsync(e, cancellationToken: Cancellation);
        return (await store.ReadAllAsync(options: new ReadOptions { After = appended.FirstPosition - 1 }))[0];
    }

    private FileSystemEventStore Open() => place.Open(options => options.EnrichMetadata = true);
}
