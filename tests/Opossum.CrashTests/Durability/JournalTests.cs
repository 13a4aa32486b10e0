using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Storage.Repair;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>What the journal is to its users: readers, tools, other processes, and those who open its files.</summary>
public sealed class JournalTests : JournalledStore
{
    [Fact]
    public async Task An_append_is_read_before_its_event_file_is_there()
    {
        var store = OpenWithJournal();
        await store.AppendAsync([Events.New("a", tags: "x:1"), Events.New("b")]);
        var other = Place.Open();
        var reader = Place.Open(options => options.ReadOnly = true);
        await store.AppendAsync(Events.New("c", tags: "x:1"));

        Assert.False(Place.Exists(Place.Layout.EventFile(3)));
        foreach (var each in (FileSystemEventStore[])[store, other, reader])
            Assert.Equal(["a", "c"], (await each.ReadAllAsync(Query.FromTags(new Tag("x", "1")))).Select(e => e.Type));
        Assert.Equal(1, (await other.GetStatusAsync()).EventsInJournal);
        Assert.Equal(FlushMethod.Journal, (await store.GetStatusAsync()).Flush);
        store.BringFilesUp();
        Assert.True(Place.Exists(Place.Layout.EventFile(3)));
        Assert.Equal(0, (await other.GetStatusAsync()).EventsInJournal);
    }

