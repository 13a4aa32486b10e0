using System.Globalization;
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

    private static Guid[] MakeIds(int count)
    {
        var ids = new Guid[count];
        for (var at = 0; at < count; at++)
            ids[at] = NewEvent.FromJson("t", "{}").Id;
        return ids;
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
