using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>
/// What a caller was told was not stored is never an event, whatever the full disk refused, and whatever is sealed meanwhile.
/// </summary>
public sealed class RefusedAppendTests(ITestOutputHelper output)
{
    private const int FolderPositions = 8;

    private static readonly StoreLayout layout = new(SteppedStore.Root, FolderPositions);

    [Fact]
    public void A_refused_append_never_comes_back_as_an_event_of_a_store_that_is_sealed()
    {
        var groups = from kind in (VolumeKind[])[VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix]
                     from useJournal in (bool[])[false, true]
                     select new CaseGroup<(VolumeKind Kind, bool UseJournal, long Room)>(() =>
                         [.. Enumerable.Range(0, 120).Select(blocks => (kind, useJournal, blocks * 512L))]);
        Cases.TryEach(groups, static each => Try(each.Kind, each.UseJournal, each.Room), output, Cases.PowerCuts);
    }

    private static int Try(VolumeKind kind, bool useJournal, long room)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = FolderPositions };
        var history = new History();
        var store = SteppedStore.Open(disk.Attach(), useJournal: useJournal);
        store.Append(history.New(2 * FolderPositions));
        store.EmptyJournal();
        disk.Capacity = disk.UsedBytes + room;
        for (var round = 0; round < 4; round++)
        {
            store.Append(history.New(3), history.New(), history.New(2));
            // What is removed makes room for a part of what follows.
            Record.Exception(() => Seal(disk));
        }
        var after = disk.AfterPowerCut(new PowerCut(PowerCutMode.KeepsAll));
        disk.Capacity = null;
        var states = 0;
        foreach (var left in (SimulatedDisk[])[after, .. Cases.PowerCutsAt((int)room).Select(disk.AfterPowerCut)])
        {
            left.Capacity = null;
            Promises.CheckStill(left, Promises.Check(left, history));
            states++;
        }
        return states;
    }

    private static void Seal(SimulatedDisk disk)
    {
        using var fileSystem = disk.Attach();
        StoreSealing.Seal(fileSystem, layout, 1, disk.Clock);
    }
}
