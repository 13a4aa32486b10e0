using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Tests.Repair;
using static Opossum.Tests.Repair.PersonalStore;

namespace Opossum.Tests.FileSystem;

/// <summary>A link or a mounted volume may lead to a store, and to a folder from which events are restored. Inside a store it is refused.</summary>
public sealed class LinkedRootTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolder(shardPositions: 4);
    private readonly IFileSystem files;

    public LinkedRootTests()
    {
        files = place.Attach();
        Link(place.Root);
    }

    public void Dispose()
    {
        files.Dispose();
        place.Dispose();
    }

    [Fact]
    public async Task A_store_is_redacted_sealed_and_proven_where_a_link_leads_to_it()
    {
        var before = await CreateAsync(place);
        place.Seal();
        using var key = ProofKey.Create("shop.example");
        var checkpoint = StoreProof.WriteCheckpoint(files, place.Layout, key, [], place.Clock, CancellationToken.None).Checkpoint;

        Assert.Equal(Positions, place.Repair(Remedies.Redact(place.Clock, Positions, Members)).Redacted);

        Assert.Equal([], WhereItIs(place));
        Assert.Null(place.Repair(Remedies.FinishRedaction(place.Clock)));
        Assert.Null(StoreProof.Verify(files, place.Layout, [checkpoint], null, CancellationToken.None).FirstDifference);
        place.Unseal();
        place.AssertClean();
        place.Repair(Remedies.Truncate(5));
        place.Repair(Remedies.RebuildIndex);
        AssertRedacted([.. before.Take(5)], await place.Open().ReadAllAsync());
    }

    [Fact]
    public async Task Copies_are_made_of_and_into_folders_to_which_links_lead()
    {
        await CreateAsync(place);
        place.Seal();
        var (backup, restored, replica, imported) = (Linked("backup"), Linked("restored"), Linked("replica"), Linked("imported"));
        StoreBackup.Run(files, place.Layout, backup.Root, null, place.Clock);
        StoreBackup.Run(files, place.Layout, backup.Root, new BackupOptions { VerifyAll = true }, place.Clock);
        StoreBackup.Restore(files, backup, restored.Root, new RestoreOptions(), place.Clock);
        StoreReplica.Update(files, place.Layout, replica.Root, new ReplicaOptions(), place.Clock);
        using var file = new MemoryStream();
        StoreExport.Run(files, place.Layout, file, Query.All, ReadOptions.Default, place.Clock);
        file.Position = 0;
        StoreImport.Run(files, imported, file, new ImportOptions { CreateIfMissing = true }, place.Clock);
        StoreReplica.Promote(files, replica, place.Clock);

        foreach (var each in (StoreLayout[])[backup, restored, replica, imported])
            Assert.Equal(6, StoreCheck.Run(files, each).Events);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Events_are_restored_from_a_folder_to_which_a_link_leads(bool isInQuarantine)
    {
        await CreateAsync(place);
        var folder = isInQuarantine ? $"{place.Layout.Quarantine}/mine" : place.Root + "-files";
        place.CreateFolder(Path.GetDirectoryName(folder)!);
        Link(folder, place.Root + "-outside");
        place.Put($"{folder}/0000000002.json", place.Bytes(place.Layout.EventFile(2)));
        place.Delete(place.Layout.EventFile(2));

        Assert.Equal([2], place.Repair(Remedies.RestoreFrom(folder)).Restored);
        place.AssertClean();
    }

    [Fact]
    public async Task An_event_file_in_a_folder_of_the_store_that_is_a_link_is_refused()
    {
        await CreateAsync(place);
        Directory.Move(place.Layout.ShardFolder(0), place.Root + "-outside");
        TestLink.ToFolder(place.Layout.ShardFolder(0), place.Root + "-outside");

        var refused = Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.Redact(place.Clock, [1], "email")));
        Assert.Equal(place.Layout.ShardFolder(0), refused.Path);
    }

    private StoreLayout Linked(string name)
    {
        var layout = place.Layout.At($"{place.Root}-{name}");
        Link(layout.Root);
        return layout;
    }

    private static void Link(string path, string? target = null)
    {
        target ??= path + "-there";
        Directory.CreateDirectory(target);
        TestLink.ToFolder(path, target);
    }
}
