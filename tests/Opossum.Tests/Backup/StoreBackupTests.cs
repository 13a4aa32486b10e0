using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Personal;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Backup;

/// <summary>What backups and restores hold, refuse and report, on real files.</summary>
public sealed class StoreBackupTests : BackupTest
{
    private string Target => Path.Combine(Folder, "safe", "backup");

    private string Restored => Path.Combine(Folder, "again");

    [Fact]
    public async Task Second_run_copies_what_is_new()
    {
        await AppendAsync(Source, 2, 3);
        var first = await StoreBackup.RunAsync(Source, Target);
        await AppendAsync(Source, 1);
        var second = await StoreBackup.RunAsync(Source, Target);
        var third = await StoreBackup.RunAsync(Source, Target, new BackupOptions { VerifyAll = true });

        Assert.Equal((5, 5, 0), (first.Head, first.Copied, first.Mended));
        Assert.Equal((6, 1, 0), (second.Head, second.Copied, second.Mended));
        Assert.Equal((6, 0, 0), (third.Head, third.Copied, third.Mended));
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Target));
        foreach (var file in Directory.GetFiles(Path.Combine(Source, "Events"), "*", SearchOption.AllDirectories))
            Assert.Equal(File.ReadAllBytes(file), File.ReadAllBytes(file.Replace(Source, Target, StringComparison.Ordinal)));
        Assert.DoesNotContain((await StoreCheck.RunAsync(Target)).Findings, finding => finding.Kind != FindingKind.IndexMismatch);
    }

    [Fact]
    public async Task A_dry_run_creates_nothing()
    {
        await AppendAsync(Source, 2);
        Directory.CreateDirectory(Target);

        Assert.Equal(2, (await StoreBackup.RunAsync(Source, Target, new BackupOptions { DryRun = true })).Copied);
        Assert.Empty(Directory.GetFileSystemEntries(Target));
    }

    [Fact]
    public async Task Open_store_is_backed_up_while_it_appends()
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source });
        await store.AppendAsync(Many(3));
        var appending = Task.Run(async () =>
        {
            for (var each = 0; each < 200; each++)
                await store.AppendAsync(Many(1 + each % 3));
        });
        var reports = new List<BackupReport>();
        do
            reports.Add(await StoreBackup.RunAsync(store, Target));
        while (!appending.IsCompleted);
        await appending;
        reports.Add(await StoreBackup.RunAsync(store, Target));

        Assert.Equal(await store.GetHeadAsync(), reports[^1].Head);
        Assert.Equal(await store.GetHeadAsync(), reports.Sum(report => report.Copied));
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Target));
    }

    [Fact]
    public async Task Events_that_are_not_durable_yet_are_left_out()
    {
        await AppendAsync(Source, 2);
        var layout = new StoreLayout(Source);
        // What a process writes that appends without flushing: the events after position 1 may not be durable.
        var text = File.ReadAllText(layout.LockFile);
        await AppendAsync(Source, 1);
        await File.WriteAllTextAsync(layout.LockFile, text.Replace("files all", "files 2, others are not flushed", StringComparison.Ordinal));

        Assert.Equal(2, (await StoreBackup.RunAsync(Source, Target)).Head);
    }

    [Fact]
    public async Task Backup_of_another_store_is_refused()
    {
        await AppendAsync(Source, 1);
        await AppendAsync(Restored, 1);
        await StoreBackup.RunAsync(Source, Target);

        var error = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Restored, Target));

        Assert.Contains("a backup of another store", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_histories_of_one_store_are_not_mixed()
    {
        await AppendAsync(Source, 2);
        await StoreBackup.RunAsync(Source, Target);
        await StoreBackup.RestoreAsync(Target, Restored);
        await AppendAsync(Source, 3);
        await AppendAsync(Restored, 1, 1, 1, 1);
        await StoreBackup.RunAsync(Source, Target);
        var before = await ReadAsync(Target);

        var longer = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Restored, Target));

        Assert.Contains("have been given other events", longer.Message, StringComparison.Ordinal);
        Assert.Equal(before, await ReadAsync(Target));
    }

    // They have the text of events that were redacted in the store since.
    [Fact]
    public async Task What_interrupted_work_has_left_in_a_backup_is_removed_when_every_copy_is_verified()
    {
        await AppendAsync(Source, 2);
        await StoreBackup.RunAsync(Source, Target);
        var events = new StoreLayout(Target);
        string[] left = [events.NewSealedFileStaging(0), events.EventFile(1) + DurableFile.StagingEnding, events.NewTakenBackFile(2)];
        foreach (var path in left)
            await File.WriteAllTextAsync(path, "ada@example.com", TestContext.Current.CancellationToken);

        await StoreBackup.RunAsync(Source, Target, new BackupOptions { VerifyAll = true, DryRun = true });
        Assert.All(left, static path => Assert.True(File.Exists(path)));
        await StoreBackup.RunAsync(Source, Target, new BackupOptions { VerifyAll = true });

        Assert.All(left, static path => Assert.False(File.Exists(path)));
    }

    // Its lines and its index would keep what is redacted later, and an app that has it open would get events from elsewhere.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Backup_that_was_opened_as_a_store_is_refused(bool isDryRun)
    {
        await AppendAsync(Source, 2);
        await StoreBackup.RunAsync(Source, Target);
        await using (var reader = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Target, ReadOnly = true }))
            Assert.Equal(2, await reader.GetHeadAsync());
        await AppendAsync(Source, 1);
        await StoreBackup.RunAsync(Source, Target);
        await AppendAsync(Target);
        await AppendAsync(Source, 1);

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() =>
            StoreBackup.RunAsync(Source, Target, new BackupOptions { VerifyAll = true, DryRun = isDryRun }));

        Assert.StartsWith($"{Target} was opened as a store", refused.Message, StringComparison.Ordinal);
        Assert.Equal(3, (await ReadAsync(Target)).Count);
    }

    [Fact]
    public async Task Store_that_went_back_is_refused_also_after_it_got_other_events()
    {
        await AppendAsync(Source, 1, 1, 1);
        await StoreBackup.RunAsync(Source, Target);
        await StoreRepair.TruncateAsync(Source, 2);

        var shorter = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Source, Target));
        await AppendAsync(Source, 1);
        var other = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Source, Target));

        Assert.Contains("cut off or restored", shorter.Message, StringComparison.Ordinal);
        Assert.Contains("have been given other events", other.Message, StringComparison.Ordinal);
        Assert.Equal(3, (await ReadAsync(Target)).Count);
    }

    [Fact]
    public async Task Folder_with_other_files_is_refused()
    {
        await AppendAsync(Source, 1);
        Directory.CreateDirectory(Target);
        await File.WriteAllTextAsync(Path.Combine(Target, "letter.txt"), "");

        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Source, Target));
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RestoreAsync(Source, Target));

        Assert.Equal(["letter.txt"], Directory.GetFileSystemEntries(Target).Select(Path.GetFileName));
    }

    [Fact]
    public async Task Target_in_the_source_or_around_it_is_refused_whatever_path_leads_there()
    {
        await AppendAsync(Source, 1);
        var before = Directory.GetFileSystemEntries(Source, "*", SearchOption.AllDirectories);
        var link = Path.Combine(Folder, "link");
        Directory.CreateSymbolicLink(link, Source);

        foreach (var target in (string[])[Source, Path.Combine(Source, "backup"), Folder, link, Path.Combine(link, "backup"), Source + "/"])
            await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Source, target));

        Assert.Equal(before, Directory.GetFileSystemEntries(Source, "*", SearchOption.AllDirectories));
    }

    [Theory]
    [InlineData("Index")]
    [InlineData("Events/0000000000")]
    public async Task Target_in_the_source_is_refused_where_a_link_leads_to_a_folder_below_it(string folder)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows takes '..' for a part of the text.");
        await AppendAsync(Source, 1);
        var link = Path.Combine(Folder, "link");
        Directory.CreateSymbolicLink(link, Path.Combine(Source, folder));

        foreach (var target in (string[])[link, Path.Combine(link, "deep", "backup")])
        {
            var error = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Source, target));
            Assert.Contains("one lies in the other", error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Path_without_a_store_is_an_error_and_nothing_is_made()
    {
        await Assert.ThrowsAsync<StoreOpenException>(() => StoreBackup.RunAsync(Source, Target));
        Directory.CreateDirectory(Source);
        await Assert.ThrowsAsync<StoreOpenException>(() => StoreBackup.RunAsync(Source, Target));

        Assert.False(Directory.Exists(Target));
    }

    [Fact]
    public async Task Damaged_source_is_reported_and_the_backup_keeps_what_it_has()
    {
        await AppendAsync(Source, 1, 1);
        await StoreBackup.RunAsync(Source, Target);
        await AppendAsync(Source, 1, 1);
        await File.WriteAllTextAsync(EventFile(Source, 3), "{}");

        var error = await Assert.ThrowsAsync<StoreDamagedException>(() => StoreBackup.RunAsync(Source, Target));
        Assert.Equal(3, error.Position);
        Assert.Equal(2, (await ReadAsync(Target)).Count);
        await StoreRepair.RestoreFromIndexAsync(Source);

        Assert.Equal(4, (await StoreBackup.RunAsync(Source, Target)).Head);
    }

    [Fact]
    public async Task Missing_copies_are_made_again_and_damaged_ones_when_all_are_verified()
    {
        await AppendAsync(Source, 1, 2, 1, 1);
        await StoreBackup.RunAsync(Source, Target);
        File.Delete(EventFile(Target, 2));
        await File.WriteAllTextAsync(EventFile(Target, 1), "{}");

        var quick = await StoreBackup.RunAsync(Source, Target);
        var thorough = await StoreBackup.RunAsync(Source, Target, new BackupOptions { VerifyAll = true });

        Assert.Equal((1, 1), (quick.Mended, thorough.Mended));
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Target));
    }

    [Fact]
    public async Task Accepted_edit_reaches_the_backup_when_all_are_verified()
    {
        await AppendAsync(Source, 1, 1, 1);
        await StoreBackup.RunAsync(Source, Target);
        var edited = (await File.ReadAllTextAsync(EventFile(Source, 2))).Replace("\"data\": {}", "\"data\": 7", StringComparison.Ordinal);
        await File.WriteAllTextAsync(EventFile(Source, 2), edited);
        await StoreRepair.AcceptEditedFileAsync(Source, 2);

        Assert.Equal(1, (await StoreBackup.RunAsync(Source, Target, new BackupOptions { VerifyAll = true })).Mended);

        Assert.Equal(await File.ReadAllTextAsync(EventFile(Source, 2)), await File.ReadAllTextAsync(EventFile(Target, 2)));
    }

    [Fact]
    public async Task Backup_that_another_process_is_writing_is_not_touched()
    {
        await AppendAsync(Source, 1);
        await StoreBackup.RunAsync(Source, Target);
        using var place = StorePlace.On(VolumeKind.Ext4);
        var client = place.Disk!.Attach();
        client.CreateFolder("/shop");
        SteppedStore.Open(client).Append(new History().New());
        BackupPlace.Run(client);
        using var other = new Storage.Locking.StoreLock(new StoreFolder(client, BackupPlace.Target), place.Clock);
        using var held = other.Acquire(TimeSpan.Zero);

        Assert.Throws<StoreLockTimeoutException>(() => BackupPlace.Run(place.Disk.Attach()));
    }

    [Theory]
    [InlineData(null, 7)]
    [InlineData(0L, 0)]
    [InlineData(3L, 3)]
    [InlineData(5L, 3)]
    [InlineData(6L, 6)]
    [InlineData(70L, 7)]
    public async Task Restore_ends_where_an_append_ends(long? upTo, int expected)
    {
        await AppendAsync(Source, 1, 2, 3, 1);
        await StoreBackup.RunAsync(Source, Target);

        var report = await StoreBackup.RestoreAsync(Target, Restored, new RestoreOptions { UpTo = upTo });

        Assert.Equal(expected, report.Head);
        Assert.Equal(upTo == 5, $"{report}".Contains(" It ends before the append of positions 4 to 6, which is restored as a whole or not at all.",
            StringComparison.Ordinal));
        Assert.Equal((await ReadAsync(Source))[..expected], await ReadAsync(Restored));
        await AppendAsync(Restored, 1);
        Assert.Empty((await StoreCheck.RunAsync(Restored)).Findings);
    }

    [Fact]
    public async Task Restore_ends_before_the_first_append_after_a_time()
    {
        var times = new List<DateTimeOffset>();
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source, TimeProvider = new HourlyClock() }))
        {
            foreach (var size in (int[])[1, 2, 1])
            {
                await store.AppendAsync(Many(size));
                times.Add((await store.ReadAllAsync())[^1].Timestamp);
            }
        }
        foreach (var (time, expected) in ((DateTimeOffset, int)[])
            [(times[0].AddTicks(-1), 0), (times[1], 3), (times[2].AddTicks(-1), 3), (times[2], 4)])
        {
            var target = Path.Combine(Folder, $"until {expected} {time.UtcTicks}");
            Assert.Equal(expected, (await StoreBackup.RestoreAsync(Source, target, new RestoreOptions { UpToTime = time })).Head);
        }
    }

    [Fact]
    public async Task Restored_store_continues_the_original_or_has_an_id_of_its_own()
    {
        await AppendAsync(Source, 1);
        var backup = await StoreBackup.RunAsync(Source, Target);

        var same = await StoreBackup.RestoreAsync(Target, Restored);
        var other = await StoreBackup.RestoreAsync(Target, Path.Combine(Folder, "trial"), new RestoreOptions { NewId = true });

        Assert.Equal(backup.StoreId, same.StoreId);
        Assert.NotEqual(backup.StoreId, other.StoreId);
        Assert.Equal(1, (await StoreBackup.RunAsync(Restored, Target)).Head);
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RunAsync(Path.Combine(Folder, "trial"), Target));
    }

    [Fact]
    public async Task Restore_into_a_store_is_refused_even_if_it_has_the_same_events()
    {
        await AppendAsync(Source, 2);
        await StoreBackup.RestoreAsync(Source, Restored);
        await File.WriteAllTextAsync(EventFile(Restored, 1), "{}");

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RestoreAsync(Source, Restored));

        Assert.Contains($"{Restored} is not empty", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Restore_that_ended_before_its_last_step_is_made_again(bool newId)
    {
        await AppendAsync(Source, 2);
        await StoreBackup.RestoreAsync(Source, Restored);
        LoseLastStep();
        await File.WriteAllTextAsync(EventFile(Restored, 1), "{}");

        var report = await StoreBackup.RestoreAsync(Source, Restored, new RestoreOptions { NewId = newId });

        Assert.True(report.Bytes > 0);
        Assert.Equal(newId, report.StoreId != (await StoreBackup.RunAsync(Source, Target)).StoreId);
        Assert.Equal(File.ReadAllBytes(EventFile(Source, 1)), File.ReadAllBytes(EventFile(Restored, 1)));
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Restored));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Store_that_is_opened_after_a_restore_ended_before_its_last_step_is_the_restored_one(bool wasOpened)
    {
        await AppendAsync(Source, 2);
        await StoreBackup.RestoreAsync(Source, Restored);
        var expected = await File.ReadAllTextAsync(new StoreLayout(Restored).StoreFile);
        if (wasOpened)
            await AppendAsync(Restored, 1);
        LoseLastStep();

        await AppendAsync(Restored, 1);

        Assert.Equal(expected, await File.ReadAllTextAsync(new StoreLayout(Restored).StoreFile));
    }

    [Fact]
    public async Task Restore_keeps_nothing_of_another_backup_whose_restore_ended_before_its_last_step()
    {
        await AppendAsync(Source, 1);
        await StoreBackup.RestoreAsync(Source, Restored);
        LoseLastStep();
        var layout = new StoreLayout(Restored);
        await File.WriteAllTextAsync(layout.PersonalFile, """{"storeKey": "other"}""");
        Directory.CreateDirectory(layout.Schemas);
        await File.WriteAllTextAsync(Path.Combine(layout.Schemas, "other.v1.json"), "{}");
        Directory.CreateDirectory(Path.Combine(layout.Reactions, "mails"));

        await StoreBackup.RestoreAsync(Source, Restored);

        Assert.Equal([], new[] { layout.PersonalFile, layout.Schemas, layout.Reactions }.Where(Path.Exists));
        Assert.Equal(await ReadAsync(Source), await ReadAsync(Restored));
    }

    [Fact]
    public async Task Restore_over_the_keys_of_another_backup_whose_restore_ended_before_its_last_step_is_refused()
    {
        await AppendAsync(Source, 1);
        var people = new OpossumOptions { Path = Path.Combine(Folder, "people") };
        people.EventTypes.Add<CustomerRegistered>();
        people.PersonalData.MasterKey = Customers.Key;
        await using (var store = await FileSystemEventStore.OpenAsync(people))
            await store.AppendAsync([new NewEvent(Customers.Registered())]);
        await StoreBackup.RestoreAsync(people.Path, Restored);
        LoseLastStep();

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreBackup.RestoreAsync(Source, Restored));

        Assert.Contains("keys of another store", refused.Message, StringComparison.Ordinal);
        Assert.Equal(1, (await StoreBackup.RestoreAsync(people.Path, Restored)).Head);
    }

    [Fact]
    public async Task Cancelled_backup_goes_on_at_the_next_run()
    {
        await AppendAsync(Source, 300, 300, 300);
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => StoreBackup.RunAsync(Source, Target, cancellationToken: cancelled.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => StoreBackup.RestoreAsync(Source, Restored, cancellationToken: cancelled.Token));

        Assert.Equal(900, (await StoreBackup.RunAsync(Source, Target)).Copied);
        Assert.Equal(900, (await StoreBackup.RestoreAsync(Target, Restored)).Head);
    }

    [Fact]
    public async Task Minor_format_and_progress_are_those_of_the_store()
    {
        await AppendAsync(Source, 600);
        var storeFile = new StoreLayout(Source).StoreFile;
        await File.WriteAllTextAsync(storeFile, (await File.ReadAllTextAsync(storeFile)).Replace("\"format\": 1,", "\"format\": 1,\n  \"minor\": 7,",
            StringComparison.Ordinal));
        var reported = new List<StoreProgress>();

        await StoreBackup.RunAsync(Source, Target, progress: new Collected(reported));
        await StoreBackup.RestoreAsync(Target, Restored, progress: new Collected(reported));

        Assert.Equal(await File.ReadAllTextAsync(storeFile), await File.ReadAllTextAsync(new StoreLayout(Target).StoreFile));
        // Further members follow: a restored store has a revision of its own.
        Assert.StartsWith((await File.ReadAllTextAsync(storeFile)).TrimEnd('\n', '}'),
            await File.ReadAllTextAsync(new StoreLayout(Restored).StoreFile), StringComparison.Ordinal);
        long[] done = [0, 256, 512, 600, 600];
        Assert.Equal([.. done.Select(each => new StoreProgress { Operation = StoreOperation.Backup, Done = each, Total = 600 }),
            .. done.Select(each => new StoreProgress { Operation = StoreOperation.Restore, Done = each, Total = 600 })], reported);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Backup_whose_lock_file_may_not_be_read_is_restored_and_copied_whole(bool isReadOnly)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        await place.Open().AppendAsync(Many(3));
        StoreLayout backup = place.Layout.At("/backup"), restored = place.Layout.At("/again"), copy = place.Layout.At("/copy");
        StoreBackup.Run(place.Attach(), place.Layout, backup.Root, null, place.Clock);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Path == backup.LockFile,
            Error = FileError.AccessDenied,
            Lasts = true,
        });
        place.Disk.Volume = place.Disk.Volume with { IsReadOnly = isReadOnly };

        Assert.Equal(3, StoreBackup.Restore(place.Attach(), backup, restored.Root, null, place.Clock).Head);
        Assert.Equal(3, StoreBackup.Run(place.Attach(), backup, copy.Root, null, place.Clock).Head);
    }

    [Fact]
    public async Task Copy_of_a_user_who_may_not_read_the_lock_file_says_why_the_last_append_is_left_out()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open();
        await store.AppendAsync(Many(3));
        await store.AppendAsync(Many(1));
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Path == place.Layout.LockFile,
            Error = FileError.AccessDenied,
            Lasts = true,
        });

        string[] reports =
        [
            $"{StoreBackup.Run(place.Attach(), place.Layout, "/backup", new BackupOptions { DryRun = true }, place.Clock)}",
            $"{StoreBackup.Run(place.Attach(), place.Layout, "/backup", null, place.Clock)}",
            $"{StoreBackup.Restore(place.Attach(), place.Layout, "/again", new RestoreOptions { DryRun = true }, place.Clock)}",
            $"{StoreBackup.Restore(place.Attach(), place.Layout, "/again", null, place.Clock)}",
            $"{StoreReplica.Update(place.Attach(), place.Layout, "/replica", new ReplicaOptions(), place.Clock)}",
        ];

        Assert.All(reports, static report => Assert.EndsWith(
            " 1 event after it is not known to be durable, and was left out: this user may not read .store.lock.", report, StringComparison.Ordinal));
    }

    private void LoseLastStep() => File.Move(new StoreLayout(Restored).StoreFile, new StoreLayout(Restored).StoreFileStaging);

    private static string EventFile(string root, long position) => new StoreLayout(root).EventFile(position);

    private sealed class Collected(List<StoreProgress> reported) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => reported.Add(value);
    }

    private sealed class HourlyClock : TimeProvider
    {
        private DateTimeOffset now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

        public override DateTimeOffset GetUtcNow() => now = now.AddHours(1);
    }
}
