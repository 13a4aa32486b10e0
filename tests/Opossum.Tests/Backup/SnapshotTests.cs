using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Testing;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Backup;

/// <summary>What a folder of snapshots holds, refuses and loses, on real files.</summary>
public sealed class SnapshotTests : BackupTest
{
    private readonly TestClock clock = new(new DateTimeOffset(2026, 11, 16, 18, 30, 5, 700, TimeSpan.Zero));
    private readonly IFileSystem fileSystem = RealFileSystem.Create();

    private string Snapshots => Path.Combine(Folder, "nas", "snapshots");

    [Fact]
    public async Task Each_run_makes_a_whole_backup_that_is_restored_by_itself()
    {
        await AppendAsync(Source, 2, 1);
        var first = Take();
        await AppendAsync(Source, 1);
        clock.Advance(TimeSpan.FromDays(1));
        var second = Take();
        var restored = Path.Combine(Folder, "restored");
        await StoreBackup.RestoreAsync(first.Target, restored);

        Assert.Equal((3, 4), (first.Head, second.Copied));
        Assert.Equal(["2026-11-16T18-30-05Z", "2026-11-17T18-30-05Z"], Names());
        Assert.Equal(Path.Combine(Snapshots, "2026-11-17T18-30-05Z"), second.Target);
        Assert.Equal((await ReadAsync(Source))[..3], await ReadAsync(restored));
        Assert.Equal(await ReadAsync(Source), await ReadAsync(second.Target));
    }

    [Fact]
    public async Task List_says_what_each_holds()
    {
        await AppendAsync(Source);
        Take();
        await AppendAsync(Source, 3);
        Take();

        var list = await StoreBackup.ListSnapshotsAsync(Snapshots + Path.DirectorySeparatorChar);

        Assert.Equal([(0, null), (3, null)], list.Select(each => (each.Head, each.Problem)));
        Assert.Equal((null, await TimeOfLastAsync()), (list[0].LastEventAt, list[1].LastEventAt));
        // Two in one second: the second one has the next.
        Assert.Equal(["2026-11-16T18-30-05Z", "2026-11-16T18-30-06Z"], Names());
        Assert.Equal(list[0].StoreId, list[1].StoreId);
    }

    [Fact]
    public async Task Rules_remove_older_snapshots_after_a_new_one()
    {
        await AppendAsync(Source, 1);
        for (var day = 0; day < 4; day++, clock.Advance(TimeSpan.FromDays(1)))
            Take();
        var removed = Take(new SnapshotOptions { KeepDaily = 3 }).Removed;

        Assert.Equal(["2026-11-16T18-30-05Z", "2026-11-17T18-30-05Z"], removed.Select(Path.GetFileName));
        Assert.Equal(["2026-11-18T18-30-05Z", "2026-11-19T18-30-05Z", "2026-11-20T18-30-05Z"], Names());
    }

