using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>A store opened for reading only: it shows what is committed, whatever its index is like, and does nothing to the disk.</summary>
public sealed class ReadOnlyTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public static TheoryData<string> Kinds => [.. Enum.GetNames<VolumeKind>()];

    public void Dispose() => place.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Everything_is_read_from_a_disk_that_refuses_every_change_and_every_lock(string kind)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var events = await FillAsync(place);
        place.Disk!.Fail(new Fault { When = operation => operation.Changes, Error = FileError.ReadOnly, Lasts = true });
        var (operations, before) = (place.Disk.OperationCount, place.Snapshot());

        await AssertAnswersAsync(place, events, "as it is");

        Assert.Equal(operations, place.Disk.OperationCount);
        Assert.Equal(before, place.Snapshot());
    }

    [Fact]
    public async Task An_append_is_refused_before_anything_else()
    {
        await FillAsync(place);
        var reader = OpenReader();
        var operations = place.Disk!.OperationCount;

        var error = await Assert.ThrowsAsync<NotSupportedException>(async () => await reader.AppendAsync(null!));

        Assert.Equal($"The store in {place.Root} is open for reading only. To append, open it with OpossumOptions.ReadOnly = false.", error.Message);
        Assert.Equal(operations, place.Disk.OperationCount);
    }

    [Fact]
    public void What_is_no_store_is_refused_and_stays_as_it_is()
    {
        AssertRefused("does not exist or is not a folder");
        place.CreateFolder(place.Root);
        AssertRefused("is not a store");
        place.Put($"{place.Root}/notes.txt", "mine"u8);
        AssertRefused("is not a store");
        Assert.Throws<ArgumentException>(() => InMemoryEventStore.Open(new OpossumOptions { ReadOnly = true }));

        void AssertRefused(string what)
        {
            var before = place.Snapshot("/");
            var error = Assert.Throws<StoreOpenException>(OpenReader);
            Assert.Equal((place.Root,
                $"{place.Root} {what}, and opening one for reading only creates none. Choose the folder of a store. Nothing was changed."),
                    (error.Path, error.Message));
            Assert.Equal(before, place.Snapshot("/"));
        }
    }

    [Fact]
    public async Task An_empty_store_is_empty()
    {
        place.Open();
        place.CloseStores();
        Assert.Equal([], await OpenReader().ReadAllAsync());
        place.Delete(place.Layout.IndexFile);
        Assert.Equal(0, await OpenReader().GetHeadAsync());
    }

    [Theory]
    [InlineData("no index")]
    [InlineData("no frames")]
    [InlineData("no segment")]
    [InlineData("another format")]
    [InlineData("another store's")]
    [InlineData("no store.json")]
    [InlineData("event files alone")]
    public async Task Without_a_usable_index_it_is_made_in_memory(string what)
    {
        var events = await FillAsync(place);
        if (what is "no index" or "no frames" or "event files alone")
            place.Delete(place.Layout.IndexFile);
        if (what is "no index" or "no segment" or "event files alone")
            place.Delete(place.Layout.Segment(0));
        if (what is "no store.json" or "event files alone")
            place.Delete(place.Layout.StoreFile);
        if (what == "event files alone")
            place.Delete(place.Layout.LockFile);
        if (what == "another format")
            place.Patch(place.Layout.IndexFile, 8, [9]);
        if (what == "another store's")
            place.Patch(place.Layout.StoreFile, "{\n  \"format\": 1,\n  \"id\": \"".Length, "ffffffff"u8);
        var before = place.Snapshot();

        await AssertAnswersAsync(place, events, what);

        Assert.Equal(before, place.Snapshot());
    }

    [Fact]
    public async Task An_index_of_other_event_files_is_not_believed()
    {
        var store = place.Open();
        await store.AppendAsync([New("first", "k:1")]);
        place.CloseStores();
        var common = place.Snapshot();
        store = place.Open();
        await store.AppendAsync([New("backup", "k:1", "k:2")]);
        await store.AppendAsync([New("backup", "k:2")]);
        var expected = await store.ReadAllAsync();
        place.CloseStores();
        var backup = place.Snapshot(place.Layout.Events);
        place.Restore(common);
        store = place.Open();
        await store.AppendAsync([New("live", "k:3")]);
        place.CloseStores();
        place.Restore(backup, place.Layout.Events);

        await AssertAnswersAsync(place, expected, "a backup's event files");
    }

    [Fact]
    public async Task An_index_that_has_lost_its_end_hides_no_event()
    {
        var events = await FillAsync(place);
        var index = place.Bytes(place.Layout.IndexFile);
        for (var length = Seed.Value % 7; length <= index.Length; length += 7)
        {
            place.Put(place.Layout.IndexFile, index.AsSpan(0, length));
            await AssertAnswersAsync(place, events, $"cut off at {length}");
            place.Disk!.Volume = place.Disk.Volume with { IsReadOnly = true };
            await AssertAnswersAsync(place, events, $"cut off at {length}, read-only media");
            place.Disk.Volume = place.Disk.Volume with { IsReadOnly = false };
        }
    }

    // Position 8 and 9 are the last append. Nothing proves it, and it could be under way; it proves all before it.
    [Fact]
    public async Task Nothing_is_answered_while_the_last_append_may_be_one_that_the_index_lost_or_one_that_is_under_way()
    {
        var events = await FillAsync(place);
        var index = place.Bytes(place.Layout.IndexFile);
        using (var other = place.OtherLock())
        {
            using var held = other.Acquire(TimeSpan.FromSeconds(1));
            place.Put(place.Layout.IndexFile, index.AsSpan(0, IndexHeader.Length));
            var refused = Assert.Throws<StoreOpenException>(OpenImpatientReader);
            Assert.True(refused.IsTransient);
            Assert.Equal(place.Layout.LockFile, refused.Path);
            Assert.Contains("a process had it locked", refused.Message, StringComparison.Ordinal);
            place.Put(place.Layout.IndexFile, index);
            await AssertAnswersAsync(place, events, "whole");
        }
        place.Put(place.Layout.IndexFile, index.AsSpan(0, IndexHeader.Length));
        var isDenied = true;
        place.Disk!.Fail(new Fault
        {
            When = operation => isDenied && operation.Kind == OperationKind.Open && operation.Path == place.Layout.LockFile,
            Error = FileError.AccessDenied,
            Lasts = true,
        });
        var denied = Assert.Throws<StoreOpenException>(OpenImpatientReader);
        Assert.Contains("may not read it. Open the store for writing once (opossum repair open)", denied.Message, StringComparison.Ordinal);
        // Somebody who may.
        isDenied = false;
        place.Open();
        place.CloseStores();
        isDenied = true;
        await AssertAnswersAsync(place, events, "opened for writing");
    }

    [Fact]
    public async Task A_store_that_another_process_is_creating_is_followed()
    {
        place.CreateFolder(place.Root);
        place.CreateFolder(place.Layout.Events);
        var clock = new TestClock();
        var reader = place.Open(options => (options.ReadOnly, options.TimeProvider) = (true, clock));
        Assert.Equal(0, await reader.GetHeadAsync());

        await place.Open().AppendAsync([New("a", "k:1")]);
        // It looks for an index once a second.
        clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(1, await reader.GetHeadAsync());
    }

    [Fact]
    public async Task An_append_under_way_is_waited_for()
    {
        var store = place.Open();
        await store.AppendAsync([New("a")]);
        var (writer, reader) = ((SimulatedFileSystem)place.Attach(), (SimulatedFileSystem)place.Attach());
        var (isWritten, pauses) = (false, 0);
        FileSystemEventStore? opened = null;
        reader.BeforeOperation = operation => pauses += operation.Kind == OperationKind.Pause ? 1 : 0;
        writer.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Write || operation.Path != place.Layout.IndexFile || isWritten)
                return;
            isWritten = true;
            Assert.Throws<StoreOpenException>(() => place.Open(reader, Impatiently));
            Assert.True(pauses > 0);
        };
        await place.Open(writer).AppendAsync([New("b"), New("c")]);

        Assert.True(isWritten);
        opened = place.Open(reader, Impatiently);
        Assert.Equal(3, await opened.GetHeadAsync());
    }

    private static void Impatiently(OpossumOptions options) =>
        (options.ReadOnly, options.LockTimeout) = (true, TimeSpan.FromMilliseconds(100));

    private FileSystemEventStore OpenImpatientReader() => place.Open(Impatiently);

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_live_writer_is_followed(string kind)
    {
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var writer = place.Open();
        await writer.AppendAsync([New("a", "k:1")]);
        var reader = OpenReader(place);
        for (var round = 0; round < 20; round++)
        {
            await writer.AppendAsync([New("b", "k:1"), New("c", $"round:{round}")]);
            Assert.Equal(await writer.GetHeadAsync(), await reader.GetHeadAsync());
            Assert.Equal([3 + 2 * round], await reader.PositionsAsync(Tagged($"round:{round}")));
        }
    }

    [Theory]
    [InlineData("missing")]
    [InlineData("deleted later")]
    [InlineData("lagging")]
    public async Task A_writer_that_makes_the_index_anew_is_followed_and_no_head_ever_falls(string index)
    {
        var events = await FillAsync(place);
        if (index == "missing")
            place.Delete(place.Layout.IndexFile);
        if (index == "lagging")
            place.Put(place.Layout.IndexFile, place.Bytes(place.Layout.IndexFile).AsSpan(0, 100));
        var reader = OpenReader();
        var heads = new List<long> { await reader.GetHeadAsync() };
        if (index == "deleted later")
            place.Delete(place.Layout.IndexFile);
        var client = (SimulatedFileSystem)place.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Write || !operation.Path.EndsWith(".idx", StringComparison.Ordinal))
                return;
            ((SimulatedClock)place.Clock).Advance(TimeSpan.FromSeconds(2));
            heads.Add(reader.GetHeadAsync().GetAwaiter().GetResult());
        };
        var writer = place.Open(client);
        await writer.AppendAsync([New("later", "k:1")]);
        ((SimulatedClock)place.Clock).Advance(TimeSpan.FromSeconds(2));
        heads.Add(await reader.GetHeadAsync());

        Assert.Equal(heads.Order(), heads);
        Assert.Equal(10, heads[^1]);
        Assert.Equal(await writer.PositionsAsync(Tagged("k:1")), await reader.PositionsAsync(Tagged("k:1")));
        Assert.Equal(events.Select(e => e.Id), (await reader.ReadAllAsync()).Take(9).Select(e => e.Id));
    }

    [Fact]
    public async Task Lines_that_a_power_cut_took_are_replaced_by_the_event_files()
    {
        var events = await FillAsync(place);
        var segment = place.Bytes(place.Layout.Segment(0));
        foreach (var kept in (int[])[segment.Length - 1, segment.Length / 2, 60])
        {
            place.Put(place.Layout.Segment(0), [.. segment.AsSpan(0, kept), .. new byte[segment.Length - kept]]);
            await AssertAnswersAsync(place, events, $"{kept} bytes of the segment");
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Events_appended_without_flushing_that_a_power_cut_took_are_not_shown_although_the_index_names_them(bool isLastLeft)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        using (var store = FileSystemEventStore.Open(new OpossumOptions { TimeProvider = disk.Clock }, disk.Attach(), SteppedStore.LayoutOn(disk)))
            await store.AppendAsync([New("a", "k:1")]);
        var fast = SteppedStore.Open(disk.Attach(), flush: false);
        var history = new History();
        fast.Append(history.New(2));
        fast.Append(history.New());
        var after = disk.AfterPowerCut(new PowerCut(PowerCutMode.ZeroesBytes));
        var layout = new StoreLayout(SteppedStore.Root);
        foreach (var path in (string[])[layout.IndexFile, layout.Segment(0), .. isLastLeft ? [layout.EventFile(4)] : Array.Empty<string>()])
        {
            var bytes = new byte[100_000];
            using var from = disk.Attach().Open(path, FileOpening.Read)!;
            using var to = after.Attach().Open(path, FileOpening.ReadWrite)!;
            to.Write(bytes.AsSpan(0, from.Read(bytes, 0)), 0);
        }

        using var reader =
            FileSystemEventStore.Open(new OpossumOptions { ReadOnly = true, TimeProvider = disk.Clock }, after.Attach(),
                SteppedStore.LayoutOn(after));
        Assert.Equal([1], await reader.PositionsAsync());
    }

    [Theory]
    [InlineData("missing", "is missing")]
    [InlineData("empty", "is empty")]
    public async Task Damage_is_named_and_changes_nothing(string what, string message)
    {
        await FillAsync(place);
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.EventFile(3));
        if (what == "empty")
            place.Put(place.Layout.EventFile(3), []);
        var before = place.Snapshot();

        var damage = Assert.Throws<StoreDamagedException>(OpenReader);

        Assert.Equal((3, place.Layout.EventFile(3)), (damage.Position, damage.Path));
        Assert.Contains(message, damage.Message, StringComparison.Ordinal);
        Assert.Equal(before, place.Snapshot());
    }

    [Fact]
    public async Task An_index_whose_last_event_files_were_taken_away_is_damage()
    {
        await FillAsync(place);
        place.Delete(place.Layout.EventFile(9));
        Assert.Equal(9, Assert.Throws<StoreDamagedException>(OpenReader).Position);
    }

    [Fact]
    public async Task On_a_share_a_name_that_is_not_seen_yet_is_waited_for()
    {
        using var share = StorePlace.On(VolumeKind.Nfs);
        var events = await FillAsync(share);
        share.Delete(share.Layout.IndexFile);
        var third = share.Bytes(share.Layout.EventFile(3));
        share.Delete(share.Layout.EventFile(3));
        var client = (SimulatedFileSystem)share.Attach();
        var pauses = 0;
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Pause && ++pauses == 3)
                share.Put(share.Layout.EventFile(3), third);
        };

        Assert.Equal(events.Select(e => e.Id), (await share.Open(client, options => options.ReadOnly = true).ReadAllAsync()).Select(e => e.Id));
        share.Delete(share.Layout.EventFile(3));
        Assert.Throws<StoreDamagedException>(() => OpenReader(share));
    }

    [Fact]
    public async Task A_share_whose_locks_do_not_reach_others_may_be_read()
    {
        var events = await FillAsync(place);
        place.Disk!.Volume = place.Disk.Volume with { LockRefusal = "It is mounted with nobrl." };
        await AssertAnswersAsync(place, events, "no locks");
    }

    [Theory]
    [InlineData("lock file that may not be read")]
    [InlineData("locks that do not reach others")]
    public async Task Backup_is_read_whole_where_nobody_can_see_its_lock(string what)
    {
        var events = await FillAsync(place);
        place.Delete(place.Layout.IndexFile);
        place.Attach().RemoveFolder(place.Layout.Log);
        if (what == "lock file that may not be read")
        {
            place.Disk!.Fail(new Fault
            {
                When = operation => operation.Path == place.Layout.LockFile,
                Error = FileError.AccessDenied,
                Lasts = true,
            });
        }
        else
        {
            place.Disk!.Volume = place.Disk.Volume with { LockRefusal = "It is mounted with nobrl." };
        }

        await AssertAnswersAsync(place, events, what);
    }

    [Fact]
    public async Task Store_without_an_index_whose_lock_reaches_nobody_is_refused_for_that_reason()
    {
        await FillAsync(place);
        place.Delete(place.Layout.IndexFile);
        place.Disk!.Volume = place.Disk.Volume with { LockRefusal = "it is mounted with nobrl." };

        Assert.EndsWith(" shows which, but it is mounted with nobrl.",
            Assert.Throws<StoreOpenException>(OpenImpatientReader).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_large_index_made_in_memory_reports_its_progress()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 20);
        var store = place.Open(options => options.FlushEventsImmediately = false);
        for (var at = 0; at < 11; at++)
            await store.AppendAsync(Many(10, "t", $"k:{at}"));
        place.CloseStores();
        place.Delete(place.Layout.IndexFile);
        var reports = new List<StoreProgress>();

        var reader = place.Open(options => (options.ReadOnly, options.Advanced.RebuildProgress) = (true, new Reports(reports)));

        Assert.Equal(new StoreProgress { Operation = StoreOperation.IndexRebuild, Done = 110, Total = 110 }, reports[^1]);
        Assert.Equal(reports.OrderBy(each => each.Done), reports);
        Assert.Equal([19, 20, 21], await reader.PositionsAsync(Query.All, new ReadOptions { After = 18, Limit = 3 }));
        Assert.Equal(10, (await reader.PositionsAsync(Tagged("k:10"))).Count);
    }

    [Fact]
    public async Task Positions_that_no_disk_could_hold_end_the_reading_at_once()
    {
        // A file far away does not have the places before it looked at one by one.
        await FillAsync(place);
        place.Delete(place.Layout.IndexFile);
        place.Put(place.Layout.EventFile(StoreLayout.PositionMax), []);
        Assert.Equal(9, await OpenReader().GetHeadAsync());
    }

    private static FileSystemEventStore OpenReader(StorePlace place) => place.Open(options => options.ReadOnly = true);

    private FileSystemEventStore OpenReader() => OpenReader(place);

    // Single events and appends of several, many tags and types; nine events, the last two of one append.
    private static async Task<List<SequencedEvent>> FillAsync(StorePlace place)
    {
        var store = place.Open();
        await store.AppendAsync([New("a", "k:1")]);
        await store.AppendAsync([New("b", "k:1", "k:2"), New("c", "k:3"), New("a", "k:2")]);
        await store.AppendAsync([NewEvent.FromJson("grüße 😀", """{"a":[1,{"b":"ü"}]}""", new Tag("k", "😀"), new Tag("k", "1"))]);
        await store.AppendAsync([New("b")]);
        await store.AppendAsync([New("e", "k:1")]);
        await store.AppendAsync([New("b"), New("d", "k:1")]);
        var events = await store.ReadAllAsync();
        place.CloseStores();
        return events;
    }

    private static async Task AssertAnswersAsync(StorePlace place, List<SequencedEvent> events, string what)
    {
        var reader = OpenReader(place);
        Assert.Equal(events.Count, await reader.GetHeadAsync());
        foreach (var query in (Query[])[Query.All, Tagged("k:1"), Tagged("k:2"), Tagged("k:1", "k:😀"), Query.FromEventTypes("b", "d"),
            Tagged("no:one")])
        {
            Assert.Equal(events.Where(query.Matches).Select(Describe), (await reader.ReadAllAsync(query)).Select(Describe));
            Assert.Equal(events.Where(query.Matches).Reverse().Select(Describe),
                (await reader.ReadAllAsync(query, new ReadOptions { Backwards = true })).Select(Describe));
        }
        place.CloseStores();

        string Describe(SequencedEvent e) =>
            $"{what}: {e.Position} {e.Id} {e.Type} {string.Join(' ', e.Tags)} {System.Text.Encoding.UTF8.GetString(e.Json.Span)}";
    }

    private sealed class Reports(List<StoreProgress> all) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => all.Add(value);
    }
}
