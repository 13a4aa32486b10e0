using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.SealingTests;

/// <summary>What an opening reads of a store with several folders.</summary>
public sealed class OpeningTests
{
    private static readonly StoreLayout layout = SealedStores.Layout;
    private readonly SimulatedDisk disk = new(VolumeKind.Ext4, new SimulatedClock()) { ShardPositions = SealedStores.Positions };
    private readonly History history = new();

    // Otherwise the time of an opening would grow with the number of events.
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public void No_folder_but_the_newest_is_listed(bool useJournal, bool indexLostItsEnd)
    {
        var store = SteppedStore.Open(disk.Attach(), useJournal: useJournal);
        for (var folder = 0; folder < 3; folder++)
            store.Append(history.New(SealedStores.Positions));
        store.Append(history.New());
        store.Close();
        if (indexLostItsEnd)
        {
            using var index = disk.Attach().Open(layout.IndexFile, FileOpening.ReadWrite)!;
            index.SetLength(index.GetLength() - 1);
        }

        var listed = new List<string>();
        var client = disk.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.List && FilePath.FolderOf(operation.Path) == layout.Events)
                listed.Add(operation.Path);
        };
        var opened = SteppedStore.Open(client, useJournal: useJournal);

        Assert.Equal(3 * SealedStores.Positions + 1, opened.Head);
        Assert.All(listed, folder => Assert.Equal(layout.ShardFolder(layout.ShardOf(opened.Head)), folder));
        Promises.Check(disk, history);
    }
}
