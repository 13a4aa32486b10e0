using System.Text.Json;
using System.Text.Json.Serialization;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>What happens to stored states when their class has changed, and the projection's version was not raised.</summary>
public sealed class ChangedStateTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly ProjectionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(1), MaxRetryAttempts = 0 };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact(Timeout = HangMilliseconds)]
    public async Task State_with_a_renamed_member_is_refused_and_stops_its_projection_until_the_version_is_raised()
    {
        var store = await BuildAsync();
        await using (store.StartProjections([new Rooms<Renamed>(static _ => new Renamed("r1", 4))], quick))
        {
            var rooms = store.Projections.Get<Renamed>();
            var refusal = await Assert.ThrowsAsync<ProjectionException>(() => rooms.GetAsync("r1", Cancellation));
            Assert.NotNull(refusal.Path);
            Assert.Contains("'beds'", refusal.Message, StringComparison.Ordinal);

            await store.AppendAsync(Events.New("built", "room:r1"), cancellationToken: Cancellation);
            var stopped = await Assert.ThrowsAsync<ProjectionException>(() => rooms.WaitForAsync(2, Cancellation));
            Assert.Contains("raise the projection's version", stopped.Fault!.Error, StringComparison.Ordinal);
        }
        await using var raised = store.StartProjections([new Rooms<Renamed>(static _ => new Renamed("r1", 4), version: 2)], quick);
        await store.Projections.Get<Renamed>().WaitForAsync(2, Cancellation);

        Assert.Equal(new Renamed("r1", 4), await store.Projections.Get<Renamed>().GetAsync("r1", Cancellation));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task State_with_an_unknown_member_or_without_a_required_one_is_refused()
    {
        var store = await BuildAsync();

        await RefusedAsync<Dropped>("'beds'");
        await RefusedAsync<Larger>("'floor'");
        await RefusedAsync<Marked>("'floor'");

        async Task RefusedAsync<TState>(string member)
            where TState : class
        {
            await using var running = store.StartProjections([new Rooms<TState>(static state => state)], quick);
            var refusal = await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<TState>().GetAsync("r1", Cancellation));
            Assert.Contains(member, refusal.Message, StringComparison.Ordinal);
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task What_a_class_can_do_without_may_be_missing_and_what_it_holds_or_passes_over_may_be_unknown()
    {
        var store = await BuildAsync();

        Assert.Equal(new Grown("r1", 2, null), await ReadAsync<Grown>());
        Assert.Equal(2, (await ReadAsync<Holding>())?.Others?["beds"].GetInt32());
        Assert.Equal(new Lenient("r1"), await ReadAsync<Lenient>());

        async Task<TState?> ReadAsync<TState>()
            where TState : class
        {
            await using var running = store.StartProjections([new Rooms<TState>(static state => state)], quick);
            return await store.Projections.Get<TState>().GetAsync("r1", Cancellation);
        }
    }

    private async Task<FileSystemEventStore> BuildAsync()
    {
        var store = place.Open();
        await store.AppendAsync(Events.New("built", "room:r1"), cancellationToken: Cancellation);
        await using var running = store.StartProjections([new Rooms<Room>(static _ => new Room("r1", 2))], quick);
        await store.Projections.Get<Room>().WaitForAsync(1, Cancellation);
        return store;
    }

    private sealed class Rooms<TState> : Projection<TState>
        where TState : class
    {
        public Rooms(Func<TState?, TState?> next, int version = 1)
            : base("rooms", version) => On("built", static e => e.Tags[0].Value, (state, _) => next(state));
    }

    private sealed record Room(string Id, int Beds);

    private sealed record Renamed(string Id, int Places);

    private sealed record Dropped(string Id);

    private sealed record Larger(string Id, int Beds, int Floor);

    private sealed record Marked(string Id, int Beds)
    {
        public required int Floor { get; init; }
    }

    private sealed record Grown(string Id, int Beds, string? Name, int Doors = 3)
    {
        public string View { get; init; } = "garden";

        public int Windows { get; set; }
    }

    private sealed record Holding(string Id)
    {
        [JsonExtensionData]
        public Dictionary<string, JsonElement>? Others { get; init; }
    }

    [JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Skip)]
    private sealed record Lenient(string Id);
}
