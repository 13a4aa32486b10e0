using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Projections;

/// <summary>
/// A tag log of which something is damaged or missing: states are found all the same, by whoever looks for them, until they and their log are
/// built again. What a crash has cut off at its end is no damage.
/// </summary>
public sealed class TagLogTests
{
    private const int Keys = 40;

    // From one bit that is flipped to the next, in bytes.
    private const int Step = 211;

    private static readonly Tag odd = new("parity", "odd");

    [Fact]
    public void Any_flipped_bit_is_noticed_by_readers_in_every_process_and_the_states_are_built_again()
    {
        var length = Logs(Built()).Single().Length;
        for (var at = new Random(Seed.Value).Next(Step); at < length; at += Step)
        {
            var leader = Built();
            Flip(leader, Logs(leader).Single().Path, at);
            AssertFound(leader.Client.Disk, at);
            Assert.True(Requests(leader).Count == 1, $"Bit at {at}: the states are not to be built again.");
            leader.Run();
            Assert.Empty(Requests(leader));
            leader.CheckExact();
            Assert.Equal(Keys, new SteppedProjection(leader.Client.Disk.Attach()).Find(odd).Count);
            Assert.Empty(Requests(leader));
        }
    }

    [Theory]
    [InlineData("cut")]
    [InlineData("empty")]
    [InlineData("missing")]
    [InlineData("zeros")]
    public void Log_that_lacks_something_is_noticed(string what)
    {
        var leader = Built();
        var (path, length) = Logs(leader).Single();
        using (var file = leader.Client.Open(path, FileOpening.ReadWrite)!)
        {
            if (what == "zeros")
                file.Write(new byte[length], 0);
            else
                file.SetLength(what == "cut" ? length - 1 : 0);
        }
        if (what == "missing")
            leader.Client.Delete(path);
        AssertFound(leader.Client.Disk, 0);
        leader.Run();
        leader.CheckExact();
    }

    [Fact]
    public void Leader_without_the_former_lock_file_overwrites_no_log_of_which_only_the_checkpoint_knows()
    {
        var process = Built();
        // One that merges the logs takes a further number for the merged one.
        for (var term = 0; term < 10; term++)
        {
            process.Append(Counts.Counted($"term{term}"));
            process.Run();
            process.Client.Kill();
            var client = process.Client.Disk.Attach();
            client.Delete(process.Layout.LockFile);
            process = new SteppedProjection(client);
            process.Run();
            process.CheckExact();
        }
    }

