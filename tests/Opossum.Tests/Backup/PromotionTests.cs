using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.DependencyInjection;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Backup;

/// <summary>What a promotion changes, and what folders know of it, on real files.</summary>
public sealed class PromotionTests : BackupTest
{
    private string Replica => Path.Combine(Folder, "nas", "shop");

    private string Second => Path.Combine(Folder, "usb");

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
        Assert.Equal((3, false), (report.Term, report.FormerIsClosed));
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
    public async Task Former_store_whose_mark_is_damaged_is_not_promoted_in_the_term_of_the_promoted_one()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.PromoteAsync(Replica);
        await File.AppendAllTextAsync(new StoreLayout(Source).ReplicaFile, "x", TestContext.Current.CancellationToken);

        var report = await StoreReplica.PromoteAsync(Source);

        Assert.Equal(3, report.Term);
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Replica, Source));
        await AssertClosedAsync(Replica, $"{Source} was promoted in its place, in term 3.");
    }

    [Fact]
    public async Task Promotion_after_which_the_former_store_cannot_be_read_is_reported_as_done()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        await place.Open().AppendAsync(Many(2));
        var replica = place.Layout.At("/replica");
        StoreReplica.Update(place.Attach(), place.Layout, replica.Root, new ReplicaOptions(), place.Clock);
        var isMarked = false;
        place.Disk!.Fail(new Fault
        {
            When = operation => (isMarked |= operation.To == place.Layout.ReplicaFile) && operation.Kind == OperationKind.Open
                && operation.Path == place.Layout.ReplicaFile,
        });

        var report = StoreReplica.Promote(place.Attach(), replica, place.Clock);

        Assert.Equal((2, true, true), (report.Term, report.FormerIsClosed, isMarked));
    }

    [Fact]
    public async Task Promotion_after_which_the_folder_cannot_be_read_is_completed_by_another_one()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        await place.Open().AppendAsync(Many(2));
        var replica = place.Layout.At("/replica");
        StoreReplica.Update(place.Attach(), place.Layout, replica.Root, new ReplicaOptions(), place.Clock);
        var isMarked = false;
        place.Disk!.Fail(new Fault
        {
            When = operation => (isMarked |= operation.To == place.Layout.ReplicaFile) && operation.Kind == OperationKind.Open
                && operation.Path == replica.PersonalFile,
        });

        Assert.Throws<StoreMaintenanceException>(() => StoreReplica.Promote(place.Attach(), replica, place.Clock));
        var report = StoreReplica.Promote(place.Attach(), replica, place.Clock);

        Assert.Equal((2, true), (report.Term, report.FormerIsClosed));
    }

    [Theory]
    [InlineData("whole")]
    [InlineData("without its store file")]
    [InlineData("with a damaged note")]
    [InlineData("of a store that was lost")]
    public async Task Dry_run_says_what_a_promotion_does_and_changes_nothing(string replica)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync(Many(2));
        var layout = place.Layout.At("/replica");
        StoreReplica.Update(place.Attach(), place.Layout, layout.Root, new ReplicaOptions(), place.Clock);
        await store.AppendAsync(Many(1));
        place.CloseStores();
        switch (replica)
        {
            case "without its store file":
                place.Delete(layout.StoreFile);
                break;
            case "with a damaged note":
                place.Patch(layout.ReplicaFile, 0, "?"u8);
                break;
            case "of a store that was lost":
                place.Attach().MoveFolder(place.Root, "/away");
                break;
        }
        var before = place.Snapshot("/");

        var planned = StoreReplica.Promote(place.Attach(), layout, place.Clock, dryRun: true);
        Assert.Equal(before, place.Snapshot("/"));
        var report = StoreReplica.Promote(place.Attach(), layout, place.Clock);

        Assert.Equal(report with { IsDryRun = true }, planned);
        Assert.StartsWith($"Dry run, nothing was changed. /replica would be the store now, in term {report.Term}, ", $"{planned}", StringComparison.Ordinal);
        Assert.Throws<StoreMaintenanceException>(() => StoreReplica.Promote(place.Attach(), layout, place.Clock, dryRun: true));
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
        var (backup, snapshots) = (Path.Combine(Folder, "backup"), Path.Combine(Folder, "snapshots"));
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
        Assert.SkipWhen(OperatingSystem.IsWindows(), "making links takes a right on Windows that few have");
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.PromoteAsync(Replica);
        await StoreReplica.UpdateAsync(Replica, Second);
        File.Delete(new StoreLayout(Replica).StoreFile);
        await AppendAsync(Replica, 1);
        var other = Path.Combine(Folder, "mnt");
        Directory.CreateSymbolicLink(other, Path.Combine(Folder, "nas"));

        var report = await StoreReplica.UpdateAsync(Path.Combine(other, "shop"), Second);

        Assert.Equal((2, 3), (report.Term, report.Head));
        await AppendAsync(Replica, 1);
    }

    [Fact]
    public async Task Events_that_the_promoted_store_has_too_are_not_called_those_of_the_former_one_only()
    {
        var backup = Path.Combine(Folder, "backup");
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

    [Fact]
    public async Task What_only_the_closed_store_has_is_said()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await AppendAsync(Source, 1);

        var report = await StoreReplica.PromoteAsync(Replica);

        Assert.Equal((2, 3, true), (report.Head, report.FormerHead, report.FormerIsClosed));
        Assert.Contains($" up to position 2. The events after it, up to position 3, are only in {Source}, unless a power cut has taken them.",
            $"{report}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Promoted_replica_takes_appends_in_a_higher_term()
    {
        await AppendAsync(Source, 2);
        var id = (await StoreReplica.UpdateAsync(Source, Replica)).StoreId;

        var report = await StoreReplica.PromoteAsync(Replica);
        await AppendAsync(Replica, 1);

        Assert.Equal((id, 2, 2, 2), (report.StoreId, report.Term, report.Head, report.FormerHead));
        Assert.Equal(Source, report.FormerStore);
        Assert.Equal(3, (await ReadAsync(Replica)).Count);
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.PromoteAsync(Replica));
    }

    [Fact]
    public async Task Former_store_that_can_be_reached_is_closed_by_the_promotion()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await using var former = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source });

        var report = await StoreReplica.PromoteAsync(Replica);

        Assert.True(report.FormerIsClosed);
        Assert.Contains($"Nothing is appended to {Source} any more.", $"{report}", StringComparison.Ordinal);
        var append = await Assert.ThrowsAsync<StoreFaultedException>(() => former.AppendAsync(Many(1)));
        Assert.Equal(AppendOutcome.NothingWritten, append.Outcome);
        await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(Source, 1));
        await StoreReplica.UpdateAsync(Replica, Source);
    }

    [Fact]
    public async Task Another_store_at_the_path_of_the_former_one_stays_open()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        Directory.Delete(Source, recursive: true);
        await AppendAsync(Source, 1);

        var report = await StoreReplica.PromoteAsync(Replica);
        await AppendAsync(Source, 1);

        Assert.False(report.FormerIsClosed);
        Assert.Contains($"{Source} was not reached", $"{report}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Former_store_that_is_open_appends_nothing_once_it_has_met_the_promoted_one()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await PromoteUnreachedAsync(Source, Replica);
        await using var former = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source });
        await former.AppendAsync(Many(3));

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, Replica));
        var append = await Assert.ThrowsAsync<StoreFaultedException>(() => former.AppendAsync(Many(1)));
        var opening = await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(Source, 1));

        Assert.Equal((Source, 2), (refused.Path, refused.Position));
        Assert.Contains($"Only {Source} has the events of positions 3 to 5", refused.Message, StringComparison.Ordinal);
        Assert.Equal(AppendOutcome.NothingWritten, append.Outcome);
        Assert.Contains($"{Source} is no longer the store: {Replica} was promoted in its place, in term 2.", opening.Message, StringComparison.Ordinal);
        Assert.Equal(5, (await ReadAsync(Source)).Count);
        Assert.Equal(2, (await ReadAsync(Replica)).Count);
    }

    [Fact]
    public async Task Former_store_with_a_bad_file_appends_nothing_either_once_it_has_met_the_promoted_one()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await PromoteUnreachedAsync(Source, Replica);
        await using var former = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source });
        await former.AppendAsync(Many(3));
        await File.WriteAllTextAsync(new StoreLayout(Source).EventFile(1), "?", TestContext.Current.CancellationToken);

        await Assert.ThrowsAnyAsync<EventStoreException>(() => StoreReplica.UpdateAsync(Source, Replica));

        await Assert.ThrowsAsync<StoreFaultedException>(() => former.AppendAsync(Many(1)));
    }

    [Fact]
    public async Task Second_replica_that_is_ahead_of_the_promoted_one_follows_it_after_it_is_cut_off()
    {
        var second = Path.Combine(Folder, "second");
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await AppendAsync(Source, 1);
        await StoreReplica.UpdateAsync(Source, second);
        await PromoteUnreachedAsync(Source, Replica);
        await AppendAsync(Replica, 1);

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Replica, second));
        await StoreRepair.TruncateAsync(second, after: 2);
        await StoreReplica.UpdateAsync(Replica, second);

        Assert.Equal((second, 2), (refused.Path, refused.Position));
        Assert.Equal(await ReadAsync(Replica), await ReadAsync(second));
    }

    [Fact]
    public async Task Former_store_with_events_of_its_own_follows_only_after_they_are_cut_off()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await PromoteUnreachedAsync(Source, Replica);
        await AppendAsync(Replica, 1);
        await AppendAsync(Source, 2);

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Replica, Source));
        await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(Source, 1));
        await StoreRepair.TruncateAsync(Source, after: 2);
        await StoreReplica.UpdateAsync(Replica, Source);

        Assert.Equal((Source, 2), (refused.Path, refused.Position));
        Assert.Equal(await ReadAsync(Replica), await ReadAsync(Source));
        var opening = await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(Source, 1));
        Assert.Contains($"{Source} is a replica of {Replica}", opening.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Former_store_without_events_of_its_own_becomes_the_replica_and_can_be_promoted_again()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.PromoteAsync(Replica);
        await AppendAsync(Replica, 1);

        await StoreReplica.UpdateAsync(Replica, Source);
        var back = await StoreReplica.PromoteAsync(Source);
        await AppendAsync(Source, 1);

        Assert.Equal((3, 3), (back.Term, back.Head));
        await StoreReplica.UpdateAsync(Source, Replica);
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Replica));
    }

    [Fact]
    public async Task Former_store_that_becomes_the_replica_keeps_no_state_that_was_built_before_a_redaction()
    {
        const string Redacted = "ada@example.com";
        await using (var store = await FileSystemEventStore.OpenAsync(Parcels(Source)))
        {
            await using var projections = store.StartProjections([new LastTowns()]);
            await store.AppendAsync([new NewEvent(new ParcelSent(Redacted, 1)), new NewEvent(new ParcelSent("Ulm", 2))]);
            await store.Projections.Get<LastTown>().WaitForAsync(2, TestContext.Current.CancellationToken);
        }
        // As one leaves it that keeps rows in a database.
        var rows = Directory.CreateDirectory(Path.Combine(Source, "Projections", "rows")).FullName;
        await File.WriteAllTextAsync(Path.Combine(rows, "database.json"), Redacted, TestContext.Current.CancellationToken);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.PromoteAsync(Replica);
        Assert.NotEmpty(FilesWithIt());

        await StoreReplica.UpdateAsync(Replica, Source);
        await StoreRepair.RedactAsync(Replica, [1], ["town"], "asked for it");
        await StoreReplica.UpdateAsync(Replica, Source);

        Assert.Equal([], FilesWithIt());
        Assert.Single(Directory.GetFiles(Path.Combine(rows, "requests")));
        // As a process leaves it that has the former store open all the time.
        await File.WriteAllTextAsync(Path.Combine(rows, "database.json"), Redacted, TestContext.Current.CancellationToken);
        await StoreReplica.PromoteAsync(Source);
        Assert.Equal([], FilesWithIt());
        await using var back = await FileSystemEventStore.OpenAsync(Parcels(Source));
        await using var again = back.StartProjections([new LastTowns()]);
        var towns = back.Projections.Get<LastTown>();
        await towns.WaitForAsync(2, TestContext.Current.CancellationToken);
        foreach (var (key, town) in new[] { ("1", null), ("2", "Ulm") })
            Assert.Equal(new LastTown(town), await towns.GetAsync(key, TestContext.Current.CancellationToken));

        IEnumerable<string> FilesWithIt() => Directory.GetFiles(Source, "*", SearchOption.AllDirectories)
            .Where(static file => File.ReadAllText(file).Contains(Redacted, StringComparison.Ordinal));

        static OpossumOptions Parcels(string path)
        {
            var options = new OpossumOptions();
            DependencyInjection.Parcels.In(path)(options);
            return options;
        }
    }

    [Fact]
    public async Task Promoted_store_whose_file_was_written_again_gets_its_term_back_from_its_replica()
    {
        var second = Path.Combine(Folder, "second");
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.PromoteAsync(Replica);
        await StoreReplica.UpdateAsync(Replica, second);
        File.Delete(new StoreLayout(Replica).StoreFile);
        await AppendAsync(Replica, 1);

        var report = await StoreReplica.UpdateAsync(Replica, second);
        await AppendAsync(Replica, 1);

        Assert.Equal((2, 3), (report.Term, report.Head));
        Assert.Equal(2, (await StoreReplica.UpdateAsync(Replica, Source)).Term);
        Assert.Equal(await ReadAsync(Replica), await ReadAsync(Source));
    }

    // On another machine, the former store may be at the path that the promoted one has on this one.
    [Fact]
    public async Task Former_store_at_the_path_of_the_promoted_one_is_closed()
    {
        var second = Path.Combine(Folder, "second");
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        Directory.Move(Source, Source + ".away");
        await StoreReplica.PromoteAsync(Replica);
        await StoreReplica.UpdateAsync(Replica, second);
        Directory.Delete(Replica, recursive: true);
        Directory.Move(Source + ".away", Replica);

        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Replica, second));

        var opening = await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(Replica, 1));
        Assert.Contains("another folder was promoted in its place, in term 2.", opening.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_promoted_folders_never_take_each_others_events()
    {
        await AppendAsync(Source, 2);
        var second = Path.Combine(Folder, "second");
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.UpdateAsync(Source, second);
        await PromoteUnreachedAsync(Source, Replica);
        await PromoteUnreachedAsync(Source, second);
        await AppendAsync(Replica, 1);
        await AppendAsync(second, 2);

        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Replica, second));
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(second, Replica));

        Assert.Equal((3, 4), ((await ReadAsync(Replica)).Count, (await ReadAsync(second)).Count));
    }

    // Otherwise any other replica would close the restored store as the former one.
    [Fact]
    public async Task Store_restored_from_a_backup_of_the_promoted_one_is_in_its_term()
    {
        var (backup, second, restored) = (Path.Combine(Folder, "backup"), Path.Combine(Folder, "second"), Path.Combine(Folder, "restored"));
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreBackup.RunAsync(Source, backup);
        await StoreReplica.PromoteAsync(Replica);
        await AppendAsync(Replica, 1);
        await StoreReplica.UpdateAsync(Replica, second);
        await AppendAsync(Replica, 1);
        await StoreBackup.RunAsync(Replica, backup);

        await StoreBackup.RestoreAsync(backup, restored);
        await AppendAsync(restored, 1);

        var report = await StoreReplica.UpdateAsync(restored, second);
        Assert.Equal((2, 5), (report.Term, report.Head));
    }

    [Fact]
    public async Task Backups_and_snapshots_of_the_promoted_store_take_nothing_of_the_former_one()
    {
        var (backup, snapshots) = (Path.Combine(Folder, "backup"), Path.Combine(Folder, "snapshots"));
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await PromoteUnreachedAsync(Source, Replica);
        await StoreBackup.RunAsync(Replica, backup);
        var made = (await StoreBackup.TakeSnapshotAsync(Replica, snapshots)).Target;
        await AppendAsync(Source, 1);

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Source, backup));
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Source, backup, new BackupOptions { DryRun = true }));
        await Assert.ThrowsAsync<StoreMaintenanceException>(() =>
            StoreBackup.TakeSnapshotAsync(Source, snapshots, new SnapshotOptions { KeepLast = 1 }));

        Assert.Contains($"{backup} is a copy of the store that was promoted in the place of {Source}, in term 2", refused.Message,
            StringComparison.Ordinal);
        Assert.Equal(2, (await ReadAsync(backup)).Count);
        Assert.Equal(made, Assert.Single(await StoreBackup.ListSnapshotsAsync(snapshots)).Path);
    }

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

    private sealed record LastTown(string? Town);

    private sealed class LastTowns : Projection<LastTown>
    {
        public LastTowns()
            : base("last-towns") => On<ParcelSent>(e => $"{e.Grams}", (_, e) => new LastTown(e.Town));
    }
}
