using System.Globalization;
using System.Text;
using Opossum.Testing;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Contract;

/// <summary>The ids that events have unless the app gives them others.</summary>
public sealed class EventIdTests
{
    [Fact]
    public void Ids_are_UUIDs_of_version_7_in_the_order_of_time()
    {
        var begun = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
        var ids = MakeIds(1_000);
        var ended = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();

        Assert.All(ids, id => Assert.Equal((7, 0b10), (id.Version, id.Variant >> 2)));
        var times = ids.Select(id => long.Parse(id.ToString("N")[..12], NumberStyles.HexNumber, CultureInfo.InvariantCulture)).ToArray();
        Assert.Equal(times.Order(), times);
        Assert.All(times, time => Assert.InRange(time, begun, ended));
    }

    [Fact]
    public void Ids_of_several_threads_differ()
    {
        const int Threads = 4, Ids = 20_000;
        var made = new Guid[Threads][];
        var threads = Enumerable.Range(0, Threads).Select(at => new Thread(() => made[at] = MakeIds(Ids))).ToArray();
        Array.ForEach(threads, each => each.Start());
        Array.ForEach(threads, each => each.Join());

        Assert.Equal(Threads * Ids, made.SelectMany(each => each).Distinct().Count());
        // Of ids of one millisecond, too, no part follows from another.
        Assert.Equal(Threads * Ids, made.SelectMany(each => each).Select(id => id.ToString("N")[20..]).Distinct().Count());
    }

    [Fact]
    public void Many_ids_take_few_reads_of_random_bytes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The reads of a thread are counted on Linux.");
        var reads = 0L;
        var thread = new Thread(() =>
        {
            ReadsOfThread();
            var before = ReadsOfThread();
            var looks = ReadsOfThread() - before;
            MakeIds(6_400);
            reads = ReadsOfThread() - before - (2 * looks);
        });
        thread.Start();
        thread.Join();

