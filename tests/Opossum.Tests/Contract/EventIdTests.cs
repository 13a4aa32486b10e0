using System.Globalization;

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
}
