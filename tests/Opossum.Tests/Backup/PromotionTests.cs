using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage;
using Opossum.Testing.Simulated;
using Opossum.Tests.FileSystem;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Backup;

/// <summary>What a promotion changes, and what folders know of it, on real files.</summary>
public sealed class PromotionTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private string Source => Path.Combine(folder, "shop");

    private string Replica => Path.Combine(folder, "nas", "shop");

    private string Second => Path.Combine(folder, "usb");

    [Fact]
    public async Task Replica_that_was_marked_by_the_promoted_one_closes_the_former_store()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await AppendAsync(Source, 1);
        await StoreReplica.UpdateAsync(Source, Second);
        await PromoteUnreachedAsync(Source, Replica);
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Replica, Second));

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, Second));

        Assert.Contains($"it says that {Replica} was promoted in its place, in term 2", refused.Message, StringComparison.Ordinal);
        await AssertClosedAsync(Source, $"{Replica} was promoted in its place, in term 2.");
        await AssertClosedAsync(Second, $"{Replica} was promoted in its place, in term 2.");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Replica_whose_replica_was_promoted_closes_the_former_store(bool byItsHost)
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.UpdateAsync(Replica, Second);
        Directory.Move(Source, Source + ".away");
        await StoreReplica.PromoteAsync(Second);
        Directory.Move(Source + ".away", Source);

        if (byItsHost)
            Assert.Throws<StoreMaintenanceException>(() => StoreReplica.ThrowIfPromoted(Source, Replica));
        else
            await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, Replica));

        await AssertClosedAsync(Source, $"{Second} was promoted in its place, in term 2.");
        await StoreReplica.UpdateAsync(Second, Replica);
        await StoreReplica.UpdateAsync(Second, Source);
    }

    [Fact]
    public async Task Replica_with_a_damaged_note_is_named_by_a_check_and_opens_after_its_promotion()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        var note = new StoreLayout(Replica).ReplicaFile;
        await File.AppendAllTextAsync(note, "x", TestContext.Current.CancellationToken);

        var finding = Assert.Single((await StoreCheck.RunAsync(Replica)).Findings);
        var report = await StoreReplica.PromoteAsync(Replica);
        await AppendAsync(Replica, 1);

        Assert.Equal((FindingKind.BadStoreFile, note, Remedy.FollowAgain), (finding.Kind, finding.Path, finding.Remedy));
        Assert.Equal((2, false), (report.Term, report.FormerIsClosed));
        Assert.True((await StoreCheck.RunAsync(Replica)).IsClean);
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.PromoteAsync(Replica));
    }

    [Fact]
    public async Task Replica_with_a_damaged_note_that_cannot_be_removed_opens_after_its_promotion_too()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        await place.Open().AppendAsync(Many(2));
        var replica = place.Layout.At("/replica");
        StoreReplica.Update(place.Attach(), place.Layout, replica.Root, new ReplicaOptions(), place.Clock);
        place.Patch(replica.ReplicaFile, 0, "?"u8);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Delete && operation.Path == replica.ReplicaFile,
            Error = FileError.AccessDenied,
        });

        StoreReplica.Promote(place.Attach(), replica, place.Clock);

        Assert.True(place.Exists(replica.ReplicaFile));
        FileSystemEventStore.Open(new OpossumOptions { Path = replica.Root, TimeProvider = place.Clock }, place.Attach(), replica).Dispose();
    }

    [Fact]
    public async Task Promotion_of_a_replica_of_a_replica_closes_the_store_itself()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.UpdateAsync(Replica, Second);

        var report = await StoreReplica.PromoteAsync(Second);

        Assert.Equal((Source, true, 2), (report.FormerStore, report.FormerIsClosed, report.FormerHead));
        await AssertClosedAsync(Source, $"{Second} was promoted in its place, in term 2.");
        await AssertClosedAsync(Replica, $"{Second} was promoted in its place, in term 2.");
    }

    [Fact]
    public async Task Promotion_of_a_replica_of_a_replica_says_that_the_store_was_not_reached()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.UpdateAsync(Replica, Second);
        await PromoteUnreachedAsync(Source, Second);

        await AssertClosedAsync(Replica, $"{Second} was promoted in its place, in term 2.");
        await AppendAsync(Source, 1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task No_two_replicas_are_promoted_in_one_term_where_the_former_store_can_be_read(bool isFollowed)
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.UpdateAsync(Source, Second);
        await StoreReplica.PromoteAsync(Replica);
        if (isFollowed)
            await StoreReplica.UpdateAsync(Replica, Source);

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.PromoteAsync(Second));

        Assert.Equal($"{Second} was not promoted: {Source} says that {Replica} was promoted in term 2. Follow {Replica} into {Second} first, or, "
            + $"if it is lost, promote {Source} instead. Nothing was changed.", refused.Message);
        await AssertClosedAsync(Second, $"{Second} is a replica of {Source}");
        Assert.Equal(3, (await StoreReplica.PromoteAsync(Source)).Term);
        refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.PromoteAsync(Second));
        Assert.Contains($"{Source} is the store in term 3. Follow {Source} into {Second} first", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Former_store_is_no_source_any_more()
    {
        var (backup, snapshots) = (Path.Combine(folder, "backup"), Path.Combine(folder, "snapshots"));
        var options = new SnapshotOptions { KeepLast = 1 };
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        var first = await StoreBackup.TakeSnapshotAsync(Source, snapshots, options);
        await StoreReplica.PromoteAsync(Replica);

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, Second));
        BackupReport[] reports =
        [
            await StoreBackup.RunAsync(Source, backup, new BackupOptions { DryRun = true }),
            await StoreBackup.RunAsync(Source, backup),
            await StoreBackup.TakeSnapshotAsync(Source, snapshots, new SnapshotOptions { KeepLast = 1, DryRun = true }),
            await StoreBackup.TakeSnapshotAsync(Source, snapshots, options),
        ];

        var problem = $"{Source} is no longer the store: {Replica} was promoted in its place, in term 2.";
        Assert.Contains(problem, refused.Message, StringComparison.Ordinal);
        Assert.False(refused.IsTransient);
        Assert.All(reports, report => Assert.Contains(problem, $"{report}", StringComparison.Ordinal));
        Assert.All(reports, static report => Assert.Empty(report.Removed));
        Assert.Equal([first.Target, reports[^1].Target], (await StoreBackup.ListSnapshotsAsync(snapshots)).Select(static each => each.Path));
        Assert.DoesNotContain("no longer", $"{await StoreBackup.RunAsync(Replica, backup + "-2")}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Follower_ends_when_another_replica_is_promoted()
    {
        await AppendAsync(Source, 1);
        await StoreReplica.UpdateAsync(Source, Replica);
        var isPromoted = false;
        var promoting = new Each<ReplicaReport>(_ =>
        {
            if (isPromoted)
                throw new InvalidOperationException("It follows a former store.");
            isPromoted = StoreReplica.Promote(RealFileSystem.Create(), new StoreLayout(Replica), TimeProvider.System).FormerIsClosed;
        });

        var ended = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.FollowAsync(Source, Second,
            new ReplicaOptions { PollInterval = TimeSpan.FromMilliseconds(1) }, promoting, TestContext.Current.CancellationToken));

        Assert.Contains($"{Replica} was promoted in its place, in term 2.", ended.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Follow_that_is_refused_leaves_the_replica_to_the_store_that_it_followed()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Second);
        await AppendAsync(Source, 1);
        await StoreReplica.UpdateAsync(Source, Replica);

        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Second, Replica));

        await AssertClosedAsync(Replica, $"{Replica} is a replica of {Source}");
        var report = await StoreReplica.PromoteAsync(Replica);
        Assert.Equal((Source, true), (report.FormerStore, report.FormerIsClosed));
    }

    [Fact]
    public async Task Promoted_store_gets_its_term_back_by_another_path_too()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.PromoteAsync(Replica);
        await StoreReplica.UpdateAsync(Replica, Second);
        File.Delete(new StoreLayout(Replica).StoreFile);
        await AppendAsync(Replica, 1);
        var other = Path.Combine(folder, "mnt");
        TestLink.ToFolder(other, Path.Combine(folder, "nas"));

        var report = await StoreReplica.UpdateAsync(Path.Combine(other, "shop"), Second);

        Assert.Equal((2, 3), (report.Term, report.Head));
        await AppendAsync(Replica, 1);
    }

    [Fact]
    public async Task Events_that_the_promoted_store_has_too_are_not_called_those_of_the_former_one_only()
    {
        var backup = Path.Combine(folder, "backup");
        await AppendAsync(Source, 1);
        await StoreReplica.UpdateAsync(Source, Replica);
        await PromoteUnreachedAsync(Source, Replica);
        await StoreBackup.RunAsync(Replica, backup);
        await StoreReplica.UpdateAsync(Replica, Second);
        await AppendAsync(Source, 2);

        foreach (var (copy, promoted) in new[] { (backup, "the store that was promoted"), (Second, Replica) })
        {
            var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, copy));
            Assert.Null(refused.Position);
            Assert.EndsWith($"{copy} ends at position 1, so it does not show which later events only {Source} has: follow {Source} into {promoted}, "
                + "which names them.", refused.Message, StringComparison.Ordinal);
        }
        var named = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, Replica));
        Assert.Equal(1, named.Position);
        var behind = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Second, Source));
        Assert.Null(behind.Position);
        Assert.EndsWith($"which later events only {Source} has: follow {Replica} into {Source}, which names them.", behind.Message,
            StringComparison.Ordinal);
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private static async Task AssertClosedAsync(string path, string why)
    {
        var opening = await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(path, 1));
        Assert.Contains(why, opening.Message, StringComparison.Ordinal);
    }

    // As when the network parts the machines.
    private static async Task PromoteUnreachedAsync(string source, string replica)
    {
        Directory.Move(source, source + ".away");
        Assert.False((await StoreReplica.PromoteAsync(replica)).FormerIsClosed);
        Directory.Move(source + ".away", source);
    }

    private static async Task AppendAsync(string path, params int[] sizes)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        foreach (var size in sizes)
            await store.AppendAsync(Many(size));
    }

    private sealed class Each<T>(Action<T> see) : IProgress<T>
    {
        public void Report(T value) => see(value);
    }
}