    [Fact]
    public void Reader_that_may_not_write_finds_all_and_changes_nothing()
    {
        var leader = Built();
        Flip(leader, Logs(leader).Single().Path, 1_000);
        leader.Client.Kill();
        using var place = StorePlace.On(leader.Client.Disk);
        var before = place.Snapshot();
        var reader = new SteppedProjection(leader.Client.Disk.Attach(), readOnly: true);
        Assert.Equal(Keys, reader.Find(odd).Count);
        Assert.Equal(Keys, reader.Find(odd).Count);
        Assert.Equal(before, place.Snapshot());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(6)]
    public void Damage_in_what_is_to_be_merged_has_the_states_built_again(int segment)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        for (var term = 0; term < 7; term++)
        {
            var leader = new SteppedProjection(disk.Attach());
            leader.Append(Counts.Counted($"k{term}"));
            leader.Run();
            if (term == 6)
                Flip(leader, Logs(leader)[segment].Path, 20);
            leader.Client.Kill();
        }
        Assert.Equal(7, new SteppedProjection(disk.Attach(), readOnly: true).Find(odd).Count);
        var next = new SteppedProjection(disk.Attach());
        next.Run();
        next.CheckExact();
        Assert.Single(Logs(next));
    }

    [Fact]
    public void A_stop_does_not_wait_until_logs_are_merged()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        for (var term = 0; term < 7; term++)
        {
            var leader = new SteppedProjection(disk.Attach());
            leader.Append(Counts.Counted($"k{term}"));
            leader.Run();
            leader.Client.Kill();
        }
        using var stop = new CancellationTokenSource();
        var stopped = new SteppedProjection(disk.Attach());
        var read = 0;
        stopped.Client.BeforeOperation = operation =>
        {
            if (operation.Path.Contains("/tags.", StringComparison.Ordinal) && operation.Kind == OperationKind.Read && ++read == 3)
                stop.Cancel();
        };

        Assert.ThrowsAny<OperationCanceledException>(() => stopped.Run(stop.Token));

        stopped.Client.BeforeOperation = null;
        Assert.Equal(7, Logs(stopped).Count);
        stopped.Client.Kill();
        var next = new SteppedProjection(disk.Attach());
        next.Run();
        next.CheckExact();
        Assert.Single(Logs(next));
    }

    [Fact]
    public void Merged_log_has_the_tags_of_the_states_that_there_are_and_no_others()
    {
        const int Terms = 40, Alive = 8;
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        for (var term = 1; term <= Terms; term++)
        {
            var leader = new SteppedProjection(disk.Attach());
            leader.Append(Counts.Counted("changed", $"k{term}"));
            leader.Run();
            leader.Append(Counts.Deleted("changed", $"k{term - Alive}"));
            leader.Run();
            leader.CheckExact();
            leader.Client.Kill();
        }
        var next = new SteppedProjection(disk.Attach());
        next.Run();

        next.CheckExact();
        Assert.InRange(Logs(next).Sum(each => Lines(next, each.Path)), Alive, 3 * Alive);
    }

    [Theory]
    [InlineData("Ext4")]
    [InlineData("Btrfs")]
    [InlineData("Posix")]
    public void State_that_a_power_cut_takes_back_after_its_log_was_merged_is_found(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        for (var term = 1; term <= 7; term++)
        {
            var leader = new SteppedProjection(disk.Attach());
            leader.Append(Counts.Counted("a", $"k{term}"));
            leader.Run();
            leader.Append(Counts.Counted("a"));
            var isMoved = false;
            leader.Client.BeforeOperation = operation =>
            {
                // The states have their final names, which are not durable.
                if (term == 7 && isMoved && operation.Kind != OperationKind.Move)
                    leader.Client.Kill();
                isMoved |= operation.Kind == OperationKind.Move;
            };
            Attempt.UntilTheEnd(leader.Run);
            leader.Client.Kill();
        }
        var next = new SteppedProjection(disk.Attach());
        next.Client.BeforeOperation = operation =>
        {
            if (operation.Path.Contains("/staging", StringComparison.Ordinal))
                next.Client.Kill();
        };
        Attempt.UntilTheEnd(next.Run);

        var reader = new SteppedProjection(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)).Attach());

        reader.CheckFound();
    }

    [Theory]
    [InlineData("half a li")]
    [InlineData("00000000 {}\n")]
    [InlineData("\n\n")]
    public void What_a_crash_has_left_at_the_end_is_no_damage(string rest)
    {
        var leader = Built();
        var (path, length) = Logs(leader).Single();
        using (var file = leader.Client.Open(path, FileOpening.ReadWrite)!)
            file.Write(System.Text.Encoding.ASCII.GetBytes(rest), length);
        AssertFound(leader.Client.Disk, 0);
        Assert.Empty(Requests(leader));
        leader.Client.Kill();
        var next = new SteppedProjection(leader.Client.Disk.Attach());
        next.Append(Counts.Counted("k0"), Counts.Counted("more"));
        next.Run();
        next.CheckExact();
        Assert.Empty(Requests(next));
    }

    [Fact(Timeout = 120_000)]
    public async Task Log_that_is_longer_than_a_segment_may_grow_is_gone_on_with()
    {
        LongTests.SkipUnlessAsked();
        const int keys = 7_000;
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        for (var round = 1; round <= 3; round++)
        {
            var store = place.Open();
            await store.AppendAsync([.. Enumerable.Range(0, round == 1 ? keys : 2).Select(n => Counts.Counted($"k{n}"))],
                cancellationToken: TestContext.Current.CancellationToken);
            await using (var runner = store.StartProjections([new LongTags()]))
            {
                await store.Projections.Get<Count>().WaitForAsync(await store.GetHeadAsync(), TestContext.Current.CancellationToken);
                Assert.Equal(["k1"],
                    (await store.Projections.Get<Count>().FindAsync([LongTags.TagOf(new Count(round, 2))]).ToListAsync()).Select(state => state.Key));
            }
            place.CloseStores();
        }
    }

    private static SteppedProjection Built()
    {
        var leader = new SteppedProjection(new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()).Attach(), cachedStatesMax: 200);
        leader.Append([.. Enumerable.Range(0, Keys).Select(n => Counts.Counted($"k{n}"))]);
        leader.Run();
        return leader;
    }

    private static void AssertFound(SimulatedDisk disk, int at)
    {
        foreach (var readOnly in (bool[])[true, false])
        {
            var reader = new SteppedProjection(disk.Attach(), readOnly: readOnly);
            for (var times = 0; times < 2; times++)
                Assert.True(reader.Find(odd).Count == Keys, $"Bit at {at}: {reader.Find(odd).Count} of {Keys} states were found.");
        }
    }

    private static void Flip(SteppedProjection process, string path, long at)
    {
        using var file = process.Client.Open(path, FileOpening.ReadWrite)!;
        var octet = new byte[1];
        file.Read(octet, at);
        octet[0] ^= (byte)(1 << (int)(at % 8));
        file.Write(octet, at);
    }

    private static List<(string Path, long Length)> Logs(SteppedProjection process)
    {
        var (live, found) = (process.Live, new List<(string, long)>());
        foreach (var name in process.Client.List(live.Folder).Where(name => Generation.TryParseTagLog(name, out _)).Order())
        {
            using var file = process.Client.Open(Path.Combine(live.Folder, name), FileOpening.Read)!;
            found.Add((Path.Combine(live.Folder, name), file.GetLength()));
        }
        return found;
    }

    private static int Lines(SteppedProjection process, string path)
    {
        var lines = 0;
        Assert.NotNull(TagLog.Read(process.Client, path, 0, long.MaxValue, 1024, (_, _, _) => lines++));
        return lines;
    }

    private static List<Guid> Requests(SteppedProjection process) => LeaderRequest.List(process.Client, process.Layout);

    /// <summary>7,000 of these make a log of 70 MB.</summary>
    private sealed class LongTags : Projection<Count>
    {
        public LongTags()
            : base("long-tags")
        {
            On("counted", e => [e.Tags[0].Value], (count, e) => new Count((count?.Number ?? 0) + 1, count?.First ?? e.Position));
            TagBy(count => [TagOf(count)]);
        }

        public static Tag TagOf(Count count) => new("long", $"{count.Number}-{count.First}{new string('x', 9_900)}");
    }
}
