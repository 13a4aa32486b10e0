using System.Threading.Channels;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Storage.Replicas;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Backup;

/// <summary>What a replica holds and refuses, on real files.</summary>
public sealed class StoreReplicaTests : BackupTest
{
    private string Replica => Path.Combine(Folder, "nas", "shop");

    [Fact]
    public async Task Replica_is_the_store_byte_for_byte_with_its_index_and_without_a_fault()
    {
        await AppendAsync(Source, 2, 3);
        var first = await StoreReplica.UpdateAsync(Source, Replica);
        await AppendAsync(Source, 1);
        var second = await StoreReplica.UpdateAsync(Source, Replica);

        Assert.Equal((5, 5, 0), (first.Head, first.Copied, first.Mended));
        Assert.Equal((6, 1, 0), (second.Head, second.Copied, second.Mended));
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Replica));
        foreach (var file in Directory.GetFiles(Path.Combine(Source, "Events"), "*", SearchOption.AllDirectories)
            .Append(new StoreLayout(Source).IndexFile))
        {
            Assert.Equal(File.ReadAllBytes(file), File.ReadAllBytes(file.Replace(Source, Replica, StringComparison.Ordinal)));
        }
        Assert.True((await StoreCheck.RunAsync(Replica)).IsClean);
    }

    [Fact]
    public async Task Events_that_are_not_known_to_be_durable_are_left_out_and_counted()
    {
        await AppendAsync(Source, 2);
        var lockFile = new StoreLayout(Source).LockFile;
        var text = File.ReadAllText(lockFile);
        await AppendAsync(Source, 1);
        File.WriteAllText(lockFile, text.Replace("files all", "files 2, others are not flushed", StringComparison.Ordinal));

        var report = await StoreReplica.UpdateAsync(Source, Replica);
        await using var replica = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Replica, ReadOnly = true });
        var status = await replica.GetStatusAsync();

        Assert.Equal((2, 2, 1), (report.Head, report.SourceHead, report.NotDurable));
        Assert.Equal((2, 3), (status.Head, status.Replica!.SourceHead));
        Assert.EndsWith(" 1 event after it is not known to be durable, and was left out.", report.ToString(), StringComparison.Ordinal);
    }

    // Else a host would call the store unhealthy while a large replica is compared.
    [Fact]
    public async Task A_follower_says_how_far_it_is_within_a_step()
    {
        await AppendAsync(Source, 2, 3);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreRepair.RebuildIndexAsync(Source);
        using var end = new CancellationTokenSource();
        List<StoreOperation> within = [];

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => StoreReplica.FollowStepsAsync(Source, Replica, options: null,
            new Each<ReplicaReport>(_ => end.Cancel()), new Each<StoreProgress>(each => within.Add(each.Operation)), end.Token));

        Assert.Contains(StoreOperation.Check, within);
    }

    [Fact]
    public async Task The_folder_that_was_promoted_is_named_and_not_another_one_that_follows_it()
    {
        var second = Path.Combine(Folder, "usb");
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.PromoteAsync(Replica);
        await StoreReplica.UpdateAsync(Replica, second);

        var following = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, second));
        var opening = await Assert.ThrowsAsync<StoreOpenException>(() => FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source }));

        Assert.Contains($"it follows {Replica}, which was promoted in its place, in term 2", following.Message, StringComparison.Ordinal);
        Assert.Contains($"{Replica} was promoted in its place, in term 2.", opening.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Sealed_events_are_read_one_by_one_only_where_the_index_of_the_store_is_of_no_use(bool isDamaged)
    {
        const int shardPositions = 40;
        // Two folders are sealed; each copy is read back, and looked at once more where an append may end.
        const int readsOfACopy = 5;
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: shardPositions);
        for (var number = 0; number < shardPositions; number++)
            await place.Open().AppendAsync([New("moved", $"item:{number}"), New("moved"), New("counted")]);
        place.CloseStores();
        place.Seal();
        var index = place.Bytes(place.Layout.IndexFile);
        if (isDamaged)
            place.Patch(place.Layout.IndexFile, index.Length / 2, [byte.MaxValue]);
        var copies = place.Layout.At("/replica");
        var reads = 0;
        using var client = place.Disk!.Attach();
        client.BeforeOperation = each =>
            reads += each.Kind == OperationKind.Read && each.Path.StartsWith(copies.Events, StringComparison.Ordinal) ? 1 : 0;

        var report = StoreReplica.Update(client, place.Layout, copies.Root, new ReplicaOptions(), place.Clock);

        Assert.Equal(3 * shardPositions, report.Head);
        Assert.Equal(index, place.Bytes(copies.IndexFile));
        Assert.Equal(isDamaged, reads > 2 * readsOfACopy);
    }

    [Fact]
    public async Task Runs_of_the_index_are_those_of_the_store()
    {
        using var place = await SealedWithRunsAsync();
        var copies = place.Layout.At("/replica");
        var heads = new List<long>();
        using (var session = ReplicaSession.Open(place.Attach(), place.Layout, copies.Root, new ReplicaOptions(), place.Clock, progress: null,
            TestContext.Current.CancellationToken))
        {
            while (heads.LastOrDefault() < 130)
                heads.Add(session.TryStep(isLast: false)!.Head);
        }

        // The sealed folders are one step: their last append ends at 118. The event files after them are another.
        Assert.Equal([118, 130], heads);
        Assert.Equal(place.Bytes(place.Layout.IndexFile), place.Bytes(copies.IndexFile));
        string[] runs = ["0000000001-0000000064.run", "0000000065-0000000096.run", "0000000097-0000000112.run"];
        Assert.Equal(runs, place.Names(copies.Index).Where(name => name.EndsWith(".run", StringComparison.Ordinal)));
        Assert.All(runs, name => Assert.Equal(place.Bytes($"{place.Layout.Index}/{name}"), place.Bytes($"{copies.Index}/{name}")));
        Assert.Empty(StoreCheck.Run(place.Attach(), copies, progress: null).Findings);
    }

    [Fact]
    public async Task Sealed_folders_before_one_that_cannot_be_read_are_copied()
    {
        using var place = await SealedWithRunsAsync();
        var unreadable = place.Layout.SealedFile(place.Layout.ShardOf(81));
        place.Disk!.Fail(new Fault { When = each => each.Kind == OperationKind.Read && each.Path == unreadable, Lasts = true });
        using var session = ReplicaSession.Open(place.Attach(), place.Layout, "/replica", new ReplicaOptions(), place.Clock, progress: null,
            TestContext.Current.CancellationToken);

        Assert.Equal(78, session.TryStep(isLast: false)!.Head);

        Assert.Throws<FileSystemException>(() => session.TryStep(isLast: false));
    }

    [Fact]
    public async Task Reader_of_a_replica_sees_events_that_arrive_later()
    {
        await AppendAsync(Source, 1);
        await StoreReplica.UpdateAsync(Source, Replica);
        await using var reader = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Replica, ReadOnly = true });
        await AppendAsync(Source, 2);

        await StoreReplica.UpdateAsync(Source, Replica);

        Assert.Equal(3, await reader.GetHeadAsync());
        Assert.Equal(await ReadAsync(Source), (await reader.ReadAllAsync()).ConvertAll(e => e.Id));
    }

    [Fact]
    public async Task Replica_opens_for_reading_only()
    {
        await AppendAsync(Source, 1);
        await StoreReplica.UpdateAsync(Source, Replica);

        var opening = await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(Replica, 1));
        var repair = await Assert.ThrowsAsync<StoreOpenException>(() => StoreRepair.RebuildIndexAsync(Replica));
        var backup = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Source, Replica));

        Assert.Contains($"{Replica} is a replica of {Source}", opening.Message, StringComparison.Ordinal);
        Assert.Contains("repair that store", repair.Message, StringComparison.Ordinal);
        Assert.Contains("is no backup: it follows", backup.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_backup_of_the_folder_that_was_promoted_is_not_called_promoted()
    {
        var backup = Path.Combine(Folder, "backup");
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        // Whatever it marks as the former store, it is not this one.
        Directory.Move(Source, Source + "-away");
        await StoreReplica.PromoteAsync(Replica);
        Directory.Move(Source + "-away", Source);
        await StoreBackup.RunAsync(Replica, backup);

        var following = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, backup));
        var opening = await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(Source, 1));

        Assert.Contains($"{backup} does not follow {Source}: it is a copy of the store that was promoted in its place, in term 2.", following.Message,
            StringComparison.Ordinal);
        Assert.Contains("another folder was promoted in its place, in term 2.", opening.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("a frame")]
    [InlineData("a line")]
    [InlineData("no index")]
    public async Task Remedy_that_a_check_of_a_replica_names_mends_its_index(string damage)
    {
        var layout = new StoreLayout(Replica);
        await AppendAsync(Source, 2, 3, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        if (damage == "no index")
            File.Delete(layout.IndexFile);
        else
            Damage(damage == "a frame" ? layout.IndexFile : layout.Segment(0));
        var finding = Assert.Single((await StoreCheck.RunAsync(Replica)).Findings);
        Assert.Contains($"{Replica} is a replica of {Source}", finding.Message, StringComparison.Ordinal);
        if (damage == "no index")
        {
            Assert.Equal(Remedy.FollowAgain, finding.Remedy);
        }
        else
        {
            Assert.Equal(Remedy.MoveAway, finding.Remedy);
            Directory.Delete(layout.Index, recursive: true);
        }

        await StoreReplica.UpdateAsync(Source, Replica);

        Assert.True((await StoreCheck.RunAsync(Replica)).IsClean);
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Replica));

        static void Damage(string file)
        {
            var bytes = File.ReadAllBytes(file);
            bytes[Array.LastIndexOf(bytes, (byte)'t')] ^= 1;
            File.WriteAllBytes(file, bytes);
        }
    }

    [Fact]
    public async Task Folder_with_a_damaged_note_stays_closed_and_follows_again()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await File.WriteAllTextAsync(new StoreLayout(Replica).ReplicaFile, "?", TestContext.Current.CancellationToken);

        await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(Replica, 1));
        await StoreReplica.UpdateAsync(Source, Replica);

        Assert.Equal(await ReadAsync(Source), await ReadAsync(Replica));
    }

    [Fact]
    public async Task Redaction_reaches_the_replica_and_its_index()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source }))
            await store.AppendAsync([New("t"), NewEvent.FromJson("t", """{"mail":"ada@example.com"}"""), New("t")]);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreRepair.RedactAsync(Source, [2], ["mail"], "The person asked for it.");

        var report = await StoreReplica.UpdateAsync(Source, Replica);

        Assert.Equal((3, 0, 1), (report.Head, report.Copied, report.Mended));
        foreach (var file in new[] { new StoreLayout(Source).EventFile(2), new StoreLayout(Source).Segment(0), new StoreLayout(Source).IndexFile })
            Assert.Equal(File.ReadAllBytes(file), File.ReadAllBytes(file.Replace(Source, Replica, StringComparison.Ordinal)));
        Assert.Equal(0, (await StoreReplica.UpdateAsync(Source, Replica)).Mended);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Redaction_reaches_what_follows_a_replica_or_a_backup(bool isBackup)
    {
        var second = Path.Combine(Folder, "usb");
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source }))
            await store.AppendAsync([New("t"), NewEvent.FromJson("t", """{"mail":"ada@example.com"}""")]);
        await CopyAsync();
        await StoreReplica.UpdateAsync(Replica, second);
        await StoreRepair.RedactAsync(Source, [2], ["mail"], "The person asked for it.");
        await CopyAsync();

        Assert.Equal(1, (await StoreReplica.UpdateAsync(Replica, second)).Mended);
        Assert.Equal(File.ReadAllBytes(new StoreLayout(Source).EventFile(2)), File.ReadAllBytes(new StoreLayout(second).EventFile(2)));
        Assert.Equal(0, (await StoreReplica.UpdateAsync(Replica, second)).Mended);

        Task CopyAsync() => isBackup
            ? StoreBackup.RunAsync(Source, Replica, new BackupOptions { VerifyAll = true })
            : StoreReplica.UpdateAsync(Source, Replica);
    }

    [Fact]
    public async Task Redaction_reaches_the_replica_of_a_store_whose_file_was_lost_since()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source }))
            await store.AppendAsync([New("t"), NewEvent.FromJson("t", """{"mail":"ada@example.com"}""")]);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreRepair.RedactAsync(Source, [2], ["mail"], "The person asked for it.");
        File.Delete(new StoreLayout(Source).StoreFile);
        await AppendAsync(Source);

        Assert.Equal(1, (await StoreReplica.UpdateAsync(Source, Replica)).Mended);
    }

    [Fact]
    public async Task What_interrupted_work_has_left_in_a_former_store_is_removed_when_it_follows()
    {
        await AppendAsync(Source, 2);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.PromoteAsync(Replica);
        var events = new StoreLayout(Source);
        string[] left = [events.NewSealedFileStaging(0), events.EventFile(1) + DurableFile.StagingEnding, events.NewTakenBackFile(2)];
        foreach (var path in left)
            await File.WriteAllTextAsync(path, "ada@example.com", TestContext.Current.CancellationToken);

        await StoreReplica.UpdateAsync(Replica, Source);

        Assert.All(left, static path => Assert.False(File.Exists(path)));
    }

    [Fact]
    public async Task Redaction_reaches_what_a_former_store_that_follows_has_set_aside()
    {
        var event1 = new StoreLayout(Source).EventFile(1);
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source }))
            await store.AppendAsync(NewEvent.FromJson("t", """{"mail":"ada@example.com","name":"Ada"}"""));
        await File.WriteAllTextAsync(event1, (await File.ReadAllTextAsync(event1)).Replace("\"Ada\"", "\"A\"", StringComparison.Ordinal));
        await StoreRepair.AcceptEditedFileAsync(Source, 1);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreReplica.PromoteAsync(Replica);
        await StoreReplica.UpdateAsync(Replica, Source);
        await StoreRepair.RedactAsync(Replica, [1], ["mail"], "The person asked for it.");

        await StoreReplica.UpdateAsync(Replica, Source);

        var setAside = Directory.GetFiles(new StoreLayout(Source).Quarantine, "*", SearchOption.AllDirectories).Select(File.ReadAllText).ToList();
        Assert.Contains(setAside, static text => text.Contains("\"Ada\"", StringComparison.Ordinal));
        Assert.DoesNotContain(setAside, static text => text.Contains("ada@example.com", StringComparison.Ordinal));
    }

    // Its repairs would be counted from those before the backup again.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Redaction_after_the_store_was_put_back_from_a_copy_reaches_the_replica(bool isRestored)
    {
        var copy = Path.Combine(Folder, "copy");
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source }))
            await store.AppendAsync([New("t"), NewEvent.FromJson("t", """{"mail":"ada@example.com"}""")]);
        await StoreBackup.RunAsync(Source, copy);
        await StoreRepair.RebuildIndexAsync(Source);
        await StoreReplica.UpdateAsync(Source, Replica);
        Directory.Delete(Source, recursive: true);
        if (isRestored)
            await StoreBackup.RestoreAsync(copy, Source);
        else
            Directory.Move(copy, Source);
        await StoreRepair.RedactAsync(Source, [2], ["mail"], "The person asked for it.");

        var report = await StoreReplica.UpdateAsync(Source, Replica);

        Assert.Equal((2, 1), (report.Head, report.Mended));
        Assert.Equal(File.ReadAllBytes(new StoreLayout(Source).EventFile(2)), File.ReadAllBytes(new StoreLayout(Replica).EventFile(2)));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(4)]
    public async Task Damaged_copy_is_made_again_once_it_is_moved_away(long damaged)
    {
        await AppendAsync(Source, 1, 3);
        await StoreReplica.UpdateAsync(Source, Replica);
        var layout = new StoreLayout(Replica);
        await File.WriteAllTextAsync(layout.EventFile(damaged), "?", TestContext.Current.CancellationToken);

        var findings = (await StoreCheck.RunAsync(Replica)).Findings;
        var refusal = await Assert.ThrowsAsync<StoreOpenException>(() => StoreRepair.RestoreFromIndexAsync(Replica));
        File.Delete(layout.EventFile(damaged));
        var report = await StoreReplica.UpdateAsync(Source, Replica);

        Assert.Contains(findings, each => each.Kind == FindingKind.BadEventFile && each.Path == layout.EventFile(damaged));
        Assert.All(findings, static each => Assert.Equal(Remedy.MoveAway, each.Remedy));
        foreach (var message in findings.Select(static each => each.Message).Append(refusal.Message))
            Assert.Contains("move the damaged files away and start following again", message, StringComparison.Ordinal);
        Assert.Equal(4, report.Head);
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Replica));
        Assert.Equal([], (await StoreCheck.RunAsync(Replica)).Findings);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Damaged_sealed_copy_is_made_again_once_it_is_moved_away_and_keeps_nothing_from_being_unsealed(bool isUnsealed)
    {
        const int shardPositions = 10;
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: shardPositions);
        for (var number = 0; number < shardPositions; number++)
            await place.Open().AppendAsync([New("moved"), New("moved")]);
        place.CloseStores();
        place.Seal();
        var copies = place.Layout.At("/replica");
        Follow();
        place.Patch(copies.SealedFile(0), 40, "?"u8);
        if (isUnsealed)
            place.Unseal();

        var first = Follow();
        var bad = StoreCheck.Run(place.Attach(), copies).Findings.Single(static each => each.Kind == FindingKind.BadEventFile);
        place.Delete(bad.Path);
        var second = Follow();

        Assert.Equal((2 * shardPositions, 0, 2 * shardPositions), (first.Head, first.Mended, second.Head));
        Assert.Equal((Remedy.MoveAway, isUnsealed ? copies.EventFile(1) : copies.SealedFile(0)), (bad.Remedy, bad.Path));
        Assert.Equal(isUnsealed ? 1 : shardPositions - 1, second.Mended);
        Assert.Equal(!isUnsealed, place.Exists(copies.SealedFile(0)));
        Assert.Equal([], StoreCheck.Run(place.Attach(), copies).Findings);

        ReplicaReport Follow() => StoreReplica.Update(place.Attach(), place.Layout, copies.Root, new ReplicaOptions(), place.Clock);
    }

    [Fact]
    public async Task Backup_becomes_a_replica_and_a_store_of_its_own_does_not()
    {
        await AppendAsync(Source, 2);
        await StoreBackup.RunAsync(Source, Replica);
        await StoreReplica.UpdateAsync(Source, Replica);
        var restored = Path.Combine(Folder, "restored");
        await StoreBackup.RestoreAsync(Source, restored);
        await AppendAsync(restored);

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, restored));

        Assert.Contains("it is a store of its own", refused.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(new StoreLayout(restored).ReplicaFile));
    }

    [Fact]
    public async Task Truncated_store_is_not_followed()
    {
        await AppendAsync(Source, 1, 1, 1);
        await StoreReplica.UpdateAsync(Source, Replica);
        await StoreRepair.TruncateAsync(Source, after: 2);

        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreReplica.UpdateAsync(Source, Replica));

        Assert.Equal(3, (await ReadAsync(Replica)).Count);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task Replica_that_has_lost_its_store_file_follows_again_and_can_be_promoted(bool isPromoted, bool isWithoutIndex)
    {
        await AppendAsync(Source, 2);
        var id = (await StoreReplica.UpdateAsync(Source, Replica)).StoreId;
        File.Delete(new StoreLayout(Replica).StoreFile);
        if (isWithoutIndex)
            Directory.Delete(new StoreLayout(Replica).Index, recursive: true);

        var finding = Assert.Single((await StoreCheck.RunAsync(Replica)).Findings, static each => each.Kind == FindingKind.StoreFileMissing);
        var repair = await Assert.ThrowsAsync<StoreOpenException>(() => StoreRepair.RebuildIndexAsync(Replica));
        Assert.Equal(Remedy.FollowAgain, finding.Remedy);
        Assert.DoesNotContain("open", finding.Message, StringComparison.Ordinal);
        Assert.Contains("Start following again, or promote it", repair.Message, StringComparison.Ordinal);
        if (isPromoted)
        {
            var report = await StoreReplica.PromoteAsync(Replica);
            Assert.Equal((2, 2, !isWithoutIndex), (report.Term, report.Head, report.StoreId == id));
            await AppendAsync(Replica, 1);
            return;
        }
        var followed = await StoreReplica.UpdateAsync(Source, Replica);
        Assert.Equal((id, 2), (followed.StoreId, followed.Head));
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Replica));
        Assert.True((await StoreCheck.RunAsync(Replica)).IsClean);
    }

    [Fact]
    public async Task Restore_up_to_a_time_takes_a_replica()
    {
        await AppendAsync(Source, 2, 1);
        await StoreReplica.UpdateAsync(Source, Replica);
        var restored = Path.Combine(Folder, "restored");

        var report = await StoreBackup.RestoreAsync(Replica, restored, new RestoreOptions { UpToTime = await TimeOfAsync(2), NewId = true });
        await AppendAsync(restored, 1);

        Assert.Equal(2, report.Head);
    }

    [Fact]
    public async Task Follower_goes_on_after_what_failed_for_a_while_and_ends_when_it_is_cancelled()
    {
        await AppendAsync(Source, 1);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var reports = new Reports();
        var following = StoreReplica.FollowAsync(Source, Replica, new ReplicaOptions { PollInterval = TimeSpan.FromMilliseconds(1) }, reports,
            stop.Token);
        await reports.WaitAsync(static report => report.Head == 1);
        Directory.Move(Source, Source + ".away");
        await reports.WaitAsync(static report => report.Problem is not null);
        Directory.Move(Source + ".away", Source);
        await reports.WaitAsync(static report => report.Problem is null);
        await AppendAsync(Source, 2);
        await reports.WaitAsync(static report => report.Head == 3);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => following);
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Replica));
    }

    [Fact]
    public async Task Follower_writes_a_store_file_again_that_the_replica_has_lost()
    {
        await AppendAsync(Source, 1);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var reports = new Reports();
        var following = StoreReplica.FollowAsync(Source, Replica, new ReplicaOptions { PollInterval = TimeSpan.FromMilliseconds(1) }, reports,
            stop.Token);
        await reports.WaitAsync(static report => report.Head == 1);
        File.Delete(new StoreLayout(Replica).StoreFile);
        await AppendAsync(Source, 1);

        await reports.WaitAsync(static report => report is { Head: 2, Problem: null });

        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => following);
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Replica));
    }

    // A thread of the pool spins after each step, which an idle follower would pay twice a second.
    [Fact]
    public async Task Follower_takes_no_thread_of_the_pool()
    {
        await AppendAsync(Source, 1);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        List<(int Id, bool IsOfPool)> threads = [];
        var three = new Each<ReplicaReport>(_ =>
        {
            threads.Add((Environment.CurrentManagedThreadId, Thread.CurrentThread.IsThreadPoolThread));
            if (threads.Count == 3)
                stop.Cancel();
        });

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => StoreReplica.FollowAsync(Source, Replica,
            new ReplicaOptions { PollInterval = TimeSpan.FromMilliseconds(1) }, three, stop.Token));

        Assert.False(Assert.Single(threads.Distinct()).IsOfPool);
    }

    [Fact]
    public async Task Follower_ends_when_the_replica_is_promoted()
    {
        await AppendAsync(Source, 1);
        var reports = new Reports();
        var following = StoreReplica.FollowAsync(Source, Replica, new ReplicaOptions { PollInterval = TimeSpan.FromMilliseconds(1) }, reports,
            TestContext.Current.CancellationToken);
        await reports.WaitAsync(static report => report.Head == 1);

        await StoreReplica.PromoteAsync(Replica);

        await Assert.ThrowsAsync<StoreMaintenanceException>(() => following);
        await Assert.ThrowsAsync<StoreOpenException>(() => AppendAsync(Source, 1));
    }

    private static async Task<StorePlace> SealedWithRunsAsync()
    {
        var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 40);
        place.Runs = new RunSettings { Length = 8, Fan = 2, LengthMax = 64, InBackground = false };
        var store = place.Open();
        for (var number = 0; number < 65; number++)
            await store.AppendAsync([New("moved", $"item:{number}"), New("counted")]);
        store.MakeRuns();
        place.CloseStores();
        place.Seal();
        return place;
    }

    private async Task<DateTimeOffset> TimeOfAsync(long position)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source, ReadOnly = true });
        return (await store.ReadAllAsync()).Single(e => e.Position == position).Timestamp;
    }

    private sealed class Reports : IProgress<ReplicaReport>
    {
        private readonly Channel<ReplicaReport> reports = Channel.CreateUnbounded<ReplicaReport>();

        public void Report(ReplicaReport value) => reports.Writer.TryWrite(value);

        public async Task WaitAsync(Predicate<ReplicaReport> isExpected)
        {
            while (!isExpected(await reports.Reader.ReadAsync(TestContext.Current.CancellationToken)))
            {
            }
        }
    }
}
