using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

public sealed class FaultTests(ITestOutputHelper output)
{
    private static readonly FileError[] errors =
        [FileError.Other, FileError.DiskFull, FileError.AccessDenied, FileError.TooManyOpenFiles, FileError.InUse];

    [Fact]
    public void What_was_not_flushed_is_flushed_at_once_where_the_whole_file_system_is()
    {
        var (client, history) = (new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()).Attach(), new History());
        var store = SteppedStore.Open(client, flush: false);
        for (var appends = 0; appends < 3; appends++)
            store.Append(history.New(500));
        client.Disk.Trace = [];

        store.TryDrainJournal();

        Assert.Equal(1, client.Disk.Trace.Count(static operation => operation.Kind == OperationKind.FlushWhole));
        Assert.Null(StoreLock.ReadDurable(client, SteppedStore.LayoutOn(client.Disk).LockFile));
    }

    [Fact]
    public void A_creation_whose_flush_failed_is_finished_with_bytes_that_are_on_the_disk()
    {
        var disk = new SimulatedDisk(VolumeKind.Posix, new SimulatedClock());
        disk.Fail(new Fault
        {
            When = static operation => operation.Kind == OperationKind.Flush && operation.Path.EndsWith("store.json.new", StringComparison.Ordinal),
            DropsDirtyBytes = true,
        });
        Assert.Throws<StoreOpenException>(() => SteppedStore.Open(disk.Attach()));

        SteppedStore.Open(disk.Attach()).Close();

        Assert.NotNull(StoreFile.Read(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)).Attach(), SteppedStore.LayoutOn(disk)));
    }

    [Fact]
    public void A_store_that_takes_the_place_of_this_one_loses_no_event_file()
    {
        var (disk, history) = (new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()), new History());
        var (client, layout) = (disk.Attach(), SteppedStore.LayoutOn(disk));
        var store = SteppedStore.Open(client);
        store.Append(history.New());
        var theirs = null as byte[];
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.CreateNew || operation.Path != layout.EventFile(3))
                return;
            client.BeforeOperation = null;
            var other = disk.Attach();
            other.MoveFolder(layout.Root, "/elsewhere");
            SteppedStore.Open(other).Append(new History().New(3));
            theirs = SmallFile.Read(other, layout.EventFile(2), 10_000);
        };

        var refused = history.New(2);
        store.Append(refused);

        Assert.IsType<StoreFaultedException>(refused.Error);
        Assert.Equal(theirs, SmallFile.Read(disk.Attach(), layout.EventFile(2), 10_000));
    }

    /// <summary>Bytes wait in the client's cache, and the server has no room for them when they come.</summary>
    [Theory]
    [InlineData(nameof(VolumeKind.Smb))]
    [InlineData(nameof(VolumeKind.Nfs))]
    public void A_share_that_is_full_at_the_flush_refuses_the_append_and_takes_the_next(string kind)
    {
        var (disk, history) = (new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock()), new History());
        var store = SteppedStore.Open(disk.Attach());
        store.Append(history.New());
        var full = disk.Fail(new Fault
        {
            When = static operation => operation.Kind == OperationKind.Flush && operation.Path.EndsWith("0003.json", StringComparison.Ordinal),
            Error = FileError.DiskFull,
            Lasts = true,
        });

        var (fits, refused) = (history.New(), history.New(2));
        store.Append(fits, refused);
        disk.Mend();
        var next = history.New(2);
        store.Append(next);

        Assert.True(full.Hits > 0);
        Assert.Equal((Answer.Stored, Answer.NothingWritten, Answer.Stored), (fits.Answer, refused.Answer, next.Answer));
        Assert.True(Assert.IsType<StoreIOException>(refused.Error).IsTransient);
        Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
        Promises.Check(disk, history);
    }

    [Fact]
    public void Any_operation_may_fail_once_or_from_then_on() => Cases.TryEach(Groups(static each => FailuresOf(each, false)
        .Concat(FailuresOf(each, true))), Fail, output, share: 0.75);

    [Fact]
    public void Any_two_operations_may_fail()
    {
        const int FartherAwayMax = 60;
        Cases.TryEach(Groups(static each => Enumerable.Range(1, FartherAwayMax).Select(distance => each with { SecondAfter = distance })),
            Fail, output, share: 0.5);
    }

    [Fact]
    public void Full_disk_refuses_appends_until_there_is_room()
    {
        const int Block = 4096;
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()) { BlockBytes = Block };
        var history = new History();
        var store = SteppedStore.Open(disk.Attach());
        store.Append(history.New());
        for (var turn = 0; turn < 100; turn++)
        {
            // A group of six events takes six blocks for itself, and now and then some for the index.
            disk.Capacity = disk.UsedBytes + turn % 9 * Block;
            Attempt[] group = [history.New(3), history.New(), history.New(2)];
            store.Append(group);
            Assert.True(turn % 9 > 5 || group.Any(each => each.Answer == Answer.NothingWritten));
            Assert.True(turn % 9 < 8 || group.All(each => each.Answer == Answer.Stored));
            foreach (var refused in group.Where(each => each.Answer != Answer.Stored))
                Assert.True(Assert.IsType<StoreIOException>(refused.Error).IsTransient);
            disk.Capacity = null;
            var next = history.New();
            store.Append(next);
            Assert.Equal(Answer.Stored, next.Answer);
        }
        Assert.Contains(history.Attempts, each => each.Answer == Answer.NothingWritten);
        Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
        Promises.Check(disk, history);
    }

    [Fact]
    public void Full_disk_refuses_an_append_whose_reserved_room_another_process_has_removed()
    {
        var refusals = 0;
        for (var room = 0; room < 6_000; room += 60)
        {
            var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
            var history = new History();
            var store = SteppedStore.Open(disk.Attach());
            store.Append(history.New(20));
            EndAmidLines(disk);
            SteppedStore.Open(disk.Attach()).Close();
            disk.Capacity = disk.UsedBytes + room;
            var tried = history.New();
            store.Append(tried);
            refusals += tried.Answer == Answer.NothingWritten ? 1 : 0;
            Assert.DoesNotContain(history.Attempts, static each => each.Error is StoreFaultedException);
            disk.Capacity = null;
            var next = history.New();
            store.Append(next);
            Assert.Equal(Answer.Stored, next.Answer);
            Promises.Check(disk, history);
        }
        Assert.InRange(refusals, 1, 99);
    }

    [Theory]
    [InlineData(512)]
    [InlineData(1024)]
    [InlineData(4096)]
    public void Full_disk_leaves_events_in_the_journal_until_there_is_room(int block)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()) { BlockBytes = block };
        var history = new History();
        var store = SteppedStore.Open(disk.Attach(), useJournal: true);
        store.Append(history.New());
        Assert.True(store.TryDrainJournal());
        var refusals = 0;
        for (var turn = 0; turn < 50; turn++)
        {
            disk.Capacity = disk.UsedBytes + turn % 5 * block;
            store.Append(history.New(3), history.New());
            refusals += Record.Exception(() => store.TryDrainJournal()) is FileSystemException { Error: FileError.DiskFull } ? 1 : 0;
            Assert.DoesNotContain(history.Attempts, static each => each.Error is StoreFaultedException);
            disk.Capacity = null;
            var next = history.New();
            store.Append(next);
            Assert.Equal(Answer.Stored, next.Answer);
            if (turn % 2 == 0)
                Assert.True(store.TryDrainJournal());
        }
        Assert.True(refusals > 10);
        Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
        Promises.Check(disk, history);
    }

    [Fact]
    public void Store_that_could_not_flush_what_was_appended_without_flushing_does_not_pretend_later_that_it_could()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var history = new History();
        var store = SteppedStore.Open(disk.Attach(), flush: false);
        store.Append(history.New());
        disk.Fail(new Fault { When = operation => operation.Kind == OperationKind.FlushWhole, DropsDirtyBytes = true });
        Assert.Equal(AppendOutcome.Unknown, Assert.Throws<StoreFaultedException>(store.FlushBehind).Outcome);
        Assert.Throws<StoreFaultedException>(store.FlushBehind);
        var next = history.New();
        store.Append(next);

        Assert.Equal(AppendOutcome.NothingWritten, Assert.IsType<StoreFaultedException>(next.Error).Outcome);
        Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
    }

    // The retry was told that nothing of it was written, and its events may be there.
    [Theory]
    [InlineData("Flush", "Events", AppendOutcome.Unknown)]
    [InlineData("Write", "Index", AppendOutcome.Stored)]
    public void Retry_in_the_group_of_its_original_has_its_outcome(string kind, string folder, AppendOutcome outcome)
    {
        var disk = new SimulatedDisk(VolumeKind.Posix, new SimulatedClock());
        var store = SteppedStore.Open(disk.Attach());
        var history = new History();
        var tag = new Tag("order", "o1");
        NewEvent[] events = [NewEvent.FromJson("placed", "{}", tag) with { Id = Guid.NewGuid() }];
        Attempt[] attempts = [.. Enumerable.Range(0, 2).Select(_ => new Attempt(events, new AppendCondition(Query.FromTags(tag))))];
        disk.Fail(new Fault
        {
            When = operation => operation.Kind == Enum.Parse<OperationKind>(kind)
                && operation.Path.Contains($"/{folder}/", StringComparison.Ordinal),
        });

        store.Append([.. attempts, history.New()]);

        Assert.All(attempts, each => Assert.Equal(outcome, Assert.IsType<StoreFaultedException>(each.Error).Outcome));
    }

    // Who flushes the whole file system by the folder of another one would not learn what the system has told that one.
    [Fact]
    public async Task Each_who_flushes_the_whole_file_system_has_a_folder_of_its_own_for_it()
    {
        using var place = StorePlace.On(VolumeKind.Btrfs, TimeProvider.System);
        place.Disk!.Trace = [];
        var store = place.Open();
        await store.AppendAsync(Events.Many(3, "a"));
        var unflushed = place.Open(static options => options.FlushEventsImmediately = false);
        await unflushed.AppendAsync(Events.New("a"));
        unflushed.BringFilesUp();

        Assert.Equal([place.Root, place.Layout.Events],
            place.Disk.Trace.Where(static each => each.Kind == OperationKind.FlushWhole).Select(static each => each.Path).Distinct());
    }

    [Fact]
    public void Store_whose_flush_failed_before_says_when_it_is_disposed_that_events_may_be_lost()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var history = new History();
        var store = SteppedStore.Open(disk.Attach(), flush: false);
        store.Append(history.New());
        disk.Fail(new Fault { When = operation => operation.Kind == OperationKind.FlushWhole, DropsDirtyBytes = true });
        Assert.Throws<StoreFaultedException>(store.FlushBehind);

        var error = Assert.Throws<StoreFaultedException>(store.EndFiles);

        Assert.Equal(AppendOutcome.Unknown, error.Outcome);
        Assert.Contains("a power cut may remove them", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Store_whose_lock_is_not_free_says_when_it_is_disposed_that_events_may_be_lost()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var history = new History();
        var store = SteppedStore.Open(disk.Attach(), flush: false, lockTimeout: TimeSpan.FromSeconds(1));
        store.Append(history.New());
        using var other = new StoreLock(new StoreFolder(disk.Attach(), SteppedStore.LayoutOn(disk)), disk.Clock);
        using var held = other.Acquire(TimeSpan.Zero);

        var error = Assert.Throws<StoreFaultedException>(store.EndFiles);

        Assert.Equal(AppendOutcome.Unknown, error.Outcome);
        Assert.IsType<StoreLockTimeoutException>(error.InnerException);
        Assert.DoesNotContain("Nothing was written", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Ext4")]
    [InlineData("Btrfs")]
    [InlineData("Posix")]
    public void Flush_that_failed_for_one_process_is_not_taken_for_done_by_another(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        var history = new History();
        var peer = SteppedStore.Open(disk.Attach(), flush: false);
        var store = SteppedStore.Open(disk.Attach(), flush: false);
        store.Append(history.New(3));
        disk.Fail(new Fault { When = operation => operation.Kind is OperationKind.Flush or OperationKind.FlushWhole, DropsDirtyBytes = true });
        Assert.Throws<StoreFaultedException>(store.FlushBehind);
        peer.Append(history.New(2));
        peer.FlushBehind();
        Scenarios.MarkDurable(history);
        SteppedStore.Open(disk.Attach()).Append(history.New());

        foreach (var cut in PowerCut.Each(seeds: Cases.Number(usually: 5, all: 20)))
            Promises.Check(disk.AfterPowerCut(cut), history);
    }

    [Fact]
    public void Event_that_is_gone_when_it_is_to_be_flushed_again_is_not_called_durable()
    {
        var disk = new SimulatedDisk(VolumeKind.Posix, new SimulatedClock());
        var history = new History();
        var store = SteppedStore.Open(disk.Attach(), flush: false);
        var peer = SteppedStore.Open(disk.Attach());
        store.Append(history.New());
        disk.FailNext(OperationKind.Flush);
        Assert.Throws<StoreFaultedException>(store.FlushBehind);
        using (var file = disk.Attach().Open(new StoreLayout(SteppedStore.Root).EventFile(1), FileOpening.ReadWrite)!)
            file.SetLength(0);
        var refused = history.New();
        peer.Append(refused);
        var next = history.New();
        SteppedStore.Open(disk.Attach()).Append(next);

        Assert.Equal(AppendOutcome.NothingWritten, Assert.IsType<StoreFaultedException>(refused.Error).Outcome);
        Assert.Equal(1, next.Result?.FirstPosition);
        Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
    }

    [Theory]
    [InlineData("Ext4")]
    [InlineData("Btrfs")]
    [InlineData("Posix")]
    public void Note_of_events_that_are_not_durable_is_flushed_before_any_is_appended_also_when_its_flush_failed_before(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        var history = new History();
        Scenarios.Append(2)(disk, history);
        var (store, peer) = (SteppedStore.Open(disk.Attach(), flush: false), SteppedStore.Open(disk.Attach(), flush: false));
        disk.FailNext(OperationKind.Flush);
        var refused = history.New();
        store.Append(refused);
        peer.Append(history.New(2));
        store.Append(history.New());

        Assert.Equal(Answer.NothingWritten, refused.Answer);
        foreach (var cut in PowerCut.Each(seeds: Cases.Number(usually: 10, all: 100), from: Seed.Value))
            Promises.Check(disk.AfterPowerCut(cut), history);
    }

    // The disk has the text of the process that had nothing to note, and that of the one after it is never flushed.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Note_that_another_process_has_set_again_is_flushed_before_an_append_also_by_a_process_that_flushed_the_same_one_before(
        bool useJournal)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var history = new History();
        Scenarios.Append(2)(disk, history);
        var stores = Enumerable.Range(0, 3).Select(_ => SteppedStore.Open(disk.Attach(), flush: useJournal, useJournal: useJournal)).ToList();
        var layout = SteppedStore.LayoutOn(disk);
        stores[0].Append(history.New(1, useJournal ? null : new AppendCondition(Query.All)));
        Assert.True(stores[0].TryDrainJournal());
        stores[1].EndFiles();
        WriteBack(layout.LockFile);
        disk.FailNext(OperationKind.Flush);
        stores[2].Append(history.New());
        stores[0].Append(history.New(2));
        WriteBack(layout.IndexFile);
        WriteBack(layout.Segment(layout.ShardOf(3)));

        Assert.Equal([Answer.NothingWritten, Answer.Stored], history.Attempts.TakeLast(2).Select(static each => each.Answer));
        Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);

        void WriteBack(string path)
        {
            using var file = disk.Attach().Open(path, FileOpening.ReadWrite)!;
            file.Flush();
        }
    }

    // The system writes a file's blocks in any order.
    [Fact]
    public void Event_that_was_not_flushed_and_lost_its_first_block_in_a_power_cut_is_not_believed_because_its_last_one_is_there()
    {
        var disk = new SimulatedDisk(VolumeKind.Btrfs, new SimulatedClock());
        var history = new History();
        Scenarios.Append(2)(disk, history);
        SteppedStore.Open(disk.Attach(), flush: false).Append(history.New(2));
        var newest = new StoreLayout(SteppedStore.Root).EventFile(history.Attempts[^1].Result!.Value.LastPosition);
        using (var file = disk.Attach().Open(newest, FileOpening.ReadWrite)!)
            file.Write(new byte[100], 0);

        Promises.Check(disk.AfterPowerCut(new(PowerCutMode.KeepsAll)), history);
    }

    // The appends of a group that failed are tried one by one, under the same lock.
    [Fact]
    public void Note_in_the_lock_file_is_durable_before_what_it_is_about_also_when_it_failed_for_a_group()
    {
        var groups =
            from kind in (VolumeKind[])[VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix]
            from useJournal in (bool[])[false, true]
            select new CaseGroup<NoteCase>(() =>
            {
                var probe = new NoteCase(kind, useJournal, int.MaxValue, DropsDirtyBytes: false);
                FailAt(probe, out var operations);
                return [.. Enumerable.Range(0, operations).SelectMany(at => (NoteCase[])
                    [probe with { Operation = at }, probe with { Operation = at, DropsDirtyBytes = true }])];
            });
        Cases.TryEach(groups, static each => FailAt(each, out _), output, share: 0.25);
    }

    private static int FailAt(NoteCase each, out int operations)
    {
        var disk = new SimulatedDisk(each.Kind, new SimulatedClock());
        var history = new History();
        Scenarios.Append(2)(disk, history);
        var store = SteppedStore.Open(disk.Attach(), flush: each.UseJournal, useJournal: each.UseJournal);
        var peer = SteppedStore.Open(disk.Attach());
        var seen = 0;
        disk.Fail(new Fault
        {
            When = operation => operation.Kind != OperationKind.Close && seen++ == each.Operation,
            DropsDirtyBytes = each.DropsDirtyBytes,
        });
        store.Append(history.New(), history.New(2));
        operations = seen;
        disk.Mend();
        if (each.UseJournal)
        {
            peer.Append(history.New(2));
        }
        else
        {
            // Keeps the index and loses the events: the note says that they were not durable.
            Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesNames)), history);
            if (Record.Exception(store.FlushBehind) is null)
                Scenarios.MarkDurable(history);
        }
        foreach (var mode in (PowerCutMode[])[PowerCutMode.KeepsAll, PowerCutMode.LosesAll])
            Promises.Check(disk.AfterPowerCut(new(mode)), history);
        return 3;
    }

    [Theory]
    [InlineData("Ext4")]
    [InlineData("Btrfs")]
    [InlineData("Posix")]
    public void What_was_taken_back_does_not_come_back_after_a_power_cut(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock()) { DirtyBytes = 1L << 40 };
        var history = new History();
        Scenarios.Append(1)(disk, history);
        var store = SteppedStore.Open(disk.Attach());
        var created = 0;
        disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.CreateNew
            && created++ > 0,
            Error = FileError.DiskFull,
            Lasts = true
        });
        Attempt[] group = [history.New(), history.New()];
        store.Append(group);

        Assert.All(group, each => Assert.Equal(Answer.NothingWritten, each.Answer));
        foreach (var cut in PowerCut.Each(seeds: Cases.Number(usually: 5, all: 20)))
            Promises.Check(disk.AfterPowerCut(cut), history);
    }

    [Theory]
    [InlineData("Ext4")]
    [InlineData("Btrfs")]
    [InlineData("Posix")]
    [InlineData("Smb")]
    [InlineData("Nfs")]
    [InlineData("Fuse")]
    public void Append_whose_turn_does_not_come_since_one_of_its_group_failed_for_good_is_not_acknowledged(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        var history = new History();
        Scenarios.Append(1)(disk, history);
        var store = SteppedStore.Open(disk.Attach());
        // The group cannot be written, so each is tried alone; the first of them then cannot be flushed.
        var created = 0;
        disk.Fail(new Fault { When = operation => operation.Kind == OperationKind.CreateNew && created++ == 1 });
        disk.Fail(new Fault { When = operation => operation.Kind == OperationKind.Flush && created == 2 });
        Attempt[] group = [history.New(), history.New(2), history.New()];
        store.Append(group);

        Assert.Equal([Answer.Unknown, Answer.NothingWritten, Answer.NothingWritten], group.Select(static each => each.Answer));
        Promises.Check(disk, history);
    }

    // As a process that writes lines first and ends in the middle.
    private static void EndAmidLines(SimulatedDisk disk)
    {
        using var segment = disk.Attach().Open(SteppedStore.LayoutOn(disk).Segment(0), FileOpening.ReadWrite)!;
        var bytes = new byte[segment.GetLength()];
        segment.Read(bytes, 0);
        segment.Write("{"u8, bytes.AsSpan().LastIndexOfAnyExcept((byte)'\n') + 2);
        segment.Flush();
    }

    private static IEnumerable<FaultCase> FailuresOf(FaultCase each, bool lasts)
    {
        foreach (var error in errors)
            yield return each with { Lasts = lasts, Error = error };
        if (each.What.Kind == OperationKind.Write)
            yield return each with { Lasts = lasts, ArrivingShare = 0.5 };
        if (each.What.IsFlush && each.What.Kind != OperationKind.FlushFolder)
            yield return each with { Lasts = lasts, DropsDirtyBytes = true };
    }

    private static IEnumerable<CaseGroup<FaultCase>> Groups(Func<FaultCase, IEnumerable<FaultCase>> failuresOf) =>
        from kind in VolumeKinds.All
        from scenario in FaultScenarios.All
        where !SimulatedVolume.Of(kind).IsNetwork || !FaultScenarios.Local.Contains(scenario)
        select new CaseGroup<FaultCase>(() =>
        {
            var prepared = scenario.On(kind);
            var operations = prepared.OwnOperations.Where(static each => CanFail(each.Kind));
            return [.. operations.SelectMany((what, at) => failuresOf(new FaultCase(prepared, at, what)))];
        })
        {
            KindOf = static each => each.Operation,
        };

    private static int Fail(FaultCase each)
    {
        var (disk, history) = each.On.Begin();
        var client = disk.Attach();
        var count = 0;
        var fault = disk.Fail(new Fault
        {
            When = operation => operation.Client == client && CanFail(operation.Kind) && each.Fails(count++),
            Error = each.Error,
            Lasts = true,
            ArrivingShare = each.ArrivingShare,
            DropsDirtyBytes = each.DropsDirtyBytes,
        });
        try
        {
            each.On.Scenario.Play(client, history);
        }
        catch (StoreOpenException)
        {
            // Opening may fail; nothing is answered then.
        }
        if (fault.Hits == 0)
        {
            // Its operation is one of those at the end, where nothing fails any more.
            return 0;
        }
        disk.Mend();
        try
        {
            // What was answered is true whether the power stays on or not.
            Promises.Check(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), history);
            Promises.Check(disk.AfterPowerCut(new(PowerCutMode.Random, each.Operation)), history);
            var ids = Promises.Check(disk, history);
            Promises.CheckStill(disk.AfterPowerCut(new(PowerCutMode.LosesAll)), ids);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"{e.Message}{Environment.NewLine}{history}", e);
        }
        return 3;
    }

    private static bool CanFail(OperationKind kind) => kind is not (OperationKind.Close or OperationKind.Pause);

    private sealed record NoteCase(VolumeKind Kind, bool UseJournal, int Operation, bool DropsDirtyBytes);

    private sealed record FaultCase(ScenarioOnDisk On, int Operation, SimulatedOperation What)
    {
        public bool Lasts { get; init; }

        public int? SecondAfter { get; init; }

        public FileError Error { get; init; } = FileError.Other;

        public double ArrivingShare { get; init; }

        public bool DropsDirtyBytes { get; init; }

        public bool Fails(int operation) => operation == Operation || (Lasts ? operation > Operation : operation == Operation + SecondAfter);

        public override string ToString() =>
            $"{On}, operation {Operation} ({What}) fails "
                + $"{(Lasts ? "from then on" : SecondAfter is { } after ? $"and the one {after} after it" : "once")} with {Error}, "
                + $"{ArrivingShare:0.#} arrives{(DropsDirtyBytes ? ", dirty bytes are dropped" : "")}";
    }
}
