using Opossum.FileSystem;
using Opossum.Storage;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.SealingTests;

/// <summary>Folders are sealed while the journal still has, or has again, events of them.</summary>
public sealed class SealedJournalTests
{
    private static readonly StoreLayout layout = SealedStores.Layout;
    private readonly SimulatedDisk disk = new(VolumeKind.Ext4, new SimulatedClock()) { ShardPositions = SealedStores.Positions };
    private readonly History history = new();

    [Fact]
    public void A_folder_is_not_sealed_while_the_journal_has_one_of_its_events()
    {
        var client = disk.Attach();
        var (store, beside) = (SteppedStore.Open(client, useJournal: true), SteppedStore.Open(disk.Attach(), useJournal: true));
        store.Append(history.New(2 * SealedStores.Positions + 5));
        // Its event has no file when those before it have theirs, so the journal keeps all of them.
        client.BeforeOperation = operation =>
        {
            if (operation.Path != layout.EventFile(1))
                return;
            client.BeforeOperation = null;
            beside.Append(history.New());
        };
        Assert.False(store.TryDrainJournal());

        Assert.Equal(0, SealedStores.Seal(disk.Attach()).Folders);
        SteppedStore.Open(disk.Attach()).Append(history.New());

        Assert.Equal(2, SealedStores.Seal(disk.Attach()).Folders);
        SealedStores.AssertClean(disk);
        Promises.Check(disk, history);
    }

    // The process that empties the journal's file may end in the middle of it, and a power cut may bring back what was emptied.
    [Theory]
    [InlineData(0)]
    [InlineData(150)]
    [InlineData(1_000)]
    public void Events_that_the_journal_has_again_are_not_written_beside_the_sealed_file(int emptied)
    {
        var store = SteppedStore.Open(disk.Attach(), useJournal: true);
        for (var group = 0; group < 3; group++)
            store.Append(history.New(SealedStores.Positions));
        var before = JournalBytes();
        store.EmptyJournal();
        store.Close();
        Assert.Equal(3, SealedStores.Seal(disk.Attach()).Folders);
        for (var number = 0; number < before.Count; number++)
        {
            before[number].AsSpan(0, Math.Min(emptied, before[number].Length)).Fill((byte)'\n');
            using var file = disk.Attach().Open(layout.JournalFiles[number], FileOpening.ReadWrite)!;
            file.Write(before[number], 0);
        }

        SteppedStore.Open(disk.Attach(), useJournal: true).Append(history.New());
        SteppedStore.Open(disk.Attach()).Append(history.New());

        SealedStores.AssertClean(disk);
        Promises.Check(disk, history);
    }

    private List<byte[]> JournalBytes() => [.. layout.JournalFiles.Select(path => SealedStores.Bytes(disk.Attach(), path))];
}
