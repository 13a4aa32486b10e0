using Opossum.FileSystem;
using Opossum.Projections.States;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Projections;

/// <summary>What a projection costs: how often it writes, how often it flushes, how much it keeps in memory.</summary>
public sealed class ProjectionWritingTests
{
    [Fact]
    public void Many_events_to_one_key_are_one_write()
    {
        var process = Running(VolumeKind.Ext4);
        process.Append([.. Enumerable.Range(0, 500).Select(_ => Counts.Counted("a"))]);
        var trace = Trace(process, process.Run);
        Assert.Single(trace, operation => operation.Kind == OperationKind.Move && operation.To!.EndsWith("/a.json", StringComparison.Ordinal));
        Assert.Equal(500, process.ReadAll()["a"].State.Number);
    }

    [Theory]
    [InlineData("Ext4", 1)]
    [InlineData("Btrfs", 2)]
    public void Group_takes_few_flushes_whatever_its_size(string kind, int flushes)
    {
        var process = Running(Enum.Parse<VolumeKind>(kind), cachedStatesMax: 2_000);
        process.Append([.. Enumerable.Range(0, 300).Select(n => Counts.Counted($"k{n}"))]);
        var trace = Trace(process, process.Run);
        Assert.Equal(300, trace.Count(operation => operation.Kind == OperationKind.Move));
        Assert.Equal(flushes,
            trace.Count(operation => operation.Kind is OperationKind.Flush or OperationKind.FlushFolder or OperationKind.FlushWhole));
    }

    [Fact]
    public void Events_that_do_not_matter_move_the_checkpoint_without_a_flush()
    {
        var process = Running(VolumeKind.Ext4);
        process.Append(NewEvent.FromJson("ignored", "{}"));
        var trace = Trace(process, process.Run);
        Assert.DoesNotContain(trace, operation => operation.Kind is OperationKind.Flush or OperationKind.FlushRange or OperationKind.Move);
        Assert.Equal(process.Events()[^1].Position, process.Status().Position);
    }

    [Fact]
    public void Deleted_states_are_built_again()
    {
        var process = new SteppedProjection(new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()).Attach());
        process.Append(Counts.Counted("a", "b"));
        process.Run();
        ((IFileSystem)process.Client).RemoveFolder(process.Live.States);
        process.Client.Kill();

        var next = new SteppedProjection(process.Client.Disk.Attach());
        next.Run();

