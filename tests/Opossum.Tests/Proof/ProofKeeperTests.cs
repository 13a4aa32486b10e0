using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Proof;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Subscriptions;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Proof;

/// <summary>A store that keeps the proof of its history while it is open.</summary>
public sealed class ProofKeeperTests : IDisposable
{
    private readonly HandDrivenClock clock = new();
    private readonly ProofKey key = ProofKey.Create("shop.example");
    private readonly StorePlace place;

    public ProofKeeperTests() => place = StorePlace.On(VolumeKind.Ext4, clock);

    public void Dispose()
    {
        place.Dispose();
        key.Dispose();
    }

    [Fact]
    public async Task Checkpoints_are_written_on_time_to_the_store_and_its_witnesses_when_events_were_appended()
    {
        place.CreateFolder("/witness");
        var options = new ProofOptions { Key = key, CheckpointInterval = TimeSpan.FromMinutes(10), Witnesses = { "/witness" } };
        var store = place.Open(each => each.Proof = options);
        await AppendAsync(store, 300);

        clock.Advance(TimeSpan.FromMinutes(10));
        var first = Checkpoints();
        clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal(first, Checkpoints());
        await AppendAsync(store, 1);
        clock.Advance(TimeSpan.FromMinutes(10));

        Assert.Equal([300, 301], Checkpoints().Select(each => ProofCheckpoint.Parse(each, key.Verifier).Position));
        using var files = place.Attach();
        foreach (var text in Checkpoints())
        {
            var checkpoint = ProofCheckpoint.Parse(text, key.Verifier);
            Assert.True(StoreProof.Verify(files, place.Layout, [checkpoint], null, CancellationToken.None).IsIntact);
        }
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task A_store_that_is_open_for_less_than_the_interval_at_a_time_has_checkpoints_too()
    {
        var interval = TimeSpan.FromMinutes(60);
        var written = new List<long?>();
        for (var opening = 0; opening < 4; opening++)
        {
            var store = place.Open(each => each.Proof = new ProofOptions { Key = key, CheckpointInterval = interval });
            await AppendAsync(store, 1);
            clock.Advance(interval / 4);
            written.Add((await store.GetStatusAsync()).Proof!.CheckpointPosition);
            clock.Advance(interval / 4);
            written.Add((await store.GetStatusAsync()).Proof!.CheckpointPosition);
            place.CloseStores();
        }

        // The next one an interval after the last.
        Assert.Equal([1, 1, 1, 1, 3, 3, 3, 3], written);
    }

    // The older one proves the same events since an earlier time.
    [Fact]
    public async Task A_checkpoint_of_the_same_events_stays_as_it_is_at_each_opening()
    {
        place.CreateFolder("/witness");
        var options = new ProofOptions { Key = key, CheckpointInterval = TimeSpan.FromMinutes(10), Witnesses = { "/witness" } };
        await AppendAsync(place.Open(each => each.Proof = options), 3);
        clock.Advance(TimeSpan.FromMinutes(10));
        var (first, ofStore) = (Checkpoints(), place.Bytes(place.Layout.ProofCheckpoint));
        place.CloseStores();

        place.CreateFolder("/second");
        options.Witnesses.Add("/second");
        var store = place.Open(each => each.Proof = options);
        clock.Advance(TimeSpan.FromMinutes(20));

        Assert.Equal(first, Checkpoints());
        Assert.Equal(ofStore, place.Bytes(place.Layout.ProofCheckpoint));
        Assert.Equal([3L, 3L], (await store.GetStatusAsync()).Proof!.Witnesses.Select(static each => each.Position));
        place.CloseStores();

        // Not if it has the signature of a former key.
        using var other = ProofKey.Create("shop.example");
        place.Open(each => each.Proof = new ProofOptions { Key = other, CheckpointInterval = options.CheckpointInterval, Witnesses = { "/witness" } });
        clock.Advance(TimeSpan.FromMinutes(20));
        Assert.Equal(3, ProofCheckpoint.Parse(Assert.Single(Checkpoints()), other.Verifier).Position);
    }

    [Fact]
    public async Task A_checkpoint_with_a_forged_time_keeps_no_store_from_opening()
    {
        var options = new ProofOptions { Key = key, CheckpointInterval = TimeSpan.FromMinutes(10) };
        await AppendAsync(place.Open(each => each.Proof = options), 1);
        clock.Advance(TimeSpan.FromMinutes(10));
        place.CloseStores();
        var lines = System.Text.Encoding.UTF8.GetString(place.Bytes(place.Layout.ProofCheckpoint)).Split('\n');
        var year = $"{clock.GetUtcNow():yyyy}-";
        var forged = Array.ConvertAll(lines, line => line.Replace(year, "9999-", StringComparison.Ordinal));
        Assert.NotEqual(lines, forged);
        place.Put(place.Layout.ProofCheckpoint, System.Text.Encoding.UTF8.GetBytes(string.Join('\n', forged)));

        var store = place.Open(each => each.Proof = options);

        Assert.Equal(9999, (await store.GetStatusAsync()).Proof!.CheckpointTime!.Value.Year);
    }

    // The system's timers are set for at most 49 days.
    [Fact]
    public async Task The_longest_interval_is_one_that_the_systems_clock_can_wait()
    {
        using var folder = StorePlace.InFolder();
        var store = folder.Open(each => each.Proof = new ProofOptions { Key = key, CheckpointInterval = TimeSpan.FromDays(31) });
        await AppendAsync(store, 1);

        Assert.Null((await store.GetStatusAsync()).Proof!.Problem);
    }

    // It would look like a history that was cut off.
    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Posix))]
    public async Task A_checkpoint_covers_no_event_that_a_power_cut_takes(string kind)
    {
        using var unflushed = StorePlace.On(Enum.Parse<VolumeKind>(kind), clock);
        var store = unflushed.Open(each =>
        {
            each.FlushEventsImmediately = false;
            each.Proof = new ProofOptions { Key = key, CheckpointInterval = TimeSpan.FromSeconds(1) };
        });
        clock.Advance(TimeSpan.FromSeconds(0.5));
        await AppendAsync(store, 3);
        // The events themselves are flushed later.
        clock.Advance(TimeSpan.FromSeconds(0.5));

        using var left = StorePlace.On(unflushed.Disk!.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
        Assert.Equal(3, await left.Open().GetHeadAsync());
        left.CloseStores();
        left.AssertClean();
    }

    [Fact]
    public async Task Appends_continue_when_a_witness_is_gone_or_the_history_was_changed()
    {
        var options = new ProofOptions { Key = key, CheckpointInterval = TimeSpan.FromMinutes(10), Witnesses = { "/gone" } };
        var store = place.Open(each => each.Proof = options);
        await AppendAsync(store, 3);
        clock.Advance(TimeSpan.FromMinutes(10));
        Assert.True(place.Exists(place.Layout.ProofCheckpoint));

        place.Put(place.Layout.ProofCheckpoint, "nonsense"u8);
        await AppendAsync(store, 3);
        clock.Advance(TimeSpan.FromMinutes(10));

        Assert.Equal("nonsense"u8, place.Bytes(place.Layout.ProofCheckpoint));
        await AppendAsync(store, 1);
        Assert.Equal(7, await store.GetHeadAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_witness_that_was_full_or_gone_gets_the_next_checkpoint_though_no_event_follows(bool isFull)
    {
        var logs = new Logs();
        var options = new ProofOptions { Key = key, CheckpointInterval = TimeSpan.FromMinutes(10), Witnesses = { "/witness", "/second" } };
        place.CreateFolder("/second");
        if (isFull)
            place.CreateFolder("/witness");
        place.Disk!.Fail(new Fault
        {
            When = each => isFull && each.Changes && each.Path.StartsWith("/witness", StringComparison.Ordinal),
            Error = FileError.DiskFull,
            Lasts = true,
        });
        var store = place.Open(each =>
        {
            each.Proof = options;
            each.LoggerFactory = logs;
        });
        await AppendAsync(store, 3);
        clock.Advance(TimeSpan.FromMinutes(10));
        await AppendAsync(store, 1);
        clock.Advance(TimeSpan.FromMinutes(10));

        var problems = logs.Lines.Where(static line => line.Id > 2).ToList();
        Assert.Equal([31, 31], problems.Select(static line => line.Id));
        Assert.All(problems, static line => Assert.Contains("/witness", line.Text, StringComparison.Ordinal));
        Assert.Equal(2, place.Snapshot("/second").Values.Count(static bytes => bytes is not null));

        place.Disk.Mend();
        place.CreateFolder("/witness");
        clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal(4, ProofCheckpoint.Parse(Assert.Single(Checkpoints()), key.Verifier).Position);
        clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal(2, logs.Lines.Count(static line => line.Id > 2));
    }

    [Fact]
    public async Task The_status_says_where_the_last_checkpoint_was_written_and_when_and_why_not_elsewhere()
    {
        place.CreateFolder("/witness");
        var options = new ProofOptions { Key = key, CheckpointInterval = TimeSpan.FromMinutes(10), Witnesses = { "/witness", "/gone" } };
        var store = place.Open(each => each.Proof = options);
        await AppendAsync(store, 3);
        var before = (await store.GetStatusAsync()).Proof!;
        Assert.Equal(((long?)null, (string?)null), (before.CheckpointPosition, before.Problem));
        Assert.Equal([new ProofWitnessStatus { Folder = "/witness", Position = null, Time = null, Problem = null }, new ProofWitnessStatus
        {
            Folder = "/gone",
            Position = null,
            Time = null,
            Problem = null,
        }], before.Witnesses);

        clock.Advance(TimeSpan.FromMinutes(10));
        var time = clock.GetUtcNow();
        var proof = (await store.GetStatusAsync()).Proof!;
        Assert.Equal((3L, time, (string?)null), (proof.CheckpointPosition, proof.CheckpointTime, proof.Problem));
        Assert.Equal(new ProofWitnessStatus { Folder = "/witness", Position = 3, Time = time, Problem = null }, proof.Witnesses[0]);
        Assert.Equal(("/gone", (long?)null), (proof.Witnesses[1].Folder, proof.Witnesses[1].Position));
        Assert.Contains("/gone", proof.Witnesses[1].Problem, StringComparison.Ordinal);

        // A witness that had one, and is gone now.
        place.CreateFolder("/gone");
        await AppendAsync(store, 1);
        clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal([4L, 4L], (await store.GetStatusAsync()).Proof!.Witnesses.Select(static each => each.Position));
        place.Disk!.Fail(new Fault
        {
            When = static each => each.Path.StartsWith("/witness", StringComparison.Ordinal),
            Error = FileError.NotFound,
            Lasts = true,
        });
        await AppendAsync(store, 1);
        clock.Advance(TimeSpan.FromMinutes(10));
        var lost = (await store.GetStatusAsync()).Proof!;
        Assert.Equal([4L, 5L], lost.Witnesses.Select(static each => each.Position));
        Assert.Equal([true, false], lost.Witnesses.Select(static each => each.Problem is not null));
    }

    [Fact(Timeout = 60_000)]
    public async Task The_status_says_that_no_checkpoint_can_be_written_until_one_is()
    {
        var options = new ProofOptions { Key = key, CheckpointInterval = TimeSpan.FromMinutes(10) };
        var store = place.Open(each => each.Proof = options);
        await AppendAsync(store, 3);
        place.Put(place.Layout.ProofCheckpoint, "nonsense"u8);
        clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Contains("is not a checkpoint", (await store.GetStatusAsync()).Proof!.Problem, StringComparison.Ordinal);

        // The tree is extended in the background, which says nothing of the checkpoint.
        await AppendAsync(store, 5_000);
        while (!place.Exists(place.Layout.ProofFile(new Tile(0, 15).Path())))
            await Task.Yield();
        Assert.Contains("is not a checkpoint", (await store.GetStatusAsync()).Proof!.Problem, StringComparison.Ordinal);

        place.Delete(place.Layout.ProofCheckpoint);
        clock.Advance(TimeSpan.FromMinutes(10));
        var proof = (await store.GetStatusAsync()).Proof!;
        Assert.Equal((5_003L, (string?)null), (proof.CheckpointPosition, proof.Problem));
        place.CloseStores();
        Assert.Null((await place.Open().GetStatusAsync()).Proof);
    }

    private List<string> Checkpoints()
    {
        using var files = place.Attach();
        var names = files.List("/witness").Order(StringComparer.Ordinal);
        return [.. names.Select(name => System.Text.Encoding.UTF8.GetString(place.Bytes($"/witness/{name}")))];
    }

    private static async Task AppendAsync(FileSystemEventStore store, int count)
    {
        for (var at = 0; at < count; at += 50)
            await store.AppendAsync([.. Enumerable.Range(at, Math.Min(50, count - at)).Select(static each => New("counted", $"number:{each}"))]);
    }
}
