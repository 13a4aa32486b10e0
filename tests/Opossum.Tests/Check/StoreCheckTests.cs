using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;
using Opossum.Storage.Repair;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Hostile;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Check;

/// <summary>Each thing that can be wrong is found, by its kind, its path and its position, and nothing else is.</summary>
public sealed class StoreCheckTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task A_good_store_is_clean_and_its_events_are_counted()
    {
        await CreateStoreAsync();
        var report = place.Check();

        Assert.True(report.IsClean);
        Assert.Equal((9, "9 events, nothing wrong"), (report.Events, report.ToString()));
        using var empty = StorePlace.On(VolumeKind.Ext4);
        empty.Open();
        Assert.Equal(0, empty.Check().Events);
        empty.AssertClean();
    }

    [Fact]
    public async Task A_store_in_use_is_clean_in_a_folder_of_this_machine()
    {
        using var real = StorePlace.InFolder();
        var store = real.Open();
        await store.AppendAsync(Many(3, "t", "k:1"));
        var progress = new List<StoreProgress>();
        var report = await StoreCheck.RunAsync(real.Root, progress: new Reports(progress), cancellationToken: TestContext.Current.CancellationToken);

        Assert.True(report.IsClean);
        Assert.Equal([new StoreProgress { Operation = StoreOperation.Check, Done = 3, Total = 3 }], progress);
        await store.AppendAsync(Many(3, "t", "k:1"));
        real.AssertClean();
    }

    // The index need not be flushed, and may have been all the same.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_a_power_cut_took_that_was_not_flushed_is_ended_by_the_next_opening(bool leavesEmptyFile)
    {
        await place.Open().AppendAsync(Many(2));
        var store = place.Open(static options =>
        {
            options.FlushEventsImmediately = false;
            options.TimeProvider = new TestClock();
        });
        await store.AppendAsync(Many(1));
        await store.AppendAsync(Many(2));
        using var left = StorePlace.On(place.Disk!.Copy());
        foreach (var position in (long[])[5, 4])
        {
            left.Delete(left.Layout.EventFile(position));
            var segment = left.Layout.Segment(left.Layout.ShardOf(position));
            var lines = left.Bytes(segment);
            left.Put(segment, lines.AsSpan(0, lines.AsSpan().IndexOf(Encoding.UTF8.GetBytes($"{{\"position\":{position},"))));
        }
        if (leavesEmptyFile)
            left.Put(left.Layout.EventFile(4), []);

        Assert.All(left.Check().Findings, static finding => Assert.True(finding.Remedy == Remedy.OpenStore, $"{finding}"));
        Assert.NotEmpty(left.Check().Findings);
        Assert.Equal(3, await left.Open().GetHeadAsync());
        left.CloseStores();
        left.AssertClean();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_append_waits_at_most_until_a_check_has_listed_the_newest_folder(bool useJournal)
    {
        using var folders = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);
        var store = folders.Open(options => options.UseJournal = useJournal);
        for (var number = 1; number <= 18; number++)
            await store.AppendAsync(New("t"));
        var disk = folders.Disk!;
        disk.Trace = [];
        var report = folders.Check();
        var (trace, layout) = (disk.Trace, folders.Layout);
        disk.Trace = null;

        Assert.Equal((18, true), (report.Events, report.IsClean));
        var locked = trace.SkipWhile(each => each.Kind != OperationKind.Lock || each.Path != layout.LockFile || each.Offset != StoreLayout.LockOffset)
            .TakeWhile(each => each.Kind != OperationKind.Unlock || each.Path != layout.LockFile).ToList();
        var listed = locked.Where(static each => each.Kind == OperationKind.List).Select(static each => each.Path).ToList();
        Assert.NotEmpty(listed);
        Assert.Empty(listed.Except([layout.Events, layout.ShardFolder(16)]));
    }

    [Fact]
    public async Task A_check_is_clean_whenever_another_process_seals_folders_meanwhile()
    {
        using var folders = await CreateWithFullFoldersAsync(isSealed: false);
        for (var (at, hasSealed) = (0, true); hasSealed; at++)
        {
            var client = folders.Disk!.Attach();
            var seen = 0;
            hasSealed = false;
            client.BeforeOperation = operation =>
            {
                if (operation.Kind is OperationKind.GetKind or OperationKind.List
                    && operation.Path.StartsWith(folders.Layout.Events, StringComparison.Ordinal) && seen++ == at)
                {
                    hasSealed = folders.Seal().Folders > 0;
                }
            };

            Assert.Equal([], StoreCheck.Run(client, folders.Layout).Findings);
            folders.Unseal();
        }
    }

    [Fact]
    public async Task A_sealing_that_ends_during_a_check_was_not_interrupted()
    {
        using var folders = await CreateWithFullFoldersAsync(isSealed: false);
        var files = folders.Snapshot(folders.Layout.ShardFolder(0));
        folders.Seal();
        folders.Restore(files, folders.Layout.ShardFolder(0));
        Assert.Equal(FindingKind.UnfinishedSealing, Assert.Single(folders.Check().Findings).Kind);
        using var duty = StoreDuty.TryTake(new StoreFolder(folders.Attach(), folders.Layout), Duty.Sealing);
        folders.AssertClean();
        var client = folders.Disk!.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Open || operation.Path != folders.Layout.SealingLockFile)
                return;
            files.Keys.Where(static path => path.EndsWith(".json", StringComparison.Ordinal)).ToList().ForEach(folders.Delete);
            duty!.Dispose();
        };

        Assert.Equal([], StoreCheck.Run(client, folders.Layout).Findings);
    }

    [Theory]
    [InlineData("AccessDenied")]
    [InlineData("InUse")]
    public async Task A_sealed_file_whose_end_cannot_be_read_now_is_not_called_damaged(string error)
    {
        using var folders = await CreateWithFullFoldersAsync(isSealed: true);
        var path = folders.Layout.SealedFile(0);
        FailLastReadOfCheck(folders, error, each => each == path);

        var finding = Assert.Single(folders.Check().Findings);

        Assert.Equal((FindingKind.UnreadableFile, path, Remedy.MakeReadable), (finding.Kind, finding.Path, finding.Remedy));
        folders.AssertClean();
    }

    [Theory]
    [InlineData("HandleLost", FindingKind.UnreadableFile)]
    [InlineData("InUse", FindingKind.UnreadableFile)]
    [InlineData("Other", FindingKind.IndexMismatch)]
    public async Task A_part_of_the_index_that_cannot_be_read_to_its_end_is_not_called_damaged(string error, FindingKind expected)
    {
        place.Runs = new RunSettings { Length = 4, Fan = 2, LengthMax = 16, InBackground = false };
        var store = place.Open();
        for (var number = 1; number <= 20; number++)
            await store.AppendAsync(New("t"));
        store.MakeRuns();
        place.CloseStores();
        FailLastReadOfCheck(place, error, static each => StoreLayout.TryParseRunName(Path.GetFileName(each), out _, out _));

        Assert.Equal([expected], place.Check().Findings.Select(static each => each.Kind));
        place.AssertClean();
    }

    [Fact]
    public async Task A_check_by_somebody_who_may_not_write_the_lock_file_goes_up_to_the_end_of_the_index()
    {
        await CreateStoreAsync();
        place.Put(place.Layout.EventFile(4), "cut off"u8);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.OpenOrCreate,
            Error = FileError.AccessDenied,
            Lasts = true
        });
        var report = place.Check();
        Assert.Equal(4, Assert.Single(report.Findings, each => each.Kind == FindingKind.BadEventFile).Position);
        Assert.True(report.IsWithoutLock);
        Assert.StartsWith("9 events, without the lock, ", report.ToString(), StringComparison.Ordinal);

        // An append that is under way has files, of which not all may be seen, and no frame.
        place.Put(place.Layout.EventFile(11), "half writ"u8);
        Assert.Equal(report.Findings, place.Check().Findings);
        place.Delete(place.Layout.EventFile(11));
        place.Disk.Mend();
        Assert.False(place.Check().IsWithoutLock);
    }

    [Fact]
    public async Task A_check_changes_nothing()
    {
        await CreateStoreAsync();
        place.Put(place.Layout.EventFile(3), "cut off"u8);
        place.Delete(place.Layout.EventFile(7));
        place.Patch(place.Layout.IndexFile, 60, [0xFF]);
        place.Put($"{place.Layout.Index}/stranger", "x"u8);
        var before = Files();

        Assert.NotEmpty(place.Check().Findings);
        Assert.Equal(before, Files());

        place.Delete(place.Layout.LockFile);
        place.Check();
        Assert.Equal(before, place.Snapshot());

        // The lock file's text tells who took the lock last; a check takes it for a moment.
        SortedDictionary<string, byte[]?> Files()
        {
            var files = place.Snapshot();
            files.Remove(place.Layout.LockFile);
            return files;
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(8)]
    public async Task A_missing_file_of_a_single_event_is_a_gap(int position)
    {
        await CreateStoreAsync();
        place.Delete(place.Layout.EventFile(position));

        AssertFindings((FindingKind.Gap, place.Layout.EventFile(position), position));
        Assert.Equal($"position {position} has no event file", place.Check().Findings[0].Message);
    }

    [Fact]
    public async Task Several_missing_files_are_one_gap()
    {
        await CreateStoreAsync();
        for (var position = 2; position <= 5; position++)
            place.Delete(place.Layout.EventFile(position));

        AssertFindings((FindingKind.Gap, place.Layout.EventFile(2), 2));
        Assert.Equal("positions 2 to 5 have no event files", place.Check().Findings[0].Message);
    }

    [Theory]
    [InlineData(3, 5)]
    [InlineData(4, 3, 5)]
    [InlineData(5, 4)]
    public async Task A_missing_file_of_an_append_of_several_leaves_the_runs_beside_it_incomplete(int position, params int[] runsEndAt)
    {
        await CreateStoreAsync();
        place.Delete(place.Layout.EventFile(position));

        AssertFindings([(FindingKind.Gap, place.Layout.EventFile(position), position), .. IncompleteAt(runsEndAt)]);
    }

    [Fact]
    public async Task A_missing_last_file_shows_in_the_index()
    {
        await CreateStoreAsync();
        place.Delete(place.Layout.EventFile(9));

        AssertFindings((FindingKind.IndexMismatch, place.Layout.IndexFile, 9));
    }

    [Fact]
    public async Task A_last_append_without_its_end_is_incomplete()
    {
        await CreateStoreAsync();
        for (var position = 5; position <= 9; position++)
            place.Delete(place.Layout.EventFile(position));

        AssertFindings([.. IncompleteAt(4)]);
    }

    [Theory]
    [InlineData("empty", "is empty")]
    [InlineData("cut", "does not end with a checksum: it is cut off, overwritten or edited")]
    [InlineData("zeros", "does not end with a checksum")]
    [InlineData("edited", "does not match its checksum")]
    [InlineData("checksum", "does not match its checksum")]
    [InlineData("swapped", "holds the event of position 6, not of 2")]
    [InlineData("no event", "is not an event file although its checksum matches")]
    public async Task A_bad_event_file_is_named_with_what_is_wrong(string how, string message)
    {
        await CreateStoreAsync();
        var path = place.Layout.EventFile(2);
        var good = place.Bytes(path);
        place.Put(path, how switch
        {
            "empty" => [],
            "cut" => good[..^20],
            "zeros" => new byte[good.Length],
            "edited" => Replace(good, "\"second\"", "\"Second\""),
            "checksum" => Replace(good, "crc32c:" + Encoding.UTF8.GetString(good)[^12..^4], "crc32c:01234567"),
            "swapped" => place.Bytes(place.Layout.EventFile(6)),
            _ => NoEvent(),
        });

        AssertFindings((FindingKind.BadEventFile, path, 2));
        Assert.StartsWith($"{path} {message}", place.Check().Findings[0].Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_event_file_that_cannot_be_read_is_bad()
    {
        await CreateStoreAsync();
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Read
            && operation.Path == place.Layout.EventFile(2),
            Lasts = true
        });

        AssertFindings((FindingKind.BadEventFile, place.Layout.EventFile(2), 2));
    }

    [Fact]
    public async Task A_bad_file_in_an_append_of_several_leaves_the_append_incomplete()
    {
        await CreateStoreAsync();
        place.Put(place.Layout.EventFile(4), []);

        AssertFindings([(FindingKind.BadEventFile, place.Layout.EventFile(4), 4), .. IncompleteAt(3, 5)]);
    }

    [Fact]
    public async Task An_event_that_belongs_to_another_append_than_its_neighbours_is_an_incomplete_commit()
    {
        await CreateStoreAsync();
        var stored = place.Event(6);
        Put(stored with { Commit = new CommitRange(5, 6, 2) });

        AssertFindings([.. IncompleteAt(6, 6)]);
    }

    [Fact]
    public async Task A_frame_that_differs_is_found_at_its_position()
    {
        await CreateStoreAsync();
        var index = place.Bytes(place.Layout.IndexFile);
        place.Patch(place.Layout.IndexFile, index.Length - 1, [(byte)(index[^1] ^ 1)]);

        AssertFindings((FindingKind.IndexMismatch, place.Layout.IndexFile, 9));
    }

    [Fact]
    public async Task Room_for_a_frame_of_a_process_that_was_killed_is_filled_by_an_opening()
    {
        await CreateStoreAsync();
        var index = place.Bytes(place.Layout.IndexFile);
        await place.Open().AppendAsync([New("tenth")]);
        place.CloseStores();
        place.Put(place.Layout.IndexFile, [.. index, .. new byte[200]]);

        var finding = Assert.Single(place.Check().Findings);
        place.Open();

        Assert.Equal((Remedy.OpenStore, 10), (finding.Remedy, finding.Position));
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task A_frame_is_missing_and_one_is_too_many()
    {
        await CreateStoreAsync();
        var index = place.Bytes(place.Layout.IndexFile);
        place.Put(place.Layout.IndexFile, index.AsSpan(..^1));
        AssertFindings((FindingKind.IndexMismatch, place.Layout.IndexFile, 9));

        place.Put(place.Layout.IndexFile, [.. index, .. new byte[100]]);
        AssertFindings();
        place.Put(place.Layout.IndexFile, [.. index, 1]);
        AssertFindings((FindingKind.IndexMismatch, place.Layout.IndexFile, 10));
    }

    [Fact]
    public async Task Lines_that_differ_are_found_each_at_its_position()
    {
        await CreateStoreAsync();
        var (first, last) = (place.Layout.Segment(0), place.Layout.Segment(place.Layout.ShardOf(9)));
        var whole = place.Bytes(last);
        place.Patch(first, 40, [(byte)~place.Bytes(first)[40]]);
        place.Patch(last, whole.Length - 1, [(byte)~whole[^1]]);
        AssertFindings((FindingKind.IndexMismatch, first, 1), (FindingKind.IndexMismatch, last, 9));

        place.Patch(first, 40, [(byte)~place.Bytes(first)[40]]);
        place.Put(last, whole.AsSpan(..^1));
        AssertFindings((FindingKind.IndexMismatch, last, 9));
    }

    [Fact]
    public async Task A_file_whose_event_the_index_does_not_know_in_that_form_is_a_mismatch()
    {
        // A file edited with care, checksum and all: only the index still tells.
        await CreateStoreAsync();
        var stored = place.Event(6);
        Put(stored with { Content = stored.Content with { Json = "{\"forged\":true}"u8.ToArray() } });

        AssertFindings((FindingKind.IndexMismatch, place.Layout.IndexFile, 6));
    }

    [Fact]
    public async Task A_missing_index_file_is_named_and_an_index_of_another_store_too()
    {
        await CreateStoreAsync();
        var whole = place.Snapshot();
        foreach (var path in new[] { place.Layout.IndexFile, place.Layout.Segment(0) })
        {
            place.Restore(whole);
            place.Delete(path);
            AssertFindings((FindingKind.IndexMismatch, path, null));
        }
        place.Restore(whole);
        place.Put(place.Layout.IndexFile, new byte[100]);
        AssertFindings((FindingKind.IndexMismatch, place.Layout.Index, null));
    }

    [Fact]
    public async Task A_missing_store_file_is_found()
    {
        await CreateStoreAsync();
        place.Delete(place.Layout.StoreFile);

        AssertFindings((FindingKind.StoreFileMissing, place.Layout.StoreFile, null));
    }

    [Fact]
    public async Task A_missing_store_file_beside_a_foreign_file_is_mended_by_moving_that_away_first()
    {
        await CreateStoreAsync();
        place.Delete(place.Layout.StoreFile);
        place.Put($"{place.Root}/notes.txt", "x"u8);

        Assert.Throws<StoreOpenException>(() => place.Open());
        var finding = Assert.Single(place.Check().Findings, each => each.Kind == FindingKind.StoreFileMissing);
        Assert.Equal((Remedy.MoveAway, $"{place.Root}/notes.txt"), (finding.Remedy, finding.Path));
        Assert.Equal([Remedy.MoveAway, Remedy.OpenStore], Remedies.ApplyAll(place, "/backup").Distinct());
    }

    [Theory]
    [InlineData(2, "AccessDenied")]
    [InlineData(4, "InUse")]
    [InlineData(9, "TooManyOpenFiles")]
    [InlineData(3, "HandleLost")]
    public async Task A_file_that_nothing_is_known_of_is_not_called_bad_and_no_repair_replaces_it(int position, string error)
    {
        await CreateStoreAsync();
        var path = place.Layout.EventFile(position);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Open
            && operation.Path == path,
            Error = Enum.Parse<FileError>(error),
            Lasts = true
        });
        var before = place.Snapshot(place.Layout.Quarantine);

        var findings = place.Check().Findings;
        Assert.Equal((FindingKind.UnreadableFile, path, position), (findings[0].Kind, findings[0].Path, findings[0].Position));
        Assert.All(findings, each => Assert.Equal(Remedy.MakeReadable, each.Remedy));
        foreach (var repair in (Func<StoreUnderRepair, RepairReport>[])[Remedies.RestoreFromIndex, Remedies.Truncate(1)])
            Assert.Equal(path, Assert.Throws<StoreMaintenanceException>(() => place.Repair(repair)).Path);
        Assert.Equal(before, place.Snapshot(place.Layout.Quarantine));
        place.Disk.Mend();
        place.AssertClean();
    }

    [Fact]
    public async Task What_lies_in_quarantine_is_told_and_is_no_damage()
    {
        await CreateStoreAsync();
        place.CreateFolder($"{place.Layout.Quarantine}/20260101T000000.000Z");
        place.Put($"{place.Layout.Quarantine}/desktop.ini", "x"u8);
        Assert.Null(place.Check().Quarantine);

        place.Put($"{place.Layout.Quarantine}/20261121T124944.285Z-2/0000000012.json", "x"u8);
        place.Put($"{place.Layout.Quarantine}/20261121T124944.285Z/0000000010.json", "x"u8);
        place.Put($"{place.Layout.Quarantine}/20261121T124944.285Z/0000000011.json.bad", "x"u8);
        var report = place.Check();

        Assert.True(report.IsClean);
        Assert.Equal(new QuarantineContent
        {
            Folder = place.Layout.Quarantine,
            Files = 3,
            Since = new DateTimeOffset(2026, 11, 21, 12, 49, 44, 285, TimeSpan.Zero),
        },
            report.Quarantine);
        Assert.Equal($"9 events, nothing wrong{Environment.NewLine}3 files lie in Quarantine since 2026-11-21 12:49:44Z: {place.Layout.Quarantine}",
            report.ToString());

        place.Put($"{place.Layout.Quarantine}/kept/0000000001.json", "x"u8);
        Assert.Equal(4, place.Check().Quarantine?.Files);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Path == $"{place.Layout.Quarantine}/kept",
            Error = FileError.AccessDenied,
            Lasts = true
        });
        report = place.Check();
        Assert.Equal((true, (long?)null), (report.IsClean, report.Quarantine?.Files));
        place.Disk.Mend();
    }

    [Fact]
    public async Task What_no_store_puts_there_is_found_in_every_folder_and_what_systems_leave_is_not()
    {
        await CreateStoreAsync();
        var shard = place.Layout.ShardFolder(0);
        string[] foreign =
        [
            $"{place.Root}/notes.txt", $"{place.Layout.Index}/old.idx", $"{place.Layout.Events}/1", $"{place.Layout.Events}/0000000001",
            $"{shard}/0000000001.json.bak", $"{shard}/1.json", $"{shard}/0000000000.json", $"{shard}/0000010001.json", $"{shard}/~$0000000001.json",
            $"{shard}/000000009.json.new", $"{shard}/0000000009.json.0123456789abcdef0123456789abcdeg.new",
        ];
        foreach (var path in foreign)
            place.Put(path, "x"u8);
        foreach (var folder in new[] { place.Root, place.Layout.Index, place.Layout.Events, shard })
        {
            foreach (var name in new[] { "desktop.ini", "Thumbs.db", ".DS_Store", "lost+found" })
                place.Put($"{folder}/{name}", "x"u8);
        }
        place.CreateFolder(place.Layout.ShardFolder(place.Layout.ShardPositions));
        place.Put($"{place.Layout.Quarantine}/20260101/0000000001.json", "x"u8);
        place.Put($"{place.Root}/Projections/courses/state.json", "x"u8);
        place.Put($"{place.Root}/store.json.new", "x"u8);
        place.Put($"{shard}/0000000009.json.0123456789abcdef0123456789abcdef.new", "x"u8);
        // As a redaction that was interrupted leaves it.
        place.Put($"{shard}/0000000001.json.new", "x"u8);

        var findings = place.Check().Findings;
        Assert.All(findings, each => Assert.Equal((FindingKind.ForeignFile, null), (each.Kind, each.Position)));
        Assert.Equal(foreign.Order(StringComparer.Ordinal), findings.Select(each => each.Path).Order(StringComparer.Ordinal));
    }

    // An NFS client and FUSE rename what is deleted while it is open, and a replaced file on Windows keeps such a name until it is closed.
    [Fact]
    public async Task What_was_deleted_while_it_was_open_is_no_finding()
    {
        await CreateStoreAsync();
        foreach (var folder in (string[])[place.Root, place.Layout.Index, place.Layout.Log, place.Layout.Events, place.Layout.ShardFolder(0)])
        {
            place.Put($"{folder}/.nfs000000000001a2b300000001", "x"u8);
            place.Put($"{folder}/.fuse_hidden0000001a00000002", "x"u8);
            place.Put($"{folder}/types-and-tags.idx.0123456789abcdef0123456789abcdef.new", "x"u8);
        }

        place.AssertClean();
    }

    [Fact]
    public void Copies_of_an_empty_store_are_clean()
    {
        place.Open();
        place.CloseStores();
        var files = place.Attach();
        StoreBackup.Run(files, place.Layout, "/backup", null, place.Clock);
        StoreBackup.Restore(files, place.Layout.At("/backup"), "/restored", null, place.Clock);

        foreach (var copy in (string[])["/backup", "/restored"])
        {
            var report = StoreCheck.Run(files, place.Layout.At(copy));
            Assert.Empty(report.Findings);
            Assert.True(report.IsWithoutIndex);
        }
    }

    [Theory]
    [InlineData(true, Remedy.RestoreFromIndex)]
    [InlineData(false, Remedy.RestoreFromFolder)]
    public async Task A_store_without_its_events_has_the_remedy_that_brings_them_back(bool hasIndex, Remedy remedy)
    {
        await CreateStoreAsync();
        var events = place.Snapshot(place.Layout.Events);
        foreach (var file in events.Where(static each => each.Value is not null))
            place.Put($"/backup/{Path.GetFileName(file.Key)}", file.Value);
        foreach (var lost in (string[])[place.Layout.Events, .. hasIndex ? (string[])[] : [place.Layout.Index, place.Layout.Log]])
            place.Attach().RemoveFolder(lost);

        var report = place.Check();
        var finding = Assert.Single(report.Findings);

        Assert.Equal((FindingKind.Gap, place.Layout.Events, remedy), (finding.Kind, finding.Path, finding.Remedy));
        Assert.Equal(!hasIndex, report.IsWithoutIndex);
        Assert.Equal([remedy], Remedies.ApplyAll(place, "/backup"));
        Assert.Equal(events, place.Snapshot(place.Layout.Events));
    }

    [Fact]
    public void An_empty_store_without_its_events_is_opened()
    {
        place.Open();
        place.CloseStores();
        place.Attach().RemoveFolder(place.Layout.Events);

        Assert.Equal([Remedy.OpenStore], Remedies.ApplyAll(place, "/backup"));
    }

    [Fact]
    public async Task What_may_be_a_backup_is_not_to_be_repaired()
    {
        await CreateStoreAsync();
        var files = place.Attach();
        StoreBackup.Run(files, place.Layout, "/backup", null, place.Clock);
        var copy = place.Layout.At("/backup");
        Assert.DoesNotContain("If this is a backup", StoreCheck.Run(files, copy).ToString(), StringComparison.Ordinal);
        place.Patch(copy.EventFile(2), 30, "?"u8);

        Assert.Contains("If this is a backup, do not repair it: run the backup again with VerifyAll.", StoreCheck.Run(files, copy).ToString(),
            StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_no_store_cannot_be_checked()
    {
        Assert.Equal(place.Root, Assert.Throws<StoreOpenException>(place.Check).Path);
        place.Put($"{place.Root}/notes.txt", "x"u8);
        var error = Assert.Throws<StoreOpenException>(place.Check);
        Assert.Contains("is not a store: it holds neither store.json nor the folder Events.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_report_reads_as_one_line_for_each_finding()
    {
        await CreateStoreAsync();
        place.Delete(place.Layout.EventFile(2));
        place.Put($"{place.Root}/notes.txt", "x"u8);

        Assert.Equal(["8 events, whole up to position 1, 2 findings:", "ForeignFile: /store/notes.txt is not part of a store (MoveAway)",
            "Gap: position 2 has no event file (RestoreFromIndex)"], place.Check().ToString().Split(Environment.NewLine));
    }

    // Positions 1 and 2 alone, 3 to 5 together, 6 to 9 alone.
    private static void FailLastReadOfCheck(StorePlace place, string error, Predicate<string> isOf)
    {
        var disk = place.Disk!;
        disk.Trace = [];
        place.AssertClean();
        var reads = disk.Trace.Count(IsRead);
        disk.Trace = null;
        Assert.NotEqual(0, reads);
        disk.Fail(new Fault { When = each => IsRead(each) && --reads == 0, Error = Enum.Parse<FileError>(error) });

        bool IsRead(SimulatedOperation operation) => operation.Kind == OperationKind.Read && isOf(operation.Path);
    }

    private static async Task<StorePlace> CreateWithFullFoldersAsync(bool isSealed)
    {
        var folders = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);
        var store = folders.Open();
        for (var number = 1; number <= 10; number++)
            await store.AppendAsync(New("t"));
        folders.CloseStores();
        if (isSealed)
            folders.Seal();
        return folders;
    }

    private async Task CreateStoreAsync()
    {
        var store = place.Open();
        await store.AppendAsync([New("first", "k:1")]);
        await store.AppendAsync([New("second", "k:2")]);
        await store.AppendAsync(Many(3, "third", "k:1", "k:3"));
        for (var position = 6; position <= 9; position++)
            await store.AppendAsync([New($"t{position}", $"position:{position}")]);
        place.CloseStores();
    }

    private IEnumerable<(FindingKind, string, long?)> IncompleteAt(params int[] positions) =>
        positions.Select(position => (FindingKind.IncompleteCommit, place.Layout.EventFile(position), (long?)position));

    private void AssertFindings(params (FindingKind Kind, string Path, long? Position)[] expected) =>
        Assert.Equal(expected, place.Check().Findings.Select(each => (each.Kind, each.Path, each.Position)));

    private void Put(StoredEvent stored) => place.Put(place.Layout.EventFile(stored.Position), EventFile.TextOf(stored));

    private static byte[] Replace(byte[] file, string from, string to) =>
        Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(file).Replace(from, to, StringComparison.Ordinal));

    private static byte[] NoEvent() => Forgery.Of("{\n  \"position\": \"two\""u8);

    private sealed class Reports(List<StoreProgress> all) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => all.Add(value);
    }
}