        // A block is given up after a second, which a slow machine may take.
        Assert.InRange(reads, 0, 400);
    }

    [Fact]
    public async Task An_event_is_found_by_its_id_with_few_reads_although_the_rate_of_events_changes()
    {
        const int Appends = 300, EventsOfAppend = 10;
        using var place = StorePlace.On(VolumeKind.Ext4, new TestClock());
        var (clock, random) = ((TestClock)place.Clock, new Random(Seed.Value));
        var store = place.Open();
        var ids = new List<Guid>();
        for (var append = 0; append < Appends; append++)
        {
            clock.Advance(TimeSpan.FromMilliseconds(append < Appends / 2 ? random.Next(1, 20) : random.Next(1, 100_000)));
            var news = Events.Many(EventsOfAppend).Select(each => each with { Id = Guid.CreateVersion7(clock.GetUtcNow()) }).ToList();
            clock.Advance(TimeSpan.FromMilliseconds(random.Next(3)));
            await store.AppendAsync(news);
            ids.AddRange(news.Select(static each => each.Id));
        }
        var counted = new CountingStore(store);

        foreach (var at in Enumerable.Range(0, 100).Select(_ => random.Next(ids.Count)).Append(0).Append(ids.Count - 1))
        {
            counted.Reads = 0;
            Assert.Equal(at + 1, (await counted.FindAsync(ids[at]))?.Position);
            Assert.InRange(counted.Reads, 1, 20);
        }
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4), 1, 22)]
    [InlineData(nameof(VolumeKind.Ext4), 10, 22)]
    [InlineData(nameof(VolumeKind.Ext4), 300, 26)]
    [InlineData(nameof(VolumeKind.Nfs), 10, 22)]
    public async Task A_store_finds_an_event_by_its_id_with_few_reads(string kind, int eventsInMillisecond, int readsMax)
    {
        const int Events = 3_000;
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind), new TestClock(), shardPositions: 10_000);
        place.Runs = new() { Length = 512, InBackground = false };
        var (clock, random, ids) = ((TestClock)place.Clock, new Random(Seed.Value), new List<Guid>());
        var store = place.Open();
        while (ids.Count < Events)
        {
            // Ten an append, each made in the milliseconds before it.
            var begun = clock.GetUtcNow();
            var made = Enumerable.Range(0, 10).Select(at => Guid.CreateVersion7(begun.AddMilliseconds(at / eventsInMillisecond))).ToList();
            clock.Advance(TimeSpan.FromMilliseconds(ids.Count % eventsInMillisecond == 0 ? 10 / eventsInMillisecond + 1 : 0));
            await store.AppendAsync([.. made.Select(static id => NewEvent.FromJson("t", "{}") with { Id = id })]);
            ids.AddRange(made);
        }
        store.MakeRuns();
        var disk = place.Disk!;
        disk.CountsReads = true;

        foreach (var at in Enumerable.Range(0, 100).Select(_ => random.Next(ids.Count)).Append(0).Append(ids.Count - 1))
        {
            // The second time all pages of the index are in memory.
            Assert.Equal(at + 1, (await store.FindAsync(ids[at]))?.Position);
            var reads = disk.OperationCount;
            Assert.Equal(at + 1, (await store.FindAsync(ids[at]))?.Position);
            Assert.InRange(disk.OperationCount - reads, 1, readsMax);
        }
    }

    [Fact]
    public async Task An_id_that_other_events_mention_is_found_where_it_is_the_events_own()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        var (sought, absent) = (Guid.CreateVersion7(), Guid.CreateVersion7());
        NewEvent[] mentions = [.. Enumerable.Range(0, 5).Select(_ => NewEvent.FromJson("t", $$"""{"of":["{{sought}}","{{absent}}"]}""") with
        {
            Metadata = new Dictionary<string, string> { ["causationId"] = $"{sought}", ["correlationId"] = $"{absent}" },
        })];
        await store.AppendAsync([.. mentions, NewEvent.FromJson("t", "{}") with { Id = sought }, .. Events.Many(5)]);

        Assert.Equal(6, (await store.FindAsync(sought))?.Position);
        Assert.Null(await store.FindAsync(absent));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_event_whose_line_is_damaged_is_found_by_its_id(bool isLogGone)
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 20);
        var news = await AppendInGroupsAsync(place);
        place.CloseStores();
        var store = place.Open();
        var segment = place.Layout.Segment(40);
        if (isLogGone)
            place.Delete(segment);
        else
            place.Put(segment, [.. place.Bytes(segment).Select(static each => each is (byte)'-' ? (byte)'_' : each)]);

        for (var at = 0; at < news.Length; at++)
            Assert.Equal(at + 1, (await store.FindAsync(news[at].Id))?.Position);
        Assert.Null(await store.FindAsync(Guid.CreateVersion7()));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    public async Task Events_beside_one_that_is_lost_are_found_by_their_ids(int lost)
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 20);
        var news = await AppendInGroupsAsync(place);
        place.Seal();
        var file = place.Layout.SealedFile(place.Layout.ShardOf(lost));
        var start = place.Bytes(file).AsSpan().IndexOf(Encoding.UTF8.GetBytes($"{{\"position\":{lost},"));
        place.Patch(file, start + 2, [0xFF, 0xFF]);
        var store = place.Open();

        for (var at = 0; at < news.Length; at++)
        {
            if (at + 1 != lost)
                Assert.Equal(at + 1, (await store.FindAsync(news[at].Id))?.Position);
        }
        Assert.Equal(lost, (await Assert.ThrowsAsync<StoreDamagedException>(() => store.FindAsync(news[lost - 1].Id))).Position);
        await Assert.ThrowsAsync<StoreDamagedException>(() => store.FindAsync(Guid.CreateVersion7()));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_retry_of_an_append_of_which_an_event_is_lost_is_not_reported_as_a_conflict(int lost)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        NewEvent[] news = [NewEvent.FromJson("a", "{}"), NewEvent.FromJson("b", "{}")];
        var condition = new AppendCondition(Query.FromEventTypes("a"));
        var stored = await store.AppendAsync(news, condition);
        Assert.Equal(stored, await store.AppendAsync(news, condition));
        var segment = place.Layout.Segment(0);
        place.Patch(segment, place.Bytes(segment).AsSpan().IndexOf(Encoding.UTF8.GetBytes($"\"type\":\"{news[lost - 1].Type}\"")), new byte[4]);
        place.Delete(place.Layout.EventFile(lost));

        var error = await Assert.ThrowsAsync<StoreDamagedException>(() => store.AppendAsync(news, condition));

        Assert.Equal(lost, error.Position);
        Assert.Contains("it may have been made before", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lost_event_is_a_conflict_to_an_append_of_which_the_condition_matches_no_event()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync(NewEvent.FromJson("a", "{}"));
        var segment = place.Layout.Segment(0);
        place.Patch(segment, place.Bytes(segment).AsSpan().IndexOf("\"type\":\"a\""u8), new byte[4]);
        place.Delete(place.Layout.EventFile(1));

        var error = await Assert.ThrowsAsync<AppendConditionFailedException>(
            () => store.AppendAsync(NewEvent.FromJson("b", "{}"), new AppendCondition(Query.FromEventTypes("a"))));

        Assert.Equal(1, error.ConflictingPosition);
    }

    [Fact]
    public async Task Events_of_sealed_folders_of_the_journal_and_of_readers_without_an_index_are_found_by_their_ids()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 20);
        var news = Events.Many(150);
        foreach (var batch in news[..110].Chunk(11))
            await place.Open().AppendAsync(batch);
        place.Seal();
        var store = place.Open(static options => options.UseJournal = true);
        foreach (var batch in news[110..].Chunk(10))
            await store.AppendAsync(batch);

        await AssertFoundAsync(store);
        place.CloseStores();
        place.Delete(place.Layout.IndexFile);
        await AssertFoundAsync(place.Open(static options => options.ReadOnly = true));

        async Task AssertFoundAsync(FileSystemEventStore store)
        {
            for (var at = 0; at < news.Length; at++)
                Assert.Equal(at + 1, (await store.FindAsync(news[at].Id))?.Position);
        }
    }

    private static Guid[] MakeIds(int count)
    {
        var ids = new Guid[count];
        for (var at = 0; at < count; at++)
            ids[at] = NewEvent.FromJson("t", "{}").Id;
        return ids;
    }

    private static async Task<NewEvent[]> AppendInGroupsAsync(StorePlace place)
    {
        var news = Events.Many(90);
        foreach (var group in news.Chunk(9))
            await place.Open().AppendAsync(group);
        return news;
    }

    private static long ReadsOfThread() => long.Parse(
        File.ReadAllLines("/proc/thread-self/io").Single(line => line.StartsWith("syscr: ", StringComparison.Ordinal))["syscr: ".Length..],
        CultureInfo.InvariantCulture);

    private sealed class CountingStore(IEventStore store) : ForwardingStore(store)
    {
        public int Reads { get; set; }

        public override EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default)
        {
            Reads++;
            return base.ReadAsync(query, options, cancellationToken);
        }
    }
}