    [Fact]
    public async Task Dry_run_says_what_would_be_copied_and_removed_and_writes_nothing()
    {
        await AppendAsync(Source, 1);
        var nowhere = Take(new SnapshotOptions { DryRun = true, KeepLast = 1 });
        Assert.False(Directory.Exists(Path.Combine(Folder, "nas")));
        Take();
        clock.Advance(TimeSpan.FromDays(1));

        var report = Take(new SnapshotOptions { DryRun = true, KeepLast = 1 });

        Assert.Equal((1, 0), (nowhere.Copied, nowhere.Removed.Count));
        Assert.Equal((1, true, "2026-11-17T18-30-05Z"), (report.Copied, report.IsDryRun, Path.GetFileName(report.Target)));
        Assert.Equal(["2026-11-16T18-30-05Z"], report.Removed.Select(Path.GetFileName));
        Assert.Equal(["2026-11-16T18-30-05Z"], Names());
        Assert.EndsWith($" 1 older snapshot would be removed: {report.Removed[0]}.", report.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_folder_whose_locks_exclude_nobody_is_refused_also_by_a_dry_run(bool isDryRun)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        await place.Open().AppendAsync(Events.Many(1));
        place.CloseStores();
        place.CreateFolder("/nas");
        place.Disk!.Volume = place.Disk.Volume with { LockRefusal = "It is mounted with nobrl." };
        using var files = place.Attach();

        foreach (var folder in new[] { "/nas", "/nas/new/one" })
        {
            Assert.Contains("It is mounted with nobrl.", Assert.Throws<StoreMaintenanceException>(() => StoreBackup.TakeSnapshot(files, place.Layout,
                folder, new SnapshotOptions { DryRun = isDryRun }, place.Clock)).Message, StringComparison.Ordinal);
        }
        Assert.Empty(files.List("/nas"));
    }

    [Fact]
    public async Task The_new_one_stays_also_when_the_clock_was_set_back()
    {
        await AppendAsync(Source, 1);
        Take();
        var before = new TestClock(new DateTimeOffset(2026, 11, 1, 0, 0, 0, TimeSpan.Zero));

        var report = Take(new SnapshotOptions { KeepLast = 1 }, before);

        Assert.Empty(report.Removed);
        Assert.Equal(["2026-11-01T00-00-00Z", "2026-11-16T18-30-05Z"], Names());
    }

    [Fact]
    public async Task Snapshot_without_its_events_is_not_counted()
    {
        await AppendAsync(Source, 1);
        var whole = Take().Target;
        clock.Advance(TimeSpan.FromHours(1));
        Directory.Delete(new StoreLayout(Take().Target).Events, recursive: true);
        clock.Advance(TimeSpan.FromHours(1));

        var report = Take(new SnapshotOptions { KeepLast = 2 });

        Assert.Empty(report.Removed);
        Assert.Contains("has no folder Events", Assert.Single(report.RemovalProblems), StringComparison.Ordinal);
        Assert.True(Directory.Exists(whole));
    }

    [Fact]
    public async Task What_is_no_whole_backup_any_more_is_neither_counted_nor_removed()
    {
        await AppendAsync(Source, 1);
        List<string> made = [];
        for (var day = 0; day < 5; day++, clock.Advance(TimeSpan.FromDays(1)))
            made.Add(Take().Target);
        await AppendAsync(made[0], 1);
        await File.WriteAllTextAsync(Path.Combine(made[1], "notes.txt"), "keep", TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(new StoreLayout(made[2]).EventFile(1), "?", TestContext.Current.CancellationToken);
        File.Delete(new StoreLayout(made[3]).StoreFile);
        Directory.CreateDirectory(Path.Combine(Snapshots, "2026-11-16"));
        await File.WriteAllTextAsync(Path.Combine(Snapshots, "README"), "keep", TestContext.Current.CancellationToken);

        var report = Take(new SnapshotOptions { KeepLast = 2 });
        var list = await StoreBackup.ListSnapshotsAsync(Snapshots);

        Assert.Empty(report.Removed);
        Assert.Equal(4, report.RemovalProblems.Count);
        Assert.Contains($"{made[0]} was opened as a store. It was neither counted nor removed", report.RemovalProblems[0], StringComparison.Ordinal);
        Assert.Contains("holds \"notes.txt\"", report.RemovalProblems[1], StringComparison.Ordinal);
        Assert.Contains("has a bad event file at position 1", report.RemovalProblems[2], StringComparison.Ordinal);
        Assert.Contains("has no store.json", report.RemovalProblems[3], StringComparison.Ordinal);
        Assert.Equal([false, false, false, false, true, true], list.Select(each => each.Problem is null));
    }

    [Fact]
    public async Task What_is_no_whole_backup_any_more_is_named_also_without_a_rule()
    {
        await AppendAsync(Source, 1);
        var damaged = Take().Target;
        File.Delete(new StoreLayout(damaged).StoreFile);
        clock.Advance(TimeSpan.FromDays(1));

        var plan = Take(new SnapshotOptions { DryRun = true });
        var report = Take();

        Assert.All([plan, report],
            each => Assert.StartsWith($"{damaged} has no store.json", Assert.Single(each.RemovalProblems), StringComparison.Ordinal));
        Assert.Empty(report.Removed);
    }

    [Fact]
    public async Task Failed_copy_removes_nothing()
    {
        await AppendAsync(Source, 1, 1, 1);
        Take();
        clock.Advance(TimeSpan.FromDays(1));
        File.Delete(new StoreLayout(Source).EventFile(2));

        Assert.Throws<StoreDamagedException>(() => Take(new SnapshotOptions { KeepLast = 1 }));

        // What was copied is gone too: a disk that is full is not left full.
        Assert.Equal(["2026-11-16T18-30-05Z"], Names());
    }

    [Theory]
    [InlineData("Events", "Index", "Log")]
    [InlineData("Events", "Index")]
    [InlineData("Events")]
    public async Task A_folder_that_has_lost_its_events_is_copied_nowhere(params string[] lost)
    {
        await AppendAsync(Source, 4, 2);
        Take();
        clock.Advance(TimeSpan.FromDays(1));
        foreach (var name in lost)
            Directory.Delete(Path.Combine(Source, name), recursive: true);
        var before = Directory.GetFileSystemEntries(Folder, "*", SearchOption.AllDirectories).Order().ToList();

        var error = Assert.Throws<StoreDamagedException>(() => Take(new SnapshotOptions { KeepLast = 1 }));
        await Assert.ThrowsAsync<StoreDamagedException>(() => StoreBackup.RunAsync(Source, Path.Combine(Folder, "backup")));
        await Assert.ThrowsAsync<StoreDamagedException>(() => StoreBackup.RestoreAsync(Source, Path.Combine(Folder, "restored")));

        Assert.Contains($"{Source} has lost its folder Events", error.Message, StringComparison.Ordinal);
        Assert.Equal(before, Directory.GetFileSystemEntries(Folder, "*", SearchOption.AllDirectories).Order());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_snapshot_with_later_events_than_the_store_keeps_all_of_them(bool isDryRun)
    {
        await AppendAsync(Source, 2);
        Take();
        clock.Advance(TimeSpan.FromDays(1));
        await AppendAsync(Source, 4);
        var longest = Take().Target;
        clock.Advance(TimeSpan.FromDays(1));
        await StoreRepair.TruncateAsync(Source, 2, cancellationToken: TestContext.Current.CancellationToken);

        var report = Take(new SnapshotOptions { KeepLast = 1, DryRun = isDryRun });

        Assert.Empty(report.Removed);
        Assert.StartsWith($"{longest} has events up to position 6, and the store in {Source} up to 2", Assert.Single(report.RemovalProblems),
            StringComparison.Ordinal);
        Assert.Equal(isDryRun ? 2 : 3, Names().Count);
        Directory.Delete(longest, recursive: true);
        Assert.Equal(isDryRun ? 1 : 2, Take(new SnapshotOptions { KeepLast = 1, DryRun = isDryRun }).Removed.Count);
    }

    [Fact]
    public async Task Next_run_removes_what_an_interrupted_one_left()
    {
        await AppendAsync(Source, 1);
        var made = Take().Target;
        Directory.Move(made, made + ".removed");
        await StoreBackup.RunAsync(Source, Path.Combine(Snapshots, "snapshot.new"));
        Assert.Empty(await StoreBackup.ListSnapshotsAsync(Snapshots));

        Take();

        Assert.Equal(["2026-11-16T18-30-05Z"], Names());
    }

    [Fact]
    public async Task Folder_that_is_something_else_is_refused_and_unchanged()
    {
        await AppendAsync(Source, 1);
        var other = Path.Combine(Folder, "other");
        await AppendAsync(other, 1);
        var backup = Path.Combine(Folder, "backup");
        await StoreBackup.RunAsync(Source, backup);
        Take();
        var before = Directory.GetFileSystemEntries(Folder, "*", SearchOption.AllDirectories).Order().ToList();

        Assert.Contains("snapshot of another store", Refuse(other, Snapshots), StringComparison.Ordinal);
        Assert.Contains("is a file, a store or a backup", Refuse(Source, backup), StringComparison.Ordinal);
        Assert.Contains("is a file, a store or a backup", Refuse(Source, new StoreLayout(backup).StoreFile), StringComparison.Ordinal);
        Assert.Contains("one lies in the other", Refuse(Source, Path.Combine(Source, "snapshots")), StringComparison.Ordinal);
        Assert.Equal(before, Directory.GetFileSystemEntries(Folder, "*", SearchOption.AllDirectories).Order());
        var list = await Assert.ThrowsAsync<StoreOpenException>(() => StoreBackup.ListSnapshotsAsync(backup));
        Assert.Contains("restore --until", list.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<StoreOpenException>(() => StoreBackup.ListSnapshotsAsync(Path.Combine(Folder, "nowhere")));
    }

    [Fact]
    public async Task Two_runs_at_once_take_turns()
    {
        await AppendAsync(Source, 1);
        Take();
        using var duty = StoreDuty.Take(new StoreFolder(fileSystem, Snapshots), Duty.Snapshots, TimeSpan.Zero);

        var error = Assert.Throws<StoreLockTimeoutException>(() => StoreDuty.Take(
            new StoreFolder(fileSystem, Snapshots), Duty.Snapshots, TimeSpan.Zero));

        Assert.Contains("a process that makes a snapshot there", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public async Task A_rule_keeps_at_least_one(int count)
    {
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() =>
            StoreBackup.TakeSnapshotAsync(Source, Snapshots, new SnapshotOptions { KeepWeekly = count }));
    }

    public override void Dispose()
    {
        fileSystem.Dispose();
        base.Dispose();
        GC.SuppressFinalize(this);
    }

    private string Refuse(string source, string target) => Assert.Throws<StoreMaintenanceException>(() =>
        StoreBackup.TakeSnapshot(fileSystem, source, target, new SnapshotOptions { KeepLast = 1 }, clock)).Message;

    private BackupReport Take(SnapshotOptions? options = null, TimeProvider? at = null) =>
        StoreBackup.TakeSnapshot(fileSystem, Source, Snapshots, options ?? new SnapshotOptions(), at ?? clock);

    private List<string?> Names() => [.. Directory.GetDirectories(Snapshots).Select(Path.GetFileName).Order()];

    private async Task<DateTimeOffset?> TimeOfLastAsync()
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source, ReadOnly = true });
        return (await store.ReadAllAsync())[^1].Timestamp;
    }
}
