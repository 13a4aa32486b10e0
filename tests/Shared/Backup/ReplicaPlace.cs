using Opossum.Storage;
using Opossum.Storage.Ledger;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Backup;

/// <summary>A store on a simulated disk, and the replica that follows it.</summary>
internal static class ReplicaPlace
{
    public const string Root = "/other/replica";

    public static ReplicaReport Update(SimulatedFileSystem client) =>
        StoreReplica.Update(client, SteppedStore.LayoutOn(client.Disk), Root, new ReplicaOptions(), client.Disk.Clock);

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
        Assert.Equal(expected, BackupPlace.Ids(disk, Root));
        AssertSameBytes(disk, expected.Count);
        Assert.Equal(Sealed(disk, SteppedStore.Root), Sealed(disk, Root));
        var report = StoreCheck.Run(disk.Attach(), disk.LayoutOf(Root));
        Assert.True(report.IsClean, report.ToString());
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