        next.CheckExact();
    }

    [Fact(Timeout = 60_000)]
    public async Task Wait_that_was_given_up_does_not_have_later_states_written_at_once()
    {
        var clock = new MovedClock();
        using var place = StorePlace.On(VolumeKind.Ext4, clock);
        var store = place.Open();
        await using var runner = store.StartProjections([new Counts()], new ProjectionOptions
        {
            PollInterval = TimeSpan.FromMilliseconds(1),
            WriteInterval = TimeSpan.FromMinutes(1),
        });
        var counts = store.Projections.Get<Count>();
        await store.AppendAsync(Counts.Counted("a"), cancellationToken: TestContext.Current.CancellationToken);
        await counts.WaitForAsync(1, TestContext.Current.CancellationToken);
        using var givenUp = new CancellationTokenSource();
        var waiting = counts.WaitForAsync(1_000, givenUp.Token);
        await givenUp.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);

        await store.AppendAsync(Counts.Counted("a"), cancellationToken: TestContext.Current.CancellationToken);
        // It waits with the states, or has written them.
        while (!clock.Waits.Any(static wait => wait > TimeSpan.FromSeconds(30))
            && (await counts.GetStatusAsync(TestContext.Current.CancellationToken)).Position == 1)
        {
            await Task.Yield();
        }

        Assert.Equal(1, (await counts.GetAsync("a", TestContext.Current.CancellationToken))!.Number);
        await counts.WaitForAsync(2, TestContext.Current.CancellationToken);
        Assert.Equal(2, (await counts.GetAsync("a", TestContext.Current.CancellationToken))!.Number);
    }

    [Fact]
    public void Few_states_are_kept_in_memory_and_all_are_exact()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var process = new SteppedProjection(disk.Attach(), cachedStatesMax: 10);
        var random = new Random(1);
        for (var batch = 0; batch < 5; batch++)
        {
            process.Append([.. Enumerable.Range(0,
                400).Select(_ => random.Next(20) == 0 ? Counts.Deleted($"k{random.Next(100)}") : Counts.Counted($"k{random.Next(100)}"))]);
        }

        process.Run();
        Assert.InRange(process.Term.Live!.CachedStates, 1, 11);
        process.CheckExact();
        for (var batch = 0; batch < 5; batch++)
        {
            process.Append([.. Enumerable.Range(0, 100).Select(_ => Counts.Counted($"k{random.Next(100)}"))]);
            process.Run();
            Assert.InRange(process.Term.Live!.CachedStates, 1, 11);
        }
        process.CheckExact();
    }

    [Fact]
    public void Tag_log_that_has_come_to_many_segments_is_merged_and_finds_the_same()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        for (var term = 0; term < 20; term++)
        {
            var process = new SteppedProjection(disk.Attach());
            process.Append(Counts.Counted("a", $"k{term}"), Counts.Deleted($"k{term - 2}"));
            process.Run();
            process.CheckExact();
            var live = Generations.Newest(Generations.List(process.Client, process.Layout), GenerationKind.Live)!;
            Assert.InRange(process.Client.List(live.Folder).Count(name => Generation.TryParseTagLog(name, out _)), 1, 8);
            process.Client.Kill();
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    public void Reader_finds_every_key_by_tag_while_another_takes_the_lead(int terms)
    {
        var at = 0;
        bool wasDisturbed;
        do
        {
            var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
            // Each leader leaves a segment; the next to come may merge them.
            for (var term = 1; term <= terms; term++)
            {
                var leader = new SteppedProjection(disk.Attach());
                leader.Append(Counts.Counted($"k{term}"));
                leader.Run();
                leader.Client.Kill();
            }
            var (reader, next) = (new SteppedProjection(disk.Attach()), new SteppedProjection(disk.Attach()));
            reader.ReadAll();
            var operations = 0;
            wasDisturbed = false;
            reader.Client.BeforeOperation = _ =>
            {
                if (operations++ != at)
                    return;
                wasDisturbed = true;
                next.Run();
            };
            Assert.Equal(Enumerable.Range(1, terms).Select(term => $"k{term}"), reader.Find(new Tag("parity", "odd")).Keys.Order());
            at++;
        }
        while (wasDisturbed);
        Assert.InRange(at, terms, 1_000);
    }

    [Fact]
    public void Reader_sees_the_position_and_the_states_while_another_takes_the_lead()
    {
        for (var seed = Seed.Value; seed < Seed.Value + 10; seed++)
        {
            var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
            var leader = new SteppedProjection(disk.Attach());
            leader.Append(Counts.Counted("a"), Counts.Counted("b"));
            leader.Run();
            leader.Client.Kill();
            var (reader, next) = (new SteppedProjection(disk.Attach()), new SteppedProjection(disk.Attach()));
            var (position, number) = (0L, (int?)0);
            var both = new Interleaving(new Random(seed));
            both.Add(reader.Client, () => (position, number) = (reader.Status().Position, reader.Get("b")?.Number));
            both.Add(next.Client, next.Run);
            both.Run();
            Assert.True((position, number) == (2, 1), $"Seed {seed}: position {position}, number {number}.");
            Assert.True(next.Leads);
        }
    }

    [Fact]
    public void Leader_on_a_share_asks_for_its_mark_through_one_handle()
    {
        var leader = Running(VolumeKind.Smb);
        var opened = 0;
        leader.Client.BeforeOperation = operation =>
            opened += operation.Kind == OperationKind.Open && operation.Path == leader.Layout.LockFile ? 1 : 0;
        for (var round = 0; round < 5; round++)
        {
            leader.Append(Counts.Counted("a"));
            leader.Run();
        }
        Assert.InRange(opened, 0, 1);
        Assert.Equal(5, leader.ReadAll()["a"].State.Number);
    }

    private static SteppedProjection Running(VolumeKind kind, int cachedStatesMax = 50)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        var process = new SteppedProjection(disk.Attach(), cachedStatesMax: cachedStatesMax);
        // Every folder of states is there, so that what is counted is what an update takes.
        process.Append([.. Enumerable.Range(0, 3_000).Select(n => Counts.Counted($"k{n}"))]);
        process.Run();
        return process;
    }

    private static List<SimulatedOperation> Trace(SteppedProjection process, Action work)
    {
        var disk = process.Client.Disk;
        disk.Trace = [];
        work();
        var trace = disk.Trace;
        disk.Trace = null;
        return trace;
    }
}