    [Fact]
    public async Task A_user_who_may_not_read_the_lock_file_finds_a_store_in_use_sound()
    {
        var store = OpenWithJournal();
        await store.AppendAsync([Events.New("a", tags: "x:1"), Events.New("b")]);
        await store.AppendAsync(Events.New("c", tags: "x:1"));
        using var left = WhatIsLeft();
        left.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Open && operation.Path == left.Layout.LockFile,
            Error = FileError.AccessDenied,
            Lasts = true,
        });

        left.AssertClean();
        using var reader = left.Open(options => options.ReadOnly = true);

        Assert.Equal(["a", "b", "c"], (await reader.ReadAllAsync()).Select(e => e.Type));
    }

    [Fact]
    public async Task Reads_do_not_wait_for_the_flush_of_an_append()
    {
        var client = Place.Disk!.Attach();
        var store = Place.Open(client, WithJournal);
        await store.AppendAsync(Events.New("a"));
        var (flushes, read) = (0, 0L);
        client.BeforeOperation = operation =>
        {
            if (operation.Path != FirstFile || operation.Kind is not (OperationKind.Flush or OperationKind.FlushRange))
                return;
            flushes++;
            read = Task.Run(async () => await store.GetHeadAsync()).WaitAsync(TimeSpan.FromSeconds(10)).GetAwaiter().GetResult();
        };

        await store.AppendAsync(Events.New("b"));

        client.BeforeOperation = null;
        Assert.Equal((1, 1), (flushes, read));
    }

    [Fact]
    public async Task Lines_of_an_append_that_is_refused_are_taken_back_durably()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);
        place.FilesBehind = Place.FilesBehind;
        var store = place.Open(WithJournal);
        await store.AppendAsync([.. "ab".Select(static type => Events.New($"{type}"))]);
        // The first one reserves the space.
        var (next, writes) = (place.Layout.Segment(4), 0);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Write && operation.Path == next && writes++ > 0,
            Error = FileError.DiskFull,
            Lasts = true,
        });
        place.Disk.Trace = [];

        await Assert.ThrowsAsync<StoreIOException>(() => store.AppendAsync([Events.New("c"), Events.New("d")]));

        var last = place.Disk.Trace.Last(operation => operation.Path == place.Layout.Segment(0)
            && operation.Kind is (OperationKind.Write or OperationKind.Flush or OperationKind.FlushRange));
        Assert.Equal(OperationKind.Flush, last.Kind);
    }

    [Fact]
    public async Task An_event_file_from_the_journal_is_the_one_that_an_append_without_it_writes()
    {
        var store = OpenWithJournal();
        var other = Place.Open();
        var news = NewEvent.FromJson("größe", """{"text":"ä\u0001 \" <>","list":[1,2.50,{"a":null}],"empty":{}}""", new Tag("k", "ü 1"))
            with
        { Metadata = new Dictionary<string, string> { ["a"] = "b" } };
        await store.AppendAsync(news);
        store.BringFilesUp();
        await other.AppendAsync(news with { Id = Guid.NewGuid() });

        Assert.Equal(Lines(2), Lines(1));

        // Without what differs: position, time, id, checksum.
        string[] Lines(long position) => [.. Encoding.UTF8.GetString(Place.Bytes(Place.Layout.EventFile(position))).Split('\n')
            .Where(static line => !line.Contains("\"position\"", StringComparison.Ordinal)
            && !line.Contains("\"timestamp\"", StringComparison.Ordinal) && !line.Contains("\"id\"", StringComparison.Ordinal)
            && !line.Contains("\"commit\"", StringComparison.Ordinal) && !line.Contains("\"checksum\"", StringComparison.Ordinal))];
    }

    [Fact]
    public async Task The_log_is_lines_of_json_and_white_space_with_and_without_a_journal()
    {
        var store = OpenWithJournal();
        await store.AppendAsync([Events.New("a"), Events.New("b")]);
        await Place.Open().AppendAsync(Events.New("c"));
        var lines = Encoding.UTF8.GetString(Place.Bytes(FirstFile)).Split('\n', StringSplitOptions.RemoveEmptyEntries);

        Assert.Equal(3, lines.Length);
        for (var at = 0; at < 3; at++)
        {
            Assert.StartsWith($"{{\"position\":{at + 1},\"type\":\"{"abc"[at]}\",", lines[at], StringComparison.Ordinal);
            Assert.Equal(lines[at], Encoding.UTF8.GetString(CanonicalText.Of(Place.Bytes(Place.Layout.EventFile(at + 1)))));
        }
    }

    [Fact]
    public async Task A_check_and_a_backup_find_the_events_in_the_journal()
    {
        var store = OpenWithJournal();
        await store.AppendAsync([Events.New("a"), Events.New("b")]);
        store.BringFilesUp();
        await store.AppendAsync([Events.New("c"), Events.New("d")]);

        Assert.True(Place.Check().IsClean, Place.Check().ToString());
        Assert.Equal(4, Place.Check().Events);
        using var fileSystem = Place.Attach();
        var report = StoreBackup.Run(fileSystem, Place.Layout, "/backup", options: null, Place.Clock);
        Assert.Equal(4, report.Head);
        using var copy = FileSystemEventStore.Open(Place.Options(), Place.Attach(), Place.Layout.At("/backup"));
        Assert.Equal(["a", "b", "c", "d"], (await copy.ReadAllAsync(Query.All)).Select(e => e.Type));
    }

    [Fact]
    public async Task A_store_without_an_index_is_read_with_the_events_in_the_journal()
    {
        var store = OpenWithJournal();
        await store.AppendAsync(Events.New("a"));
        store.BringFilesUp();
        await store.AppendAsync(Events.New("b"));
        using var left = WhatIsLeft();
        left.Delete(left.Layout.IndexFile);

        Assert.Equal(["a", "b"], (await left.Open(options => options.ReadOnly = true).ReadAllAsync(Query.All)).Select(e => e.Type));
        Assert.Equal(["a", "b"], (await left.Open().ReadAllAsync(Query.All)).Select(e => e.Type));
        Assert.True(left.Exists(left.Layout.EventFile(2)));
    }

    // A process creates the folders of all lines before the first file of them, and may end between.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Lines_count_after_the_last_event_file_although_a_later_folder_is_there(bool hasIndex)
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 7);
        var store = place.Open(WithJournal);
        await store.AppendAsync(Events.Many(5, "a"));
        store.BringFilesUp();
        await store.AppendAsync(Events.Many(3, "b"));
        using var left = StorePlace.On(place.Disk!.Copy());
        left.CreateFolder(left.Layout.ShardFolder(7));
        left.Delete(left.Layout.LockFile);
        if (!hasIndex)
            left.Delete(left.Layout.IndexFile);

        Assert.Equal(8, (await left.Open().ReadAllAsync(Query.All)).Count);
        left.CloseStores();
        Assert.All(Enumerable.Range(1, 8), position => Assert.True(left.Exists(left.Layout.EventFile(position))));
        Assert.True(left.Check().IsClean, left.Check().ToString());
    }

    // Found by the test that compares stores with a list: the other process had emptied the file, and the next group was written behind a gap.
    [Fact]
    public async Task A_group_follows_what_another_process_has_emptied()
    {
        var store = OpenWithJournal();
        var other = Place.Open();
        await store.AppendAsync(Events.New("a"));
        await other.AppendAsync(Events.New("b"));
        store.BringFilesUp();
        await store.AppendAsync(Events.New("c"));
        using var left = WhatIsLeft();

        Assert.Equal(["a", "b", "c"], (await left.Open().ReadAllAsync(Query.All)).Select(e => e.Type));
    }

    // It went on for ever: what this process knew of the journal was no longer there to be written.
    [Fact]
    public async Task Nothing_is_left_to_be_written_when_another_process_has_emptied_the_journal()
    {
        var store = OpenWithJournal();
        await store.AppendAsync(Events.New("a"));
        await Place.Open().AppendAsync(Events.New("b"));

        Assert.True(store.BringFilesUp());
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Btrfs))]
    [InlineData(nameof(VolumeKind.Posix))]
    public void A_group_takes_one_flush(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        var (store, history) = (SteppedStore.Open(disk.Attach(), useJournal: true), new History());
        // The first one also notes in the lock file that there is a journal.
        store.Append(history.New());
        disk.Trace = [];
        store.Append([.. Enumerable.Range(0, 50).Select(_ => history.New())]);

        var flush = Assert.Single(disk.Trace, static each => each.IsFlush);
        Assert.Equal(OperationKind.Flush, flush.Kind);
        Assert.EndsWith(".jsonl", flush.Path, StringComparison.Ordinal);
    }

    public static TheoryData<string> Kinds => [.. VolumeKinds.Local.Select(static kind => $"{kind}")];

    /// <summary>Each process flushes the note once: the one before it may have written it, and failed to flush it.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void The_note_that_events_are_in_the_journal_is_durable_before_they_are(string kind)
    {
        var (disk, history) = (new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock()), new History());
        SteppedStore[] stores = [.. Enumerable.Range(0, 2).Select(_ => SteppedStore.Open(disk.Attach(), useJournal: true))];
        foreach (var store in stores)
        {
            disk.Trace = [];
            store.Append(history.New(), history.New());

            var (flushes, events) = (disk.Trace.FindIndex(IsFlushOfNotes), disk.Trace.FindIndex(IsFlushOfEvents));
            Assert.True(events >= 0 && flushes >= 0 && flushes < events, string.Join(Environment.NewLine, disk.Trace));
        }

        static bool IsFlushOfNotes(SimulatedOperation operation) => operation.Kind == OperationKind.Flush
            && operation.Path.EndsWith(StoreLayout.LockFileName, StringComparison.Ordinal);

        static bool IsFlushOfEvents(SimulatedOperation operation) => operation.Kind == OperationKind.Flush
            && operation.Path.EndsWith(StoreLayout.SealedFileEnding, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_long_backlog_is_written_in_parts()
    {
        Place.FilesBehind = new FilesBehindSettings { FilledAhead = 1_024, AtOnceMax = 3 };
        var store = OpenWithJournal();
        for (var at = 0; at < 10; at++)
            await store.AppendAsync([Events.New("a"), Events.New("b")]);
        foreach (var (left, flushes) in ((int, int)[])[(5, 5), (0, 2), (0, 0)])
        {
            Place.Disk!.Trace = [];
            store.BringFilesUp();
            Assert.Equal(left, (await store.GetStatusAsync()).EventsInJournal);
            Assert.Equal(flushes, Place.Disk.Trace.Count(static each => each.Kind == OperationKind.FlushWhole));
        }
        Assert.Equal(20, Place.Check().Events);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Files_that_cannot_be_written_hide_no_failed_flush_of_those_before_and_take_no_other_back(bool flushFails)
    {
        Place.FilesBehind = new FilesBehindSettings { FilledAhead = 1_024, AtOnceMax = 3 };
        var store = OpenWithJournal();
        await store.AppendAsync(Events.Many(6));
        Place.Disk!.Fail(new Fault { When = operation => operation.Path == Place.Layout.EventFile(4), Error = FileError.DiskFull });
        if (flushFails)
        {
            Place.Disk.FailNext(OperationKind.FlushWhole);
            Assert.Throws<StoreFaultedException>(() => { store.BringFilesUp(); });
            return;
        }

        Assert.Equal(FileError.DiskFull, Assert.Throws<FileSystemException>(() => { store.BringFilesUp(); }).Error);
        Assert.Equal(3, (await store.GetStatusAsync()).EventsInJournal);
        store.BringFilesUp();
        Assert.Equal(0, (await store.GetStatusAsync()).EventsInJournal);
    }

    [Fact]
    public async Task Appends_slow_down_while_many_events_have_no_files()
    {
        Place.FilesBehind = new FilesBehindSettings { FilledAhead = 4_096, EventsMax = 2_000 };
        var store = OpenWithJournal();
        Assert.False(await WaitsAfterAsync(300));
        Assert.True(await WaitsAfterAsync(1_000));
        store.BringFilesUp();
        Assert.False(await WaitsAfterAsync(300));

        // The next append comes after the pause.
        async Task<bool> WaitsAfterAsync(int events)
        {
            Place.Disk!.Trace = [];
            await store.AppendAsync(Events.Many(events));
            await store.AppendAsync(Events.New("next"));
            return Place.Disk.Trace.Exists(static each => each.Kind == OperationKind.Pause);
        }
    }

    [Fact]
    public async Task Slow_flush_of_one_event_makes_no_burst_stand_still()
    {
        Place.FilesBehind = new FilesBehindSettings { FilledAhead = 4_096, EventsMax = 2_000 };
        var client = Place.Disk!.Attach();
        var store = Place.Open(client, WithJournal);
        await store.AppendAsync(Events.Many(1));
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.FlushWhole)
                Clock.Advance(TimeSpan.FromSeconds(5));
        };
        store.BringFilesUp();
        client.BeforeOperation = null;
        var begun = Place.Clock.GetTimestamp();

        await store.AppendAsync(Events.Many(1_000));
        // Comes after the pause, in which the disk's clock moves.
        await store.AppendAsync(Events.New("next"));

        Assert.InRange(Place.Clock.GetElapsedTime(begun), TimeSpan.Zero, TimeSpan.FromSeconds(2));
    }

    [Fact]
    public async Task Event_files_written_while_others_append_are_not_written_again()
    {
        Place.FilesBehind = new FilesBehindSettings { FilledAhead = 1_024 };
        var client = Place.Disk!.Attach();
        var store = Place.Open(client, WithJournal);
        var other = OpenWithJournal();
        await store.AppendAsync([Events.New("a"), Events.New("b")]);
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.FlushWhole && operation.Kind != OperationKind.FlushFolder)
                return;
            client.BeforeOperation = null;
            other.AppendAsync([.. Enumerable.Range(0, 4).Select(static _ => Events.New("c"))]).GetAwaiter().GetResult();
        };
        store.BringFilesUp();

        Assert.Null(client.BeforeOperation);
        Assert.Equal(4, (await store.GetStatusAsync()).EventsInJournal);
        Place.Disk.Trace = [];
        store.BringFilesUp();
        Assert.Equal([3, 4, 5, 6], WrittenEventFiles());
        Assert.True(Place.Check().IsClean, Place.Check().ToString());
    }

    [Fact]
    public async Task Event_files_known_to_be_durable_are_not_written_again_by_an_append_without_a_journal()
    {
        Place.FilesBehind = new FilesBehindSettings { FilledAhead = 4_096, AtOnceMax = 1 };
        var store = OpenWithJournal();
        var other = Place.Open();
        await store.AppendAsync(Events.Many(6));
        store.BringFilesUp();
        Assert.Equal(1, (await store.GetStatusAsync()).EventsInJournal);
        Place.Disk!.Trace = [];
        // It has no journal, so all events have to have files before it appends.
        await other.AppendAsync(Events.New("c"));

        Assert.Equal([6, 7], WrittenEventFiles());
        Assert.True(Place.Check().IsClean, Place.Check().ToString());
    }

    [Fact]
    public void An_append_of_more_than_the_journal_takes_is_written_as_files_at_once()
    {
        var store = SteppedStore.Open(Place.Disk!.Attach(), useJournal: true);
        var history = new History();
        store.Append(history.New());
        store.Append(history.New(500));
        var layout = SteppedStore.LayoutOn(Place.Disk);
        using var files = Place.Disk.Attach();

        Assert.Equal(EntryKind.File, files.GetKind(layout.EventFile(1)));
        Assert.Equal(EntryKind.File, files.GetKind(layout.EventFile(501)));
        store.Append(history.New());
        Assert.Equal(EntryKind.Missing, files.GetKind(layout.EventFile(502)));
    }

    [Fact]
    public async Task A_full_disk_that_refuses_to_overwrite_refuses_appends_and_takes_them_again_when_there_is_room()
    {
        var store = OpenWithJournal();
        await store.AppendAsync(Events.New("a"));
        Place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Write && operation.Path == FirstFile,
            Error = FileError.DiskFull,
            Lasts = true,
        });
        var refused = await Assert.ThrowsAsync<StoreIOException>(async () => await store.AppendAsync(Events.New("b")));
        Assert.StartsWith("Nothing was appended.", refused.Message, StringComparison.Ordinal);
        Assert.True(refused.IsTransient);

        Place.Disk.Mend();
        Assert.Equal(2, (await store.AppendAsync(Events.New("c"))).FirstPosition);
    }

    [Fact]
    public async Task What_a_repair_cuts_off_or_redacts_is_not_left_in_the_journal()
    {
        var store = OpenWithJournal();
        await store.AppendAsync(NewEvent.FromJson("a", """{"secret":"mallory"}"""));
        await store.AppendAsync(NewEvent.FromJson("b", """{"secret":"trudy"}"""));
        store.BringFilesUp();
        await store.AppendAsync(NewEvent.FromJson("c", """{"secret":"eve"}"""));
        using var left = WhatIsLeft();
        left.Repair(static repair => new Truncation(repair, after: 2).Run());

        foreach (var cut in PowerCut.Each(seeds: 20))
        {
            using var after = StorePlace.On(left.Disk!.AfterPowerCut(cut));
            foreach (var (path, bytes) in after.Snapshot().Where(each => each.Key.StartsWith(after.Layout.Log, StringComparison.Ordinal)))
                Assert.DoesNotContain("eve", Encoding.UTF8.GetString(bytes ?? []), StringComparison.Ordinal);
            Assert.Equal(["a", "b"], (await after.Open().ReadAllAsync(Query.All)).Select(e => e.Type));
        }
    }

    [Fact]
    public async Task Files_follow_by_themselves_within_a_second()
    {
        var store = OpenWithJournal();
        await store.AppendAsync(Events.New("a"));
        Assert.False(Place.Exists(Place.Layout.EventFile(1)));
        Clock.Advance(TimeSpan.FromSeconds(1));

        Assert.True(Place.Exists(Place.Layout.EventFile(1)));
        Assert.Equal(0, (await store.GetStatusAsync()).EventsInJournal);
    }

    [Fact]
    public async Task A_process_that_is_far_behind_asks_seldom_while_another_one_writes_the_files()
    {
        Place.FilesBehind = Place.FilesBehind with { AtOnceMax = 2 };
        var store = OpenWithJournal();
        using (var other = Place.Attach().Open(Place.Layout.FilesLockFile, FileOpening.ReadWriteOrCreate)!)
        {
            Assert.True(other.TryLock(StoreLayout.LockOffset));
            for (var number = 1; number <= 5; number++)
                await store.AppendAsync(Events.New("a"));
            Place.Disk!.Trace = [];
            Clock.Advance(TimeSpan.FromSeconds(2));
            Assert.InRange(Place.Disk.Trace.Count(each => each.Kind == OperationKind.Lock && each.Path == Place.Layout.LockFile), 1, 5);
        }
        Clock.Advance(TimeSpan.FromSeconds(1));

        Assert.True(Place.Exists(Place.Layout.EventFile(5)));
    }

    // A power cut has taken the end of one segment, and not the beginning of the next, which were written together.
    [Fact]
    public void A_line_that_was_left_in_the_next_segment_does_not_become_an_event_after_the_next_append()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);
        place.FilesBehind = Place.FilesBehind;
        var (history, layout) = (new History(), SteppedStore.LayoutOn(place.Disk!));
        var store = SteppedStore.Open(place.Disk!.Attach(), useJournal: true);
        store.Append(history.New());
        store.Append(history.New());
        using var left = StorePlace.On(place.Disk.Copy());
        store.Append(history.New(), history.New());
        left.Put(layout.Segment(4), place.Bytes(layout.Segment(4)));

        var next = SteppedStore.Open(left.Disk!.Attach(), useJournal: true);
        Assert.Equal(2, next.Head);
        next.Append(history.New());
        var last = SteppedStore.Open(left.Disk.Copy().Attach(), useJournal: true);

        Assert.Equal([1L, 2, 3], last.ReadAll().Select(static e => e.Position));
    }

    // A power cut has torn the first of two lines that were written together.
    [Fact]
    public void A_whole_line_after_a_torn_one_does_not_become_an_event_after_the_next_append()
    {
        var (history, layout) = (new History(), SteppedStore.LayoutOn(Place.Disk!));
        var (index, segment) = (layout.IndexFile, layout.Segment(0));
        var store = SteppedStore.Open(Place.Disk!.Attach(), useJournal: true);
        store.Append(history.New());
        var before = Place.Bytes(index);
        store.Append(history.New(), history.New());
        var endOfTorn = Lines.StartOf(Place.Bytes(segment), 2);
        using var torn = WhatIsLeft();
        torn.Put(index, before);
        torn.Patch(segment, endOfTorn - 2, "x"u8);

        var next = SteppedStore.Open(torn.Disk!.Attach(), useJournal: true);
        Assert.Equal(1, next.Head);
        next.Append(history.New());
        // Exactly in the place of the torn one.
        Assert.Equal(endOfTorn, Lines.StartOf(torn.Bytes(segment), 2));
        var last = SteppedStore.Open(torn.Disk.Copy().Attach(), useJournal: true);

        Assert.Equal([1L, 2], last.ReadAll().Select(static e => e.Position));
    }

    [Fact]
    public void A_journal_that_is_not_flushed_is_refused()
    {
        var error = Assert.Throws<ArgumentException>(() =>
            new OpossumOptions { Path = "x", UseJournal = true, FlushEventsImmediately = false }.Check().ThrowIfAny("options"));
        Assert.Contains("OpossumOptions.UseJournal is true and FlushEventsImmediately is false", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_disposed_store_leaves_every_event_its_file()
    {
        var store = OpenWithJournal();
        await store.AppendAsync(Events.New("a"));
        await store.DisposeAsync();

        Assert.True(Place.Exists(Place.Layout.EventFile(1)));
        using var fileSystem = Place.Attach();
        Assert.Null(StoreLock.ReadFiles(fileSystem, Place.Layout.LockFile));
    }

    private IEnumerable<int> WrittenEventFiles() => Enumerable.Range(1, 10).Where(position =>
        Place.Disk!.Trace!.Any(each => each.Kind == OperationKind.Write && each.Path == Place.Layout.EventFile(position)));
}
