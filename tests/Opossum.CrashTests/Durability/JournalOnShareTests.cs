using System.Text;
using Opossum.FileSystem;
using Opossum.Storage;
using Opossum.Storage.Ledger;
using Opossum.Storage.Repair;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Hostile;

namespace Opossum.Tests.Durability;

/// <summary>What the journal is on a network file system, where a group is in the file of its first event until the others have files.</summary>
public sealed class JournalOnShareTests(ITestOutputHelper output)
{
    private readonly TestClock clock = new();

    public static TheoryData<string> Kinds => [nameof(VolumeKind.Smb), nameof(VolumeKind.Nfs), nameof(VolumeKind.Fuse)];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_group_is_read_checked_and_backed_up_before_its_events_have_files(string kind)
    {
        using var place = On(kind);
        var store = Open(place);
        await store.AppendAsync(Events.New("a"));
        await store.AppendAsync([Events.New("b", tags: "x:1"), Events.New("c"), Events.New("d", tags: "x:1")]);

        Assert.Equal([true, true, false, false], Enumerable.Range(1, 4).Select(at => place.Exists(place.Layout.EventFile(at))));
        Assert.Equal(3, (await store.GetStatusAsync()).EventsInJournal);
        foreach (var each in (FileSystemEventStore[])[store, place.Open(), place.Open(options => options.ReadOnly = true)])
            Assert.Equal(["b", "d"], (await each.ReadAllAsync(Query.FromTags(new Tag("x", "1")))).Select(e => e.Type));
        using var left = WhatIsLeft(place);
        left.Delete(left.Layout.IndexFile);
        Assert.Equal(["a", "b", "c", "d"],
            (await left.Open(options => options.ReadOnly = true).ReadAllAsync(Query.All)).Select(e => e.Type));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_check_and_a_backup_find_the_events_of_a_group(string kind)
    {
        using var place = On(kind);
        var store = Open(place);
        await store.AppendAsync([Events.New("a"), Events.New("b"), Events.New("c")]);

        Assert.True(place.Check().IsClean, place.Check().ToString());
        Assert.Equal(3, place.Check().Events);
        using var fileSystem = place.Attach();
        Assert.Equal(3, StoreBackup.Run(fileSystem, place.Layout, "/backup", options: null, place.Clock).Head);
        using var copy = FileSystemEventStore.Open(place.Options(), place.Attach(), place.Layout.At("/backup"));
        Assert.Equal(["a", "b", "c"], (await copy.ReadAllAsync(Query.All)).Select(e => e.Type));
        Assert.False(place.Exists(place.Layout.EventFile(2)));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Files_follow_by_themselves_within_a_second_and_are_those_of_a_store_without_a_journal(string kind)
    {
        using var place = On(kind);
        var store = Open(place);
        await store.AppendAsync([Events.New("a"), Events.New("b"), Events.New("c")]);
        var lines = Encoding.UTF8.GetString(place.Bytes(place.Layout.EventFile(1))).Split('\n');
        Assert.StartsWith("{\"journal\":1,", lines[0], StringComparison.Ordinal);
        Assert.StartsWith("{\"position\":1,\"type\":\"a\",", lines[1], StringComparison.Ordinal);
        Assert.StartsWith("{\"position\":3,\"type\":\"c\",", lines[3], StringComparison.Ordinal);
        Assert.StartsWith("{\"group\":{\"first\":1,\"last\":3,", lines[4], StringComparison.Ordinal);
        Assert.Equal(["", ""], [lines[^1], string.Concat(lines.Skip(5))]);
        clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(0, (await store.GetStatusAsync()).EventsInJournal);
        for (var position = 1; position <= 3; position++)
        {
            Assert.StartsWith($"{{\n  \"position\": {position},\n  \"type\": ", Encoding.UTF8.GetString(place.Bytes(place.Layout.EventFile(position))),
                StringComparison.Ordinal);
        }
        place.CloseStores();
        place.AssertClean();
        Assert.Equal(3, place.Names(place.Layout.ShardFolder(0)).Count);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_process_without_a_journal_finishes_what_a_dead_one_has_left(string kind)
    {
        using var place = On(kind);
        await Open(place).AppendAsync([Events.New("a"), Events.New("b")]);
        using var left = WhatIsLeft(place);
        var other = left.Open();
        Assert.True(left.Exists(left.Layout.EventFile(2)));
        await other.AppendAsync(Events.New("c"));

        left.AssertClean();
        Assert.Equal(["a", "b", "c"], (await other.ReadAllAsync(Query.All)).Select(e => e.Type));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task An_opening_finds_a_group_of_which_the_lock_file_says_nothing(string kind)
    {
        using var place = On(kind);
        await Open(place).AppendAsync([Events.New("a"), Events.New("b")]);
        using var left = WhatIsLeft(place);
        left.Delete(left.Layout.LockFile);
        left.Open();

        Assert.True(left.Exists(left.Layout.EventFile(2)));
        left.AssertClean();
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_local_disk_to_which_a_folder_was_copied_gives_the_events_their_files(string kind)
    {
        using var place = On(kind);
        await Open(place).AppendAsync([Events.New("a"), Events.New("b"), Events.New("c")]);
        using var copy = StorePlace.On(VolumeKind.Ext4);
        foreach (var (path, bytes) in place.Snapshot())
        {
            if (bytes is not null)
                copy.Put(path, bytes);
        }
        var store = copy.Open();

        Assert.Equal(["a", "b", "c"], (await store.ReadAllAsync(Query.All)).Select(e => e.Type));
        Assert.True(copy.Exists(copy.Layout.EventFile(3)));
        await store.AppendAsync(Events.New("d"));
        copy.AssertClean();
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_file_that_was_left_in_the_middle_of_a_group_is_set_aside(string kind)
    {
        using var elsewhere = StorePlace.On(VolumeKind.Ext4);
        await elsewhere.Open().AppendAsync([Events.New("x"), Events.New("y"), Events.New("z")]);
        using var place = On(kind);
        var store = Open(place);
        await store.AppendAsync([Events.New("a"), Events.New("b"), Events.New("c")]);
        place.Put(place.Layout.EventFile(2), elsewhere.Bytes(elsewhere.Layout.EventFile(2)));
        store.DrainJournal();

        Assert.Equal(["a", "b", "c"], Enumerable.Range(1, 3).Select(at => place.Event(at).Content.Type));
        Assert.Equal(1, place.Check().Quarantine?.Files);
        place.AssertClean();
    }

    [Fact]
    public async Task A_group_of_which_a_crash_left_a_part_is_set_aside_and_no_part_of_it_is_an_event()
    {
        using var place = On(nameof(VolumeKind.Smb));
        var store = Open(place);
        await store.AppendAsync(Events.New("a"));
        await store.AppendAsync([Events.New("b"), Events.New("c")]);
        var bytes = place.Bytes(place.Layout.EventFile(2));
        Cases.TryEach([.. Enumerable.Range(0, bytes.Length)], length =>
        {
            using var left = WhatIsLeft(place);
            left.Put(left.Layout.EventFile(2), bytes.AsSpan(0, length));
            left.Delete(left.Layout.IndexFile);
            Assert.Equal(["a"], Promises.Read(left.Open(), Query.All).Select(e => e.Type));
            Assert.Equal(1, left.Check().Quarantine?.Files);
            return 1;
        }, output, share: 0.25);
    }

    [Fact]
    public async Task A_changed_byte_of_a_group_loses_no_event_in_silence()
    {
        using var place = On(nameof(VolumeKind.Smb));
        var store = Open(place);
        await store.AppendAsync([Events.New("a"), Events.New("b")]);
        var bytes = place.Bytes(place.Layout.EventFile(1));
        var closing = Encoding.UTF8.GetString(bytes).IndexOf("{\"group\":", StringComparison.Ordinal);
        Cases.TryEach([.. Enumerable.Range(0, bytes.Length)], at =>
        {
            using var left = WhatIsLeft(place);
            left.Patch(left.Layout.EventFile(1), at, [(byte)(bytes[at] ^ 0x15)]);
            // With the index it is damage whatever it is.
            left.Delete(left.Layout.IndexFile);
            var error = Record.Exception(() => left.Open());
            // Without its beginning or its end it may be what a power cut has torn.
            Assert.True(error is StoreDamagedException || (left.Check().Quarantine is not null && (at < 40 || at >= closing || bytes[at] == '\n')),
                $"of {bytes.Length}: {error}");
            return 1;
        }, output, share: 0.25);
    }

    [Fact]
    public async Task What_a_repair_cuts_off_of_a_group_is_not_left_in_its_file()
    {
        using var place = On(nameof(VolumeKind.Smb));
        await Open(place).AppendAsync([Events.New("a"), Events.New("b")]);
        await Open(place).AppendAsync([NewEvent.FromJson("c", """{"secret":"eve"}"""), NewEvent.FromJson("d", """{"secret":"eve"}""")]);
        using var left = WhatIsLeft(place);
        left.Repair(static repair => new Truncation(repair, after: 2).Run());

        foreach (var file in left.Names(left.Layout.ShardFolder(0)))
        {
            Assert.DoesNotContain("eve", Encoding.UTF8.GetString(left.Bytes($"{left.Layout.ShardFolder(0)}/{file}")), StringComparison.Ordinal);
        }
        Assert.Equal(["a", "b"], (await left.Open().ReadAllAsync(Query.All)).Select(e => e.Type));
    }

    // An operation of the simulated disk is at most one round trip, except the flush of bytes that waited; `benchmarks shares` counts those.
    [Theory]
    [InlineData(nameof(VolumeKind.Smb))]
    [InlineData(nameof(VolumeKind.Nfs))]
    public void A_group_of_fifty_takes_one_write_and_one_flush_more_than_a_lone_append(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        var (store, history) = (SteppedStore.Open(disk.Attach(), useJournal: true), new History());
        store.Append(history.New());
        // Also notes in the lock file that there is a group.
        store.Append(history.New(), history.New());
        var alone = Operations(() => store.Append(history.New()));
        var group = Operations(() => store.Append([.. Enumerable.Range(0, 50).Select(_ => history.New())]));

        Assert.Equal([.. alone.Append(OperationKind.Write).Append(OperationKind.Flush).Order()], group);
        Assert.Equal(1, group.Count(static each => each == OperationKind.CreateNew));
        Assert.Equal(54, store.Head);

        List<OperationKind> Operations(Action append)
        {
            disk.Trace = [];
            append();
            return [.. disk.Trace.Select(static each => each.Kind).Order()];
        }
    }

    [Fact]
    public void A_full_share_leaves_groups_as_they_are_until_there_is_room()
    {
        var disk = new SimulatedDisk(VolumeKind.Smb, new SimulatedClock()) { BlockBytes = 4096 };
        var history = new History();
        var store = SteppedStore.Open(disk.Attach(), useJournal: true);
        store.Append(history.New());
        var refusals = 0;
        for (var turn = 0; turn < 40; turn++)
        {
            store.Append(history.New(3), history.New());
            disk.Capacity = disk.UsedBytes + turn % 5 * 4096;
            refusals += Record.Exception(() => store.TryDrainJournal()) is FileSystemException { Error: FileError.DiskFull } ? 1 : 0;
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

    [Theory]
    [MemberData(nameof(Kinds))]
    public Task An_event_that_gets_its_file_while_it_is_looked_for_is_found(string kind) => FindAllAsync(kind, hasIndex: true, static client =>
    {
        var folder = new StoreFolder(client, SteppedStore.Root);
        folder.Read();
        using var files = new EventFiles(folder);
        Assert.True(files.IsOnServer(4));
        files.Groups.FindAfter(0, null, static () => { }, out var reached);
        return Task.FromResult(reached);
    });

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_check_a_read_and_a_backup_find_all_events_while_these_get_their_files(string kind)
    {
        foreach (var hasIndex in (bool[])[true, false])
        {
            await FindAllAsync(kind, hasIndex, CountCheckedAsync);
            await FindAllAsync(kind, hasIndex, CountReadAsync);
            await FindAllAsync(kind, hasIndex, CountBackedUpAsync);
        }

        static Task<long> CountCheckedAsync(IFileSystem client)
        {
            var report = StoreCheck.Run(client, SteppedStore.Root);
            // The index may be missing.
            Assert.True(report.Findings.All(static each => each.Kind == StoreFindingKind.IndexMismatch), report.ToString());
            return Task.FromResult(report.Events);
        }

        static async Task<long> CountReadAsync(IFileSystem client)
        {
            using var store = FileSystemEventStore.Open(new OpossumOptions { Path = SteppedStore.Root, ReadOnly = true }, client, SteppedStore.Root);
            return (await store.ReadAllAsync(Query.All)).Count;
        }

        static Task<long> CountBackedUpAsync(IFileSystem client) =>
            Task.FromResult(StoreBackup.Run(client, SteppedStore.Root, "/shop/backup", options: null, new SimulatedClock()).Head);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_file_that_may_have_a_group_is_read_without_memory_for_the_longest_one(string kind)
    {
        using var place = On(kind);
        await place.Open().AppendAsync([.. Enumerable.Range(0, 100).Select(_ => Events.New("a"))]);
        using var fileSystem = place.Attach();
        var folder = new StoreFolder(fileSystem, place.Layout);
        folder.Read();
        using var files = new EventFiles(folder);
        var bytes = 0L;

        void ReadAll()
        {
            for (var position = 1; position <= 100; position++)
                bytes += files.Groups.ReadFile(position)!.Length;
        }
        ReadAll();
        Allocations.AssertBounded(bytes, 8, ReadAll);
    }

    // Another process gives four events their files, whichever operation of the work it gets ahead of.
    private static async Task FindAllAsync(string kind, bool hasIndex, Func<IFileSystem, Task<long>> count)
    {
        var (at, wasReached) = (0, true);
        for (; wasReached; at++)
        {
            var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
            var (store, history) = (SteppedStore.Open(disk.Attach(), lockTimeout: TimeSpan.Zero, useJournal: true), new History());
            store.Append(history.New(3), history.New());
            if (!hasIndex)
                disk.Attach().Delete(new StoreLayout(SteppedStore.Root).IndexFile);
            var (client, seen) = (disk.Attach(), 0);
            client.BeforeOperation = _ =>
            {
                if (seen++ == at)
                    Drain(store);
            };
            var found = await count(client);
            Assert.True(found == 4, $"{found} events were found when the others were written before operation {at}; with an index: {hasIndex}");
            wasReached = seen > at;
        }
        Assert.True(at > 5);

        // Not while the lock is held.
        static void Drain(SteppedStore store) => Assert.True(Record.Exception(() => store.TryDrainJournal()) is null or StoreLockTimeoutException);
    }

    private static StorePlace On(string kind) => StorePlace.On(Enum.Parse<VolumeKind>(kind));

    private FileSystemEventStore Open(StorePlace place) => place.Open(options =>
    {
        options.UseJournal = true;
        // Its timers stand still, so nothing follows unless a test says so.
        options.TimeProvider = clock;
    });

    // What the processes would leave if all of them ended now.
    private static StorePlace WhatIsLeft(StorePlace place)
    {
        place.Disk!.SendHeldBack();
        return StorePlace.On(place.Disk.Copy());
    }
}
