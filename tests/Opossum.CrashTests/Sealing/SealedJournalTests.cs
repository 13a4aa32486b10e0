using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.SealingTests;

/// <summary>Folders are sealed while events of them still have only lines, or their lines are there again.</summary>
public sealed class SealedJournalTests
{
    private static readonly StoreLayout layout = SealedStores.Layout;
    private readonly SimulatedDisk disk = new(VolumeKind.Ext4, new SimulatedClock()) { ShardPositions = SealedStores.Positions };
    private readonly History history = new();

    [Fact]
    public void A_folder_is_not_sealed_while_one_of_its_events_has_no_file()
    {
        var store = SteppedStore.Open(disk.Attach(), useJournal: true);
        store.Append(history.New(2 * SealedStores.Positions + 5));

        Assert.Equal(0, SealedStores.Seal(disk.Attach()).Folders);
        SteppedStore.Open(disk.Attach()).Append(history.New());

        Assert.Equal(2, SealedStores.Seal(disk.Attach()).Folders);
        SealedStores.AssertClean(disk);
        Promises.Check(disk, history);
    }

    // A power cut may bring back a segment that was removed.
    [Fact]
    public void Events_of_segments_that_are_there_again_are_not_written_beside_the_sealed_file()
    {
        var store = SteppedStore.Open(disk.Attach(), useJournal: true);
        for (var group = 0; group < 3; group++)
            store.Append(history.New(SealedStores.Positions));
        var before = layout.Segment(0);
        var bytes = SealedStores.Bytes(disk.Attach(), before);
        store.EmptyJournal();
        store.Close();
        Assert.Equal(3, SealedStores.Seal(disk.Attach()).Folders);
        using (var file = disk.Attach().CreateNew(before)!)
            file.Write(bytes, 0);

        SteppedStore.Open(disk.Attach(), useJournal: true).Append(history.New());
        SteppedStore.Open(disk.Attach()).Append(history.New());

        SealedStores.AssertClean(disk);
        Promises.Check(disk, history);
    }

    // A later note is not flushed: a power cut may bring back one of before the folders were sealed.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_note_of_before_the_sealing_loses_no_event(bool hasIndex)
    {
        var store = SteppedStore.Open(disk.Attach(), useJournal: true);
        for (var group = 0; group < 3; group++)
            store.Append(history.New(SealedStores.Positions));
        var note = SealedStores.Bytes(disk.Attach(), layout.LockFile);
        store.EmptyJournal();
        Assert.Equal(3, SealedStores.Seal(disk.Attach()).Folders);
        store.Append(history.New(2));
        store.Client.Kill();
        var after = disk.Copy();
        using (var client = after.Attach())
        {
            using var file = client.Open(layout.LockFile, FileOpening.ReadWrite)!;
            file.Write(note, 0);
            if (!hasIndex)
                client.Delete(layout.IndexFile);
        }

        Promises.Check(after, history);
    }
}
