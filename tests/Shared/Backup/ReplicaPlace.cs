using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Storage.Ledger;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Backup;

/// <summary>A store on a simulated disk, and the replica that follows it.</summary>
internal static class ReplicaPlace
{
    public const string Root = "/other/replica";

    public static ReplicaReport Update(SimulatedFileSystem client, bool includeKeys = false) => StoreReplica.Update(client,
        SteppedStore.LayoutOn(client.Disk), Root, new ReplicaOptions { IncludeKeys = includeKeys }, client.Disk.Clock);

    public static PromotionReport Promote(SimulatedFileSystem client) =>
        StoreReplica.Promote(client, client.Disk.LayoutOf(Root), client.Disk.Clock);

    public static bool IsPromoted(SimulatedDisk disk) => StoreFile.Read(disk.Attach(), disk.LayoutOf(Root)) is { Term: > 1 };

    /// <summary>
    /// Checks that the folder is a store with these events, which takes appends, and that the former one does not
    /// follow it any more.
    /// </summary>
    public static void AssertTakesAppends(SimulatedDisk disk, List<Guid> expected)
    {
        var options = new OpossumOptions { Path = Root, TimeProvider = disk.Clock };
        using (var store = FileSystemEventStore.Open(options, disk.Attach(), disk.LayoutOf(Root)))
        {
            Assert.Equal(expected, Promises.Read(store, Query.All).Select(e => e.Id));
            Promises.Append(store, [NewEvent.FromJson("later", "{}")]);
        }
        BackupPlace.AssertWhole(disk, Root, BackupPlace.Ids(disk, Root));
        Assert.Throws<StoreMaintenanceException>(() => Update(disk.Attach()));
        Assert.Equal(expected.Count + 1, BackupPlace.Ids(disk, Root).Count);
    }

    /// <summary>Checks that the replica begins as the store does, byte for byte, and returns how many events readers of it see.</summary>
    public static int AssertPrefix(SimulatedDisk disk)
    {
        if (BackupPlace.FindIds(disk, Root) is not { } ids)
            return 0;
        AssertSameBytes(disk, ids.Count);
        return ids.Count;
    }

    /// <summary>Checks that the replica is as the store, byte for byte, sealed where it is sealed, and without a fault.</summary>
    public static void AssertSame(SimulatedDisk disk)
    {
        var expected = BackupPlace.Ids(disk, SteppedStore.Root);
        BackupPlace.AssertWhole(disk, Root, expected);
        AssertSameBytes(disk, expected.Count);
        // On a share a power cut takes the removal of a name back, and the next step repeats it.
        if (!disk.Volume.IsNetwork)
            Assert.Equal(Sealed(disk, SteppedStore.Root), Sealed(disk, Root));
    }

    private static void AssertSameBytes(SimulatedDisk disk, int count)
    {
        using var ours = Files(disk, SteppedStore.Root);
        using var theirs = Files(disk, Root);
        for (var position = 1; position <= count; position++)
            Assert.Equal(ours.ReadBytes(position), theirs.ReadBytes(position));
    }

    private static EventFiles Files(SimulatedDisk disk, string root) => new(new StoreFolder(disk.Attach(), disk.LayoutOf(root)));

    private static List<string> Sealed(SimulatedDisk disk, string root) =>
        [.. disk.Attach().List($"{root}/Events").Where(name => disk.LayoutOf(root).TryParseSealedFileName(name, out _)).Order()];
}
