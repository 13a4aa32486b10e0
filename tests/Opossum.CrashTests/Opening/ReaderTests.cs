using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Opening;

/// <summary>
/// Stores that are opened for reading only beside writers, whatever happens to the index: what is shown is committed and
/// stays, and no opening that is answered shows less than an earlier one, or than was acknowledged.
/// </summary>
public sealed class ReaderTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Nothing_of_an_append_under_way_is_shown_whenever_a_reader_opens(bool isUnflushed)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var history = new History();
        Scenarios.Append(2)(disk, history);
        var follower = SteppedStore.Open(disk.Attach());
        var client = disk.Attach();
        var answered = 0;
        client.BeforeOperation = operation =>
        {
            if (!operation.Changes || TryOpenReader(disk) is not { } reader)
                return;
            using (reader)
                Assert.Equal(follower.ReadAll().Select(e => e.Id), Promises.Read(reader, Query.All).Select(e => e.Id));
            answered++;
        };
        SteppedStore.Open(client, flush: !isUnflushed).Append(history.New(3), history.New(), history.New(2));

        Assert.True(answered > 5);
    }

    // A process that has ended may have written an append and not flushed it.
    [Fact]
    public void What_a_process_that_was_killed_left_and_a_reader_was_shown_stays()
    {
        var cases = from kind in Enum.GetValues<VolumeKind>()
                    from useJournal in VolumeKinds.Local.Contains(kind) ? (bool[])[false, true] : [false]
                    from operations in Enumerable.Range(1, 120)
                    select (Kind: kind, UseJournal: useJournal, Operations: operations);
        Cases.TryEach([.. cases], static each => KillAndRead(each.Kind, each.UseJournal, each.Operations), output);
    }

    private static int KillAndRead(VolumeKind kind, bool useJournal, int operations)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        var history = new History();
        Scenarios.Append(2)(disk, history);
        var client = disk.Attach();
        client.KillAfter(operations);
        Attempt.UntilTheEnd(() =>
            SteppedStore.Open(client, useJournal: useJournal).Append(history.New(3), history.New(), history.New(2)));
        if (!client.IsKilled || TryOpenReader(disk) is not { } reader)
            return 0;
        List<Guid> ids;
        using (reader)
            ids = [.. Promises.Read(reader, Query.All).Select(e => e.Id)];
        var after = disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll));
        Assert.Equal(ids, Promises.Check(after, history).Take(ids.Count));
        return 1;
    }

    // The index is deleted before one of a writer's operations; at each of them, a reader opens, and another one in a copy
    // without the index.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void No_opening_shows_less_than_an_earlier_one_or_an_append_that_was_acknowledged(bool useJournal)
    {
        var operations = Play(useJournal, deletesAt: 0);
        Cases.TryEach([.. Enumerable.Range(1, operations)], at => Play(useJournal, at), output, share: 0.5);
    }

    private static int Play(bool useJournal, int deletesAt)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var history = new History();
        var first = SteppedStore.Open(disk.Attach(), useJournal: useJournal);
        first.Append(history.New(2));
        var (operations, answered, shown) = (0, 0, first.Head);
        foreach (var client in (SimulatedFileSystem[])[first.Client, disk.Attach()])
        {
            client.BeforeOperation = operation =>
            {
                // What is between two changes looks the same.
                if (!operation.Changes)
                    return;
                if (++operations == deletesAt)
                    disk.Attach().Delete(SteppedStore.LayoutOn(disk).IndexFile);
                Look(disk);
                var copy = disk.AfterPowerCut(new PowerCut(PowerCutMode.KeepsAll));
                var before = shown;
                Look(copy);
                copy.Attach().Delete(SteppedStore.LayoutOn(copy).IndexFile);
                Look(copy);
                // What nobody is working on may be shown in a copy, and be taken back here.
                shown = before;
            };
            var store = client == first.Client ? first : SteppedStore.Open(client, useJournal: useJournal);
            store.Append(history.New(3), history.New());
            shown = Math.Max(shown, store.Head);
            store.Append(history.New());
            shown = Math.Max(shown, store.Head);
            store.EmptyJournal();
            client.BeforeOperation = null;
        }
        Assert.True(answered > operations);
        return operations;

        void Look(SimulatedDisk at)
        {
            if (TryOpenReader(at) is not { } reader)
                return;
            using (reader)
            {
                var head = reader.GetHeadAsync().GetAwaiter().GetResult();
                Assert.True(head >= shown, $"{head} after {shown}, at operation {operations}");
                shown = head;
            }
            answered++;
        }
    }

    // Null: it is not certain now what is stored.
    private static FileSystemEventStore? TryOpenReader(SimulatedDisk disk)
    {
        var options = new OpossumOptions
        {
            ReadOnly = true,
            TimeProvider = disk.Clock,
            LockTimeout = TimeSpan.FromMilliseconds(100),
        };
        try
        {
            return FileSystemEventStore.Open(options, disk.Attach(), SteppedStore.LayoutOn(disk));
        }
        catch (StoreOpenException e) when (e.IsTransient)
        {
            return null;
        }
    }
}
