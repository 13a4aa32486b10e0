using Opossum.FileSystem;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Storage.Locking;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Index;

/// <summary>Runs in the folder of the index: made, damaged, deleted, replaced, and used by several processes.</summary>
public sealed class RunTests(ITestOutputHelper output)
{
    private static readonly RunSettings small = new() { Length = 4, Fan = 2, LengthMax = 16, InBackground = false };

    [Fact]
    public async Task Older_events_are_in_runs_that_become_longer_ones()
    {
        using var place = Place(VolumeKind.Ext4);
        var store = place.Open();
        for (var events = 1; events <= 30; events++)
        {
            await AppendAsync(store, events, 1);
            store.MakeRuns();
        }

        // The last run ends where at least one more fits after it. What a longer run has replaced goes with the next step.
        Assert.Equal(["0000000001-0000000016.run", "0000000017-0000000024.run"], Runs(place));
        await AssertWholeAsync(store, 30);
        place.CloseStores();
        place.AssertClean();
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Smb))]
    [InlineData(nameof(VolumeKind.Nfs))]
    [InlineData(nameof(VolumeKind.Fuse))]
    public async Task Several_processes_use_the_runs_that_one_makes(string kind)
    {
        using var place = Place(Enum.Parse<VolumeKind>(kind));
        var (store, other, reader) = (place.Open(), place.Open(), place.Open(options => options.ReadOnly = true));
        for (var events = 1; events <= 40; events += 2)
        {
            await AppendAsync(events % 4 == 1 ? store : other, events, 2);
            store.MakeRuns();
            Assert.Equal(events + 1, await reader.GetHeadAsync());
        }

        foreach (var each in (FileSystemEventStore[])[store, other, reader, place.Open(), place.Open(options => options.ReadOnly = true)])
            await AssertWholeAsync(each, 40);
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Damage_at_any_byte_changes_no_answer_and_is_mended()
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        var paths = Runs(place).ConvertAll(name => $"{place.Layout.Index}/{name}");
        var whole = paths.ConvertAll(place.Bytes);
        // What is used of a page is mostly at its beginning.
        var groups =
            from run in Enumerable.Range(0, paths.Count)
            from isAtTheBeginning in (bool[])[true, false]
            select new CaseGroup<(int Run, int At)>(() =>
                [.. Enumerable.Range(0, whole[run].Length).Where(at => at % 4096 < 300 == isAtTheBeginning).Select(at => (run, at))]);
        Cases.TryEach(groups, Damage, output, share: 0.5);

        int Damage((int Run, int At) each)
        {
            // A disk keeps its clients: with many thousands of them each write to it takes long.
            using var copy = StorePlace.On(place.Disk!.Copy());
            copy.Runs = small;
            var path = paths[each.Run];
            copy.Patch(path, each.At, [(byte)(whole[each.Run][each.At] ^ 0x40)]);
            foreach (var readOnly in (bool[])[true, false])
            {
                var store = copy.Open(options => options.ReadOnly = readOnly);
                AssertWholeAsync(store, 30).GetAwaiter().GetResult();
                if (!readOnly)
                    store.MakeRuns();
                copy.CloseStores();
            }
            // What was read is whole again; what was not is named by the check.
            if (!copy.Bytes(path).SequenceEqual(whole[each.Run]))
                Assert.Equal(path, Assert.Single(copy.Check().Findings).Path);
            return 2;
        }
    }

    [Fact]
    public async Task Run_that_ends_early_or_is_zeros_is_made_again()
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        var path = $"{place.Layout.Index}/{Runs(place)[0]}";
        var whole = place.Bytes(path);
        byte[] zeroed = [.. whole.AsSpan(0, 4096), .. new byte[whole.Length - 4096]];
        foreach (var bad in (byte[][])[[], whole[..100], whole[..4096], whole[..^1], new byte[whole.Length], zeroed])
        {
            place.Put(path, bad);
            var store = place.Open();
            await AssertWholeAsync(store, 30);
            place.CloseStores();
        }
    }

    [Fact]
    public async Task Open_store_goes_on_when_its_runs_are_deleted_or_damaged()
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        var (store, reader) = (place.Open(), place.Open(options => options.ReadOnly = true));
        foreach (var name in Runs(place))
            Shred(place, $"{place.Layout.Index}/{name}");
        await AssertWholeAsync(reader, 30);
        await AssertWholeAsync(store, 30);
        foreach (var name in Runs(place))
            place.Delete($"{place.Layout.Index}/{name}");
        await AssertWholeAsync(place.Open(), 30);
        await AppendAsync(store, 31, 1);
        store.MakeRuns();
        await AssertWholeAsync(store, 31);
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Damage_of_a_run_and_of_its_frames_is_an_error_and_the_next_opening_makes_both()
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        var store = place.Open();
        Shred(place, $"{place.Layout.Index}/{Runs(place)[0]}");
        place.Patch(place.Layout.IndexFile, 60, [0xFF, 0xFE]);

        var error = await Assert.ThrowsAsync<StoreIOException>(() => store.ReadAllAsync(Query.FromTags(new Tag("order", "o1"))));

        Assert.Contains("Open the store again", error.Message, StringComparison.Ordinal);
        place.CloseStores();
        await AssertWholeAsync(place.Open(), 30);
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task A_run_is_not_used_when_the_index_file_ends_in_a_frame_that_it_covers()
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        using var files = place.Attach();
        var header = LastRun(place);
        var before = place.Snapshot();
        for (var length = header.LastFrame; length < header.FrameEnd; length++)
        {
            place.Restore(before);
            using (var file = files.Open(place.Layout.IndexFile, FileOpening.ReadWrite)!)
                file.SetLength(length);
            await AssertWholeAsync(place.Open(options => options.ReadOnly = true), 30);
            var store = place.Open();
            await AppendAsync(store, 31, 1);
            await AssertWholeAsync(store, 31);
            place.CloseStores();
            place.AssertClean();
        }
    }

    // No opening reads the frames that it covers.
    [Theory]
    [InlineData(nameof(PowerCutMode.LosesBytes))]
    [InlineData(nameof(PowerCutMode.ZeroesBytes))]
    public async Task A_power_cut_takes_no_frame_that_a_run_covers(string mode)
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);

        using var after = StorePlace.On(place.Disk!.AfterPowerCut(new PowerCut(Enum.Parse<PowerCutMode>(mode))));

        var end = (int)LastRun(place).FrameEnd;
        Assert.Equal(place.Bytes(place.Layout.IndexFile)[..end], after.Bytes(after.Layout.IndexFile)[..end]);
    }

    [Fact]
    public async Task Runs_of_events_that_were_cut_off_are_not_used()
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        var stale = Runs(place).ConvertAll(name => (name, place.Bytes($"{place.Layout.Index}/{name}")));
        place.Repair(under => new Opossum.Storage.Repair.Truncation(under, 5).Run());
        Assert.Empty(Runs(place));
        // As a process would write them that had begun before.
        foreach (var (name, bytes) in stale)
            place.Put($"{place.Layout.Index}/{name}", bytes);
        var store = place.Open();

        for (var events = 6; events <= 40; events++)
            await AppendAsync(store, events, 1, "again");
        store.MakeRuns();

        Assert.Equal(35, (await store.ReadAllAsync(Query.FromTags(new Tag("again", "again")))).Count);
        Assert.Equal(40, (await store.ReadAllAsync(Query.All)).Count);
        store.MakeRuns();
        var runs = Runs(place);
        Assert.All(stale, each =>
            Assert.False(runs.Contains(each.name) && place.Bytes($"{place.Layout.Index}/{each.name}").SequenceEqual(each.Item2)));
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task A_read_only_store_makes_and_deletes_no_runs()
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        place.Put($"{place.Layout.Index}/{Runs(place)[1]}", "not a run"u8);
        var before = place.Snapshot();

        await AssertWholeAsync(place.Open(options => options.ReadOnly = true), 30);

        place.CloseStores();
        Assert.Equal(before, place.Snapshot());
    }

    [Fact]
    public async Task Full_disk_leaves_the_store_without_a_run_and_nothing_else()
    {
        using var place = Place(VolumeKind.Ext4);
        var store = place.Open();
        await AppendAsync(store, 1, 30);
        place.Disk!.Fail(new Fault
        {
            When = static operation => operation.Path.EndsWith(".run.new", StringComparison.Ordinal),
            Error = FileError.DiskFull,
            Lasts = true,
        });

        store.MakeRuns();

        Assert.Empty(Runs(place));
        await AssertWholeAsync(store, 30);
    }

    [Fact]
    public async Task Runs_that_cannot_be_deleted_hinder_nothing()
    {
        using var place = Place(VolumeKind.Ext4);
        var store = place.Open();
        place.Disk!.Fail(new Fault
        {
            When = static operation => operation.Kind == OperationKind.Delete && operation.Path.EndsWith(".run", StringComparison.Ordinal),
            Error = FileError.AccessDenied,
            Lasts = true,
        });

        for (var events = 1; events <= 30; events++)
        {
            await AppendAsync(store, events, 1);
            store.MakeRuns();
        }

        Assert.Contains("0000000001-0000000004.run", Runs(place));
        Assert.Contains("0000000001-0000000016.run", Runs(place));
        await AssertWholeAsync(store, 30);
        place.CloseStores();
        place.AssertClean();
    }

    [Theory]
    [InlineData(nameof(FileError.Other))]
    [InlineData(nameof(FileError.AccessDenied))]
    [InlineData(nameof(FileError.InUse))]
    public async Task Runs_that_cannot_be_read_hinder_nothing(string error)
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        place.Disk!.Fail(new Fault
        {
            When = static operation => operation.Kind is OperationKind.Open or OperationKind.Read
                && operation.Path.EndsWith(".run", StringComparison.Ordinal),
            Error = Enum.Parse<FileError>(error),
            Lasts = true,
        });

        await AssertWholeAsync(place.Open(options => options.ReadOnly = true), 30);
        await AssertWholeAsync(place.Open(), 30);
        place.CloseStores();
        place.Repair(static store => store.RebuildIndex());
    }

    // The store took the file that it had closed for the one in use, for good.
    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Smb))]
    [InlineData(nameof(VolumeKind.Nfs))]
    public async Task A_store_that_fails_to_read_an_index_that_replaced_another_reads_it_the_next_time(string kind)
    {
        using var place = Place(Enum.Parse<VolumeKind>(kind));
        await FillAsync(place, 30);
        var client = place.Disk!.Attach();
        var store = place.Open(client);
        place.Repair(static other => other.RebuildIndex());
        var isOpened = false;
        ((SimulatedClock)place.Clock).Advance(TimeSpan.FromSeconds(5));
        place.Disk.Fail(new Fault
        {
            When = operation => operation.Client == client && operation.Path == place.Layout.IndexFile
                && ((isOpened |= operation.Kind == OperationKind.Open) && operation is { Kind: OperationKind.Read, Offset: > 0 }),
        });

        await Assert.ThrowsAsync<StoreIOException>(() => store.ReadAllAsync(Query.All));

        await AssertWholeAsync(store, 30);
        await AppendAsync(store, 31, 1);
        await AssertWholeAsync(store, 31);
    }

    // The file was made again as a whole, on the thread of a reader.
    [Fact]
    public async Task A_run_whose_handle_was_lost_is_opened_again()
    {
        using var place = Place(VolumeKind.Fuse);
        await FillAsync(place, 30);
        var client = place.Disk!.Attach();
        var store = place.Open(client, static options => options.Advanced.IndexCacheBytes = 1024 * 1024);
        place.Disk.Trace = [];
        client.LoseMount();
        client.MountAgain();

        await AssertWholeAsync(store, 30);
        Assert.DoesNotContain(place.Disk.Trace, static operation => operation.Path.EndsWith(".run.new", StringComparison.Ordinal));
    }

    // The event was passed over.
    [Fact]
    public async Task A_read_that_failed_does_not_go_on_after_the_event_that_it_has_not_returned()
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        var store = place.Open();
        place.Disk!.Fail(new Fault
        {
            When = static operation => operation.Kind == OperationKind.Read && operation.Path.EndsWith(".jsonl", StringComparison.Ordinal),
        });

        await using var events = store.ReadAsync(Query.FromTags(new Tag("one", "7"))).GetAsyncEnumerator();

        await Assert.ThrowsAsync<StoreIOException>(async () => await events.MoveNextAsync());
        await Assert.ThrowsAsync<StoreIOException>(async () => await events.MoveNextAsync());
        Assert.Equal(7, Assert.Single(await store.ReadAllAsync(Query.FromTags(new Tag("one", "7")))).Position);
    }

    [Fact]
    public async Task One_process_at_a_time_makes_runs()
    {
        using var place = Place(VolumeKind.Ext4);
        var (store, other) = (place.Open(), place.Open());
        await AppendAsync(store, 1, 1);
        for (var events = 2; events <= 30; events++)
            await AppendAsync(store, events, 1);
        using (var files = place.Attach())
        {
            using var duty = StoreDuty.TryTake(new StoreFolder(files, place.Layout), Duty.Runs);
            store.MakeRuns();
            Assert.Empty(Runs(place));
        }

        Assert.Equal(30, await other.GetHeadAsync());
        other.MakeRuns();

        Assert.NotEmpty(Runs(place));
        await AssertWholeAsync(other, 30);
    }

    // Whenever the other one begins.
    [Fact]
    public void No_run_is_made_twice()
    {
        var operations = MakeBesideAnother(othersAt: 0);
        Cases.TryEach([.. Enumerable.Range(1, operations)], MakeBesideAnother, output);
    }

    private static int MakeBesideAnother(int othersAt)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var (client, history, logs) = (disk.Attach(), new History(), new ListLogger());
        var store = SteppedStore.Open(client, logger: logs, runs: small);
        var other = SteppedStore.Open(disk.Attach(), logger: logs, runs: small);
        for (var events = 1; events <= 30; events++)
            store.Append(history.New());
        Assert.Equal(30, other.ReadAll().Count);
        disk.Trace = [];
        var operations = 0;
        client.BeforeOperation = _ =>
        {
            if (++operations == othersAt)
                other.MakeRuns();
        };
        store.MakeRuns();
        client.BeforeOperation = null;

        var made = disk.Trace.Where(static each => each.Kind == OperationKind.Move).Select(static each => each.To).ToList();
        Assert.NotEmpty(made);
        Assert.Equal(made.Distinct(), made);
        Assert.DoesNotContain(logs.Lines, static each => each.Contains("could not be", StringComparison.Ordinal));
        return operations;
    }

    [Fact]
    public async Task Line_whose_end_is_damaged_hides_no_other_line_of_its_group()
    {
        using var place = Place(VolumeKind.Ext4);
        await FillAsync(place, 30);
        var store = place.Open();
        var second = Lines.StartOf(place.Bytes(place.Layout.Segment(0)), 2) - 1;
        foreach (byte end in (byte[])[0, 0xFF, (byte)'x'])
        {
            place.Patch(place.Layout.Segment(0), second, [end]);
            // The others are only where their lines are.
            for (var position = 3; position <= 8; position++)
                place.Put(place.Layout.EventFile(position), "no event"u8.ToArray());

            await AssertWholeAsync(store, 30);
        }
    }

    private static StorePlace Place(VolumeKind kind)
    {
        var place = StorePlace.On(kind);
        place.Runs = small;
        return place;
    }

    private static async Task FillAsync(StorePlace place, int count)
    {
        var store = place.Open();
        for (var events = 1; events <= count; events++)
        {
            await AppendAsync(store, events, 1);
            store.MakeRuns();
        }
        store.MakeRuns();
        place.CloseStores();
    }

    // In place: a process that has the file open reads it.
    private static void Shred(StorePlace place, string path)
    {
        for (var at = 4096; at < place.Bytes(path).Length; at += 4096)
            place.Patch(path, at, "no page"u8);
    }

    private static RunHeader LastRun(StorePlace place)
    {
        using var files = place.Attach();
        var page = place.Bytes($"{place.Layout.Index}/{Runs(place)[^1]}").AsSpan(0, RunPage.Length);
        return RunHeader.Read(page, StoreFile.Read(files, place.Layout)!.Id)!;
    }

    private static List<string> Runs(StorePlace place) =>
        [.. place.Names(place.Layout.Index).Where(static name => name.EndsWith(".run", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];

    private static Task<AppendResult> AppendAsync(FileSystemEventStore store, int first, int count, string key = "of") => store.AppendAsync(
        [.. Enumerable.Range(first, count).Select(number => NewEvent.FromJson($"t{number % 3}", $"{{\"n\":{number}}}",
            new Tag("order", $"o{number % 7}"), new Tag("one", $"{number}"), new Tag(key, key)))]);

    // Every kind of answer: all events, those of a tag, of a type and of both, none, conditions, and counts.
    private static async Task AssertWholeAsync(FileSystemEventStore store, int head)
    {
        Assert.Equal(Enumerable.Range(1, head).Select(static number => (long)number),
            (await store.ReadAllAsync(Query.All)).ConvertAll(static e => e.Position));
        for (var rest = 0; rest < 7; rest++)
        {
            Assert.Equal(Enumerable.Range(1, head).Where(number => number % 7 == rest).Select(static number => (long)number),
                (await store.ReadAllAsync(Query.FromTags(new Tag("order", $"o{rest}")))).ConvertAll(static e => e.Position));
        }
        for (var position = 1; position <= head; position++)
        {
            Assert.Equal(position, Assert.Single(await store.ReadAllAsync(Query.FromItems(new QueryItem
            {
                Types = [$"t{position % 3}"],
                Tags = [new Tag("one", $"{position}")],
            }))).Position);
        }
        Assert.Equal(head / 3, (await store.ReadAllAsync(Query.FromEventTypes("t0"))).Count);
        Assert.Empty(await store.ReadAllAsync(Query.FromTags(new Tag("never", "used"))));
        var status = await store.GetStatusAsync();
        Assert.Equal(head, status.EventTypes.Sum(static type => type.Events));
        Assert.Contains(new TagKeyCount { Key = "one", Events = head, Values = head }, status.TagKeys);
        Assert.Contains(new TagKeyCount { Key = "order", Events = head, Values = 7 }, status.TagKeys);
    }
}
