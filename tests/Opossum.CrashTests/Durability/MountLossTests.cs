using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>
/// The program that serves a mount ends, and it is mounted again: every handle that was open leads nowhere, while the names lead where they
/// led.
/// </summary>
public sealed class MountLossTests(ITestOutputHelper output)
{
    public static TheoryData<string> KindNames => [.. VolumeKinds.Network.Select(static kind => kind.ToString())];

    [Theory]
    [MemberData(nameof(KindNames))]
    public void Open_store_says_what_fails_while_the_mount_is_away_and_goes_on_when_it_is_back(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        var history = new History();
        var store = SteppedStore.Open(disk.Attach());
        store.Append(history.New(3));
        for (var turn = 0; turn < 3; turn++)
        {
            store.Client.LoseMount();
            Assert.Throws<StoreIOException>(store.ReadAll);
            var refused = history.New();
            store.Append(refused);
            Assert.Equal(Answer.NothingWritten, refused.Answer);
            store.Client.MountAgain();
            // Whoever comes first, a writer or a reader.
            if (turn % 2 == 0)
                Assert.Equal(3 + turn, store.ReadAll().Count);
            var next = history.New();
            store.Append(next);
            Assert.Null(next.Error);
            Assert.Equal(4 + turn, store.ReadAll().Count);
        }
        Promises.Check(disk, history);
    }

    [Theory]
    [MemberData(nameof(KindNames))]
    public async Task Read_that_had_begun_before_the_mount_went_away_reads_on_when_it_is_back(string kind)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var client = place.Disk!.Attach();
        var store = place.Open(client);
        for (var number = 0; number < 3; number++)
            await store.AppendAsync(Events.Many(1000, "t", "k:1"));
        var read = 0;
        await foreach (var e in store.ReadAsync(Query.All))
        {
            if (read++ == 10)
            {
                client.LoseMount();
                client.MountAgain();
            }
            Assert.Equal(read, e.Position);
        }
        Assert.Equal(3000, read);
        await store.AppendAsync([Events.New("t")]);
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public void Mount_may_go_away_and_come_back_before_any_operation()
    {
        var probes =
            from kind in VolumeKinds.Network
            from other in (bool[])[false, true]
            from events in (int[][])[[1], [3], [1, 2]]
            select new LossCase(kind, other, events, int.MaxValue, "");
        Cases.TryEach(probes.Select(static probe => new CaseGroup<LossCase>(() =>
        {
            Run(probe, out var operations);
            return [.. operations.Select((what, at) => probe with { Operation = at, What = what })];
        })), static each => Run(each, out _), output, share: 0.5);
    }

    [Theory]
    [MemberData(nameof(KindNames))]
    public void Store_that_lets_others_go_first_goes_on_when_the_mount_is_back(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        var history = new History();
        var store = SteppedStore.Open(disk.Attach());
        var layout = new StoreLayout(SteppedStore.Root);
        using var waiter = new StoreLock(new StoreFolder(disk.Attach(), layout.Root), disk.Clock);
        var waited = 0;
        store.Client.BeforeOperation = operation =>
        {
            // The lock is held while an event file is made.
            if (operation.Kind == OperationKind.CreateNew && waited++ == 0)
                Assert.Throws<StoreLockTimeoutException>(() => waiter.Acquire(TimeSpan.FromMilliseconds(100)));
        };
        store.Append(history.New());
        // Now it knows of the one that waits.
        store.Append(history.New());
        Assert.True(waited > 1);
        store.Client.LoseMount();
        store.Client.MountAgain();
        for (var turn = 0; turn < 2; turn++)
        {
            var next = history.New();
            store.Append(next);
            Assert.Null(next.Error);
        }
        Promises.Check(disk, history);
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Nfs))]
    [InlineData(nameof(VolumeKind.Fuse))]
    public void Index_file_whose_name_led_to_one_that_is_no_more_is_opened_again(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        var history = new History();
        var store = SteppedStore.Open(disk.Attach());
        store.Append(history.New());
        var index = new StoreLayout(SteppedStore.Root).IndexFile;
        var failed = 0;
        disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Write && operation.Path == index
            && failed++ < 3,
            Error = FileError.HandleLost,
            Lasts = true
        });
        var next = history.New();
        store.Append(next);
        Assert.Null(next.Error);
        Assert.True(failed > 3);
        Promises.Check(disk, history);
    }

    [Theory]
    [MemberData(nameof(KindNames))]
    public void Nothing_is_created_in_the_folder_that_lies_below_a_mount_that_is_gone(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        var history = new History();
        var store = SteppedStore.Open(disk.Attach(), lockTimeout: TimeSpan.FromMilliseconds(100));
        store.Append(history.New(3));
        var other = disk.Attach();
        other.MoveFolder(SteppedStore.Root, $"{SteppedStore.Root}-mounted");
        other.CreateFolder(SteppedStore.Root);
        store.Client.LoseMount();
        store.Client.MountAgain();
        var refused = history.New();
        store.Append(refused);
        Assert.Throws<StoreIOException>(store.ReadAll);

        Assert.Equal(Answer.NothingWritten, refused.Answer);
        Assert.Empty(other.List(SteppedStore.Root));
        other.DeleteFolder(SteppedStore.Root);
        other.MoveFolder($"{SteppedStore.Root}-mounted", SteppedStore.Root);
        var next = history.New();
        store.Append(next);
        Assert.Null(next.Error);
        Promises.Check(disk, history);
    }

    // One host appends, and loses its mount before one of its operations; another may append as a whole at that moment.
    private static int Run(LossCase each, out List<string> operations)
    {
        var disk = new SimulatedDisk(each.Kind, new SimulatedClock());
        var history = new History();
        Scenarios.Append(2)(disk, history);
        var first = SteppedStore.Open(disk.Attach());
        var second = SteppedStore.Open(disk.Attach());
        var seen = new List<string>();
        first.Client.BeforeOperation = operation =>
        {
            seen.Add(operation.ToString());
            if (seen.Count - 1 != each.Operation)
                return;
            first.Client.LoseMount();
            first.Client.MountAgain();
            if (each.WithOther)
                second.Append(history.New(2));
        };
        Attempt[] group = [.. each.Group.Select(events => history.New(events))];
        first.Append(group);
        operations = [.. seen];
        first.Client.BeforeOperation = null;
        try
        {
            var next = history.New();
            first.Append(next);
            // A store that continues after an error has said that it is faulted.
            Assert.True(next.Error is null
                || (next.Error is StoreFaultedException && group.Any(static append => append.Error is StoreFaultedException)), $"{next}");
            second.Append(history.New());
            SteppedStore.Open(first.Client).Append(history.New());
            Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
            Promises.Check(disk, history);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"{e.Message}{Environment.NewLine}{history}", e);
        }
        return 2;
    }

    private sealed record LossCase(VolumeKind Kind, bool WithOther, int[] Group, int Operation, string What)
    {
        public override string ToString() =>
            $"{Kind}, {string.Join("+", Group)} events{(WithOther ? ", another host appends meanwhile" : "")}, the mount is lost before operation "
                + $"{Operation} ({What})";
    }
}
