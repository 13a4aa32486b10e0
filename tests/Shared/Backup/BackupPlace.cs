using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Backup;

/// <summary>A store on a simulated disk, its backup, and the folder into which the backup is restored.</summary>
internal static class BackupPlace
{
    public const string Target = "/safe/backup";
    public const string Restored = "/new/store";

    public static BackupReport Run(SimulatedFileSystem client, bool verifyAll = false) =>
        StoreBackup.Run(client, SteppedStore.LayoutOn(client.Disk), Target, new BackupOptions { VerifyAll = verifyAll }, client.Disk.Clock);

    public static BackupReport Restore(SimulatedFileSystem client, RestoreOptions? options = null) =>
        StoreBackup.Restore(client, client.Disk.LayoutOf(Target), Restored, options, client.Disk.Clock);

    /// <summary>
    /// The same, unless the folder is a store already, where a restore is refused: then, as an append does, makes the name of its file durable.
    /// </summary>
    public static void RestoreUnlessDone(SimulatedFileSystem client)
    {
        if (StoreFile.Read(client, client.Disk.LayoutOf(Restored)) is null)
            Restore(client);
        else
            DurableFile.TryFlush(client, client.Disk.LayoutOf(Restored).StoreFile);
    }

    /// <summary>The ids of all events that a reader of the folder sees, in the order of positions.</summary>
    public static List<Guid> Ids(SimulatedDisk disk, string root)
    {
        var options = new OpossumOptions { Path = root, TimeProvider = disk.Clock, ReadOnly = true };
        using var store = FileSystemEventStore.Open(options, disk.Attach(), disk.LayoutOf(root));
        return [.. Promises.Read(store, Query.All).Select(e => e.Id)];
    }

    /// <summary>The same; null when the folder is no store.</summary>
    public static List<Guid>? FindIds(SimulatedDisk disk, string root)
    {
        try
        {
            return Ids(disk, root);
        }
        catch (StoreOpenException)
        {
            return null;
        }
    }

    /// <summary>Nothing is wrong with the folder except that it has no index, or that a power cut took a removal back on a share.</summary>
    public static void AssertWhole(SimulatedDisk disk, string root, List<Guid> expected)
    {
        Assert.Equal(expected, Ids(disk, root));
        var findings = StoreCheck.Run(disk.Attach(), disk.LayoutOf(root)).Findings;
        Assert.DoesNotContain(findings, finding => finding.Kind != FindingKind.IndexMismatch
            && !(finding.Kind == FindingKind.UnfinishedSealing && disk.Volume.IsNetwork));
    }

    public static bool IsStaging(string path) => path.Contains(StoreLayout.StagingEnding, StringComparison.Ordinal);

    /// <summary>Appends the given numbers of events, by one append each.</summary>
    public static void Append(SimulatedDisk disk, params int[] sizes)
    {
        var client = disk.Attach();
        if (client.GetKind("/shop") == EntryKind.Missing)
            client.CreateFolder("/shop");
        var history = new History();
        var store = SteppedStore.Open(client);
        foreach (var size in sizes)
            store.Append(history.New(size));
        store.Close();
    }
}
