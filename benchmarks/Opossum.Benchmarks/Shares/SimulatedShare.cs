using Opossum.Benchmarks.Contenders;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Storage.Replicas;
using Opossum.Testing.Simulated;

namespace Opossum.Benchmarks.Shares;

/// <summary>A store on a simulated SMB share, used by one machine or two, and the cost of its work there.</summary>
internal sealed class SimulatedShare
{
    public const string LoneAppend = "lone append";

    private const string Root = "/share/store", Replica = "/share/replica";
    private const int LoneAppends = 20, Groups = 10, GroupEvents = 50, BurstEvents = 30, StoredEvents = 10_000;

    // A lone append comes after a time without work, when the client's cached names and lengths are stale.
    private static readonly TimeSpan idling = 2 * ShareClient.Staleness;

    private readonly SimulatedClock clock = new();
    private readonly SimulatedDisk disk;
    private readonly ShareServer server = new();
    private readonly RoundTrips trips;
    private readonly RoundTrips othersTrips;
    private readonly bool isShared;

    public SimulatedShare(bool isShared, TimeSpan roundTrip)
    {
        this.isShared = isShared;
        disk = new SimulatedDisk(VolumeKind.Smb, clock);
        disk.Attach().CreateFolder("/share");
        trips = new RoundTrips(clock, roundTrip);
        othersTrips = new RoundTrips(clock, TimeSpan.Zero);
    }

    public async Task<IReadOnlyList<ShareCost>> MeasureAsync()
    {
        await using var other = isShared ? Open(othersTrips) : null;
        var feed = new EventFeed(StoredEvents);
        var costs = new List<ShareCost>();
        await using (var store = Open(trips))
        {
            await store.AppendAsync(feed.Take(1));
            costs.Add(await MeasureAsync(LoneAppend, bound: 10, LoneAppends, 1, async () =>
            {
                clock.Advance(idling);
                return await TimeAsync(() => store.AppendAsync(feed.Take(1)));
            }));
            costs.Add(await MeasureAsync($"an event of a group of {GroupEvents}", bound: 5, Groups, GroupEvents,
                () => TimeAsync(() => store.AppendAsync(feed.Take(GroupEvents)))));
            await store.AppendAsync(feed.Take(StoredEvents - feed.Digest.Events));
        }
        // A machine that has just opened the store, so its cache holds none of the events.
        await using var reader = Open(trips);
        costs.Add(await MeasureAsync($"query of {EventFeed.EventsPerMachine:N0} of {StoredEvents:N0} events by tag", bound: 3, 1, 1,
            () => TimeAsync(async () =>
        {
            var found = 0;
            await foreach (var _ in reader.ReadAsync(Query.FromTags(EventFeed.Machine(1))))
                found++;
            if (found != EventFeed.EventsPerMachine)
                throw new InvalidDataException($"The query found {found} events, not {EventFeed.EventsPerMachine}.");
        })));
        costs.Add(await MeasureFollowingAsync());
        return costs;
    }

    // Appends of other machines, which cost nothing here, and then a step of the follower, which finds both folders on shares.
    private async Task<ShareCost> MeasureFollowingAsync()
    {
        await using var writer = Open(othersTrips);
        var client = new ShareClient(disk.Attach(), server, trips, clock);
        using var follower = new ReplicaFollower(client, new StoreLayout(Root), Replica, new ReplicaOptions(), clock, progress: null,
            CancellationToken.None);
        Follow();
        var feed = new EventFeed(Groups * BurstEvents);
        return await MeasureAsync($"an event of a burst of {BurstEvents}, followed", bound: 150, Groups, BurstEvents, async () =>
        {
            for (var at = 0; at < BurstEvents; at++)
                await writer.AppendAsync(feed.Take(1));
            clock.Advance(idling);
            return await TimeAsync(() =>
            {
                Follow();
                return Task.CompletedTask;
            });
        });

        void Follow()
        {
            do
            {
                if (follower.Step() is { Problem: { } problem })
                    throw new InvalidDataException(problem);
            } while (follower.HasMore);
        }
    }

    // Runs of the index are made by another thread, while nobody waits: not counted.
    private FileSystemEventStore Open(RoundTrips ownTrips) =>
        FileSystemEventStore.Open(new OpossumOptions { TimeProvider = new TimerlessClock(clock) },
            new ShareClient(disk.Attach(), server, ownTrips, clock), Root, runs: new RunSettings { InBackground = false });

    private async Task<ShareCost> MeasureAsync(string work, double bound, int times, int events, Func<Task<TimeSpan>> workAsync)
    {
        trips.Clear();
        var elapsed = TimeSpan.Zero;
        for (var at = 0; at < times; at++)
            elapsed += await workAsync();
        double Share(int count) => count / (double)(times * events);
        return new ShareCost(work, isShared, Share(trips.Count), elapsed / times, bound,
            [.. trips.ByOperation.OrderByDescending(each => each.Value).ThenBy(each => each.Key,
                StringComparer.Ordinal).Select(each => (each.Key, Share(each.Value)))]);
    }

    private async Task<TimeSpan> TimeAsync(Func<Task> work)
    {
        var started = clock.GetTimestamp();
        await work();
        return clock.GetElapsedTime(started);
    }
}
