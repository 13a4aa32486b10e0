using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Storage.Log;
using Opossum.Storage.Repair;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.SealingTests;

/// <summary>Checks, repairs, backups, exports and proofs of a store with sealed folders.</summary>
public sealed class SealedRepairTests
{
    private const string Backup = "/backup";

    private readonly SimulatedDisk disk;
    private readonly History history;
    private readonly StoreLayout layout = SealedStores.Layout;

    public SealedRepairTests()
    {
        var scenario = SealedStores.Unsealed("repair", static (_, _) => { });
        (disk, history) = scenario.On(VolumeKind.Ext4).Begin();
        disk.Attach().CreateFolder(Backup);
        StoreBackup.Run(disk.Attach(), SteppedStore.LayoutOn(disk), Backup, null, disk.Clock);
        SealedStores.Seal(disk.Attach());
    }

    private string Sealed => layout.SealedFile(20);

    [Fact]
    public void Edited_line_is_named_can_be_accepted_and_the_folder_is_sealed_again()
    {
        Edit(Sealed, "\"number\":27,", "\"number\":270,");

        var finding = SealedStores.Check(disk).Findings[0];
        Assert.Equal((FindingKind.BadEventFile, Sealed, 27), (finding.Kind, finding.Path, finding.Position));
        Assert.Equal(Remedy.AcceptEditedFile, finding.Remedy);
        Assert.Contains("bad line for position 27", finding.Message, StringComparison.Ordinal);
        using (var store = Promises.Open(disk))
        {
            var error = Assert.Throws<StoreDamagedException>(() => Promises.Read(store, Query.All));
            Assert.Equal(Sealed, error.Path);
            Assert.StartsWith($"The event at position 27 cannot be read: {Sealed} has a bad line for position 27, ", error.Message,
                StringComparison.Ordinal);
        }

        var report = Repair(store => new EditAcceptance(store, 27).Run());

        Assert.Equal(RepairOutcome.EditAccepted, report.Outcome);
        Assert.Equal(3, SealedStores.SealedFiles(disk).Count);
        SealedStores.AssertClean(disk);
        Assert.Contains("270", Encoding.UTF8.GetString(Read()[26].Json.Span), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(29)]
    public async Task Damaged_line_of_a_sealed_folder_keeps_no_store_from_being_opened(int position)
    {
        var path = layout.SealedFile(layout.ShardOf(position));
        Edit(path, $"\"number\":{position},", $"\"number\":{position}0,");

        await using var store = Promises.Open(disk);
        Assert.Equal(position, Assert.Throws<StoreDamagedException>(() => Promises.Read(store, Query.All)).Position);
        await store.AppendAsync([Events.New("opened")], cancellationToken: TestContext.Current.CancellationToken);
    }

    [Fact]
    public void Lost_line_is_restored_from_a_backup_and_the_folder_is_sealed_again()
    {
        var ids = Read().ConvertAll(static e => e.Id);
        Edit(Sealed, "{\"position\":27,", "{\"position\":##,");

        Assert.Equal(Remedy.RestoreFromFolder, SealedStores.Check(disk).Findings[0].Remedy);
        var report = Repair(store => StoreRepair.RestoreFromFolder(store, disk.LayoutOf(Backup).SealedFile(20)[..^".jsonl".Length]));

        Assert.Equal([27], report.Restored);
        Assert.Equal(3, SealedStores.SealedFiles(disk).Count);
        SealedStores.AssertClean(disk);
        Assert.Equal(ids, Read().ConvertAll(static e => e.Id));
    }

    [Fact]
    public void Lost_folder_is_restored_from_the_sealed_file_of_a_copy()
    {
        var ids = Read().ConvertAll(static e => e.Id);
        StoreSealing.Seal(disk.Attach(), disk.LayoutOf(Backup), 1, disk.Clock);
        disk.Attach().Delete(Sealed);

        var report = Repair(store => StoreRepair.RestoreFromFolder(store, disk.LayoutOf(Backup).Events));

        Assert.Equal(SealedStores.Positions, report.Restored.Count);
        SealedStores.AssertClean(disk);
        Assert.Equal(ids, Read().ConvertAll(static e => e.Id));
    }

    [Fact]
    public void Store_is_cut_off_inside_a_sealed_folder_and_what_was_cut_is_kept()
    {
        var end = Read().Last(e => e.Position <= 30 && IsEndOfAppend(e.Position)).Position;

        var report = Repair(store => new Truncation(store, end).Run());

        Assert.Equal((RepairOutcome.Truncated, end), (report.Outcome, report.Head));
        Assert.Equal(["0000000000.jsonl"], SealedStores.SealedFiles(disk));
        SealedStores.AssertClean(disk);
        Assert.Equal(end, Read().Count);
    }

    [Fact]
    public void Redaction_reaches_sealed_events_and_seals_them_again()
    {
        var order = new RedactionOrder([5, 27, 62], ["text"], "Request 1");

        var report = Repair(store => new Redaction(store, disk.Clock).Run(order));

        Assert.Equal([5, 27, 62], report.Redacted);
        Assert.Equal(3, SealedStores.SealedFiles(disk).Count);
        SealedStores.AssertClean(disk);
        Assert.All(Read().Where(static e => e.Position is 5 or 27 or 62),
            static e => Assert.Contains("\"text\":null", Encoding.UTF8.GetString(e.Json.Span), StringComparison.Ordinal));
    }

    [Fact]
    public void Redaction_that_finds_no_room_to_seal_again_is_reported_and_the_folder_stays_unsealed()
    {
        disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.CreateNew
                && layout.IsSealedFileStaging(Path.GetFileName(operation.Path)),
            Error = FileError.DiskFull,
        });

        var report = Repair(store => new Redaction(store, disk.Clock).Run(new RedactionOrder([5], ["text"], "Request 1")));

        Assert.Equal([5], report.Redacted);
        Assert.Equal(2, SealedStores.SealedFiles(disk).Count);
        SealedStores.AssertClean(disk);
        Assert.Contains("\"text\":null", Encoding.UTF8.GetString(Read()[4].Json.Span), StringComparison.Ordinal);
        SealedStores.Seal(disk.Attach());
        Assert.Equal(3, SealedStores.SealedFiles(disk).Count);
        SealedStores.AssertClean(disk);
    }

    [Theory]
    [InlineData("FlushFolder")]
    [InlineData("Delete")]
    public void Redaction_whose_sealing_again_fails_late_is_reported_and_the_sealing_can_be_finished(string kind)
    {
        var failing = Enum.Parse<OperationKind>(kind);
        var isSealing = false;
        disk.Fail(new Fault
        {
            When = operation =>
            {
                isSealing |= operation.Kind == OperationKind.CreateNew && layout.IsSealedFileStaging(Path.GetFileName(operation.Path));
                return isSealing && operation.Kind == failing;
            },
        });

        var report = Repair(store => new Redaction(store, disk.Clock).Run(new RedactionOrder([5], ["text"], "Request 1")));

        Assert.Equal([5], report.Redacted);
        Assert.Contains("\"text\":null", Encoding.UTF8.GetString(Read()[4].Json.Span), StringComparison.Ordinal);
        SealedStores.Seal(disk.Attach());
        Assert.Equal(3, SealedStores.SealedFiles(disk).Count);
        SealedStores.AssertClean(disk);
    }

    [Fact]
    public void Intact_event_file_beside_a_bad_line_is_kept_when_the_store_is_cut_off_before_it()
    {
        var client = disk.Attach();
        var intact = SealedStores.Bytes(client, disk.LayoutOf(Backup).EventFile(5));
        Put(layout.EventFile(5), intact);
        Edit(layout.SealedFile(0), "{\"position\":5,", "{\"position\":#,");

        var report = Repair(static store => new Truncation(store, 3).Run());

        Assert.Equal(3, report.Head);
        Assert.Equal(intact, SealedStores.Bytes(client, FilePath.Join(report.QuarantineFolder!, StoreLayout.EventFileName(5))));
        SealedStores.AssertClean(disk);
    }

    [Theory]
    [InlineData(9, true)]
    [InlineData(9, false)]
    [InlineData(8, false)]
    public void Sealed_file_that_a_copy_cut_off_is_named_and_can_be_completed_or_cut_off(int position, bool isInsideLine)
    {
        var path = layout.SealedFile(0);
        var client = CutOff(path, $"{{\"position\":{position},", isInsideLine);

        for (var turn = 0; turn < 2; turn++)
            Assert.Equal((path, position), Damage(() => Promises.Open(disk).Dispose()));
        Assert.Equal((path, position), Damage(() => Repair(static store => store.RebuildIndex())));
        Assert.Equal(EntryKind.Missing, client.GetKind(layout.Quarantine));

        var copy = disk.Copy();
        var restored = StoreRepair.Run(copy.Attach(), SteppedStore.LayoutOn(copy), copy.Clock, null,
            store => StoreRepair.RestoreFromFolder(store, disk.LayoutOf(Backup).ShardFolder(0)));
        Assert.Equal(18, restored.Head);
        SealedStores.AssertClean(copy);

        var whole = SealedStores.Check(disk).WholeUpTo;
        Assert.Equal(7, whole);
        Assert.Equal(whole, Repair(store => new Truncation(store, whole).Run()).Head);
        SealedStores.AssertClean(disk);
        SteppedStore.Open(disk.Attach()).Append(history.New(30));
        SealedStores.AssertClean(disk);
    }

    [Fact]
    public void Sealed_file_without_the_rest_of_its_last_append_is_named()
    {
        var client = disk.Attach();
        LoseAllAfter(client, 0);
        Assert.False(IsEndOfAppend(19));

        for (var turn = 0; turn < 2; turn++)
            Assert.Equal((layout.EventFile(20), 20), Damage(() => Promises.Open(disk).Dispose()));
        Assert.Equal(EntryKind.Missing, client.GetKind(layout.Quarantine));
    }

    [Fact]
    public void Damaged_closing_line_is_named_and_the_folder_can_be_unsealed()
    {
        Edit(Sealed, "\"every\":4", "\"every\":5");

        var finding = Assert.Single(SealedStores.Check(disk).Findings);
        Assert.Equal((FindingKind.BadSealedFile, Sealed, Remedy.Unseal), (finding.Kind, finding.Path, finding.Remedy));
        Promises.Check(disk, history, deep: false);
        SealedStores.Unseal(disk.Attach(), from: 20, upTo: 20);
        SealedStores.AssertClean(disk);
    }

    [Fact]
    public void Lines_that_an_editor_saved_with_other_line_ends_are_still_read()
    {
        Edit(Sealed, "\n", "\r\n");

        Assert.Equal(FindingKind.BadSealedFile, Assert.Single(SealedStores.Check(disk).Findings).Kind);
        Promises.Check(disk, history, deep: false);
    }

    [Fact]
    public void Event_file_beside_a_sealed_file_that_has_another_event_is_not_removed()
    {
        var client = disk.Attach();
        client.CreateFolder(layout.ShardFolder(20));
        var text = Encoding.UTF8.GetString(SealedStores.Bytes(client, disk.LayoutOf(Backup).EventFile(27)));
        using (var file = client.CreateNew(layout.EventFile(27))!)
            file.Write(Encoding.UTF8.GetBytes(text.Replace("\"number\": 27", "\"number\": 28", StringComparison.Ordinal)), 0);

        var error = Assert.Throws<StoreMaintenanceException>(() => SealedStores.Seal(client));

        Assert.Equal(layout.EventFile(27), error.Path);
        Assert.False(error.IsTransient);
        Assert.Equal(FindingKind.UnfinishedSealing, Assert.Single(SealedStores.Check(disk).Findings).Kind);
        Promises.Check(disk, history, deep: false);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Event_file_beside_a_sealed_file_that_has_another_event_is_kept_when_the_folder_is_unsealed(bool isRepair)
    {
        var ids = Read().ConvertAll(static e => e.Id);
        var stored = EventFile.Read(SealedStores.Bytes(disk.Attach(), disk.LayoutOf(Backup).EventFile(27)), 27, out _)!;
        var other = EventFile.TextOf(stored with { Content = stored.Content with { Json = "7"u8.ToArray() } });
        var edited = Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(SealedStores.Bytes(disk.Attach(), disk.LayoutOf(Backup).EventFile(28)))
            .Replace("\"number\": 28", "\"number\": 29", StringComparison.Ordinal));
        Put(layout.EventFile(27), other);
        Put(layout.EventFile(28), edited);
        Put(layout.EventFile(29), SealedStores.Bytes(disk.Attach(), disk.LayoutOf(Backup).EventFile(29)));

        if (isRepair)
            Assert.Equal([30], Repair(store => new Redaction(store, disk.Clock).Run(new RedactionOrder([30], ["text"], "Request 1"))).Redacted);
        else
            SealedStores.Unseal(disk.Attach());

        var folder = FilePath.Join(layout.Quarantine, Assert.Single(disk.Attach().List(layout.Quarantine)));
        Assert.Equal(["0000000027.json.other", "0000000028.json.other"], disk.Attach().List(folder).Order(StringComparer.Ordinal));
        Assert.Equal(other, SealedStores.Bytes(disk.Attach(), FilePath.Join(folder, "0000000027.json.other")));
        Assert.Equal(edited, SealedStores.Bytes(disk.Attach(), FilePath.Join(folder, "0000000028.json.other")));
        SealedStores.AssertClean(disk);
        Assert.Equal(ids, Read().ConvertAll(static e => e.Id));
    }

    [Fact]
    public void Proof_is_compared_with_the_sealed_file_and_not_with_the_originals_beside_it()
    {
        using var key = ProofKey.Create("shop.example");
        var checkpoint = StoreProof.WriteCheckpoint(disk.Attach(), SteppedStore.LayoutOn(disk), key, [], disk.Clock,
            CancellationToken.None).Checkpoint;
        SealedStores.Unseal(disk.Attach());
        var stored = EventFile.Read(SealedStores.Bytes(disk.Attach(), layout.EventFile(5)), 5, out _)!;
        Put(layout.EventFile(5), EventFile.TextOf(stored with { Content = stored.Content with { Json = "7"u8.ToArray() } }));
        SealedStores.Seal(disk.Attach());
        for (var position = 1; position < SealedStores.Positions; position++)
            Put(layout.EventFile(position), SealedStores.Bytes(disk.Attach(), disk.LayoutOf(Backup).EventFile(position)));

        var report = StoreProof.Verify(disk.Attach(), SteppedStore.LayoutOn(disk), [checkpoint], null, CancellationToken.None);

        Assert.Equal((ProofDifferenceKind.Changed, 5), (report.FirstDifference!.Kind, report.FirstDifference.First));
        Assert.Contains(layout.SealedFile(0), report.FirstDifference.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Bad_line_is_repaired_from_the_event_files_beside_the_sealed_file()
    {
        var ids = Read().ConvertAll(static e => e.Id);
        for (var position = 1; position < SealedStores.Positions; position++)
            Put(layout.EventFile(position), SealedStores.Bytes(disk.Attach(), disk.LayoutOf(Backup).EventFile(position)));
        Edit(layout.SealedFile(0), "{\"position\":5,", "{\"position\":#,");

        var report = Repair(store => StoreRepair.RestoreFromFolder(store, layout.ShardFolder(0)));

        Assert.Equal((RepairOutcome.FilesRestored, null), (report.Outcome, report.Problem));
        Assert.Equal([5], report.Restored);
        Assert.Empty(report.SetAside);
        SealedStores.AssertClean(disk);
        Assert.Equal(3, SealedStores.SealedFiles(disk).Count);
        Assert.Equal(ids, Read().ConvertAll(static e => e.Id));
    }

    // It was taken for the one of the backup.
    [Fact]
    public void Bad_line_is_restored_from_a_backup_although_another_event_file_is_beside_the_sealed_file()
    {
        var ids = Read().ConvertAll(static e => e.Id);
        var original = EventFile.Read(SealedStores.Bytes(disk.Attach(), disk.LayoutOf(Backup).EventFile(5)), 5, out _)!;
        Put(layout.EventFile(5), EventFile.TextOf(original with { Content = original.Content with { Id = Guid.NewGuid() } }));
        Edit(layout.SealedFile(0), "{\"position\":5,", "{\"position\":#,");

        var report = Repair(store => StoreRepair.RestoreFromFolder(store, disk.LayoutOf(Backup).ShardFolder(0)));

        Assert.Equal([5], report.Restored);
        SealedStores.AssertClean(disk);
        Assert.Equal(ids, Read().ConvertAll(static e => e.Id));
        Assert.Equal(original.Content.Json.ToArray(), Read()[4].Json.ToArray());
    }

    [Fact]
    public void Edited_line_is_accepted_although_the_original_event_file_is_beside_the_sealed_file()
    {
        var original = SealedStores.Bytes(disk.Attach(), disk.LayoutOf(Backup).EventFile(27));
        Put(layout.EventFile(27), original);
        Edit(Sealed, "\"number\":27,", "\"number\":270,");

        Assert.Equal(Remedy.AcceptEditedFile, SealedStores.Check(disk).Findings[0].Remedy);
        var report = Repair(store => new EditAcceptance(store, 27).Run());

        SealedStores.AssertClean(disk);
        Assert.Contains("270", Encoding.UTF8.GetString(Read()[26].Json.Span), StringComparison.Ordinal);
        Assert.Equal(original, SealedStores.Bytes(disk.Attach(), FilePath.Join(report.QuarantineFolder!, StoreLayout.EventFileName(27))));
    }

    [Fact]
    public void Damaged_folder_is_not_sealed()
    {
        SealedStores.Unseal(disk.Attach());
        Edit(layout.EventFile(27), "\"number\": 27", "\"number\": 28");

        var error = Assert.Throws<StoreDamagedException>(() => SealedStores.Seal(disk.Attach()));

        Assert.Equal((layout.EventFile(27), 27), (error.Path, error.Position));
        Assert.Equal(["0000000000.jsonl"], SealedStores.SealedFiles(disk));
        Assert.Equal(Remedy.RestoreFromIndex, SealedStores.Check(disk).Findings[0].Remedy);
    }

    [Fact]
    public void Folder_with_a_bad_line_is_not_unsealed()
    {
        Edit(Sealed, "\"number\":27,", "\"number\":270,");

        var error = Assert.Throws<StoreDamagedException>(() => SealedStores.Unseal(disk.Attach()));

        Assert.Equal((Sealed, 27), (error.Path, error.Position));
        Assert.Equal(2, SealedStores.SealedFiles(disk).Count);
    }

    [Fact]
    public void Folder_that_lacks_a_line_is_not_unsealed()
    {
        var lines = Encoding.UTF8.GetString(SealedStores.Bytes(disk.Attach(), Sealed)).Split('\n');
        Edit(Sealed, lines[7] + '\n', "");

        var error = Assert.Throws<StoreDamagedException>(() => SealedStores.Unseal(disk.Attach()));

        Assert.Equal((Sealed, 27), (error.Path, error.Position));
        Assert.Equal(2, SealedStores.SealedFiles(disk).Count);
    }

    [Fact]
    public void Backup_of_a_sealed_store_goes_on_and_equals_it()
    {
        SteppedStore.Open(disk.Attach()).Append(history.New(30));
        SealedStores.Seal(disk.Attach());
        var before = SealedStores.EventFiles(Unsealed());

        var report = StoreBackup.Run(disk.Attach(), SteppedStore.LayoutOn(disk), Backup, new BackupOptions { VerifyAll = true }, disk.Clock);

        Assert.Equal((30, 0), (report.Copied, report.Mended));
        Assert.All(before, each => Assert.Equal(each.Value,
            Convert.ToBase64String(SealedStores.Bytes(disk.Attach(), disk.LayoutOf(Backup).EventFile(each.Key)))));
    }

    [Fact]
    public void Damaged_line_of_a_sealed_backup_is_made_again()
    {
        StoreSealing.Seal(disk.Attach(), disk.LayoutOf(Backup), 1, disk.Clock);
        Edit(disk.LayoutOf(Backup).SealedFile(20), "\"number\":27,", "\"number\":270,");

        var report = StoreBackup.Run(disk.Attach(), SteppedStore.LayoutOn(disk), Backup, new BackupOptions { VerifyAll = true }, disk.Clock);

        Assert.Equal((0, 1), (report.Copied, report.Mended));
        // A backup has no index.
        Assert.All(StoreCheck.Run(disk.Attach(), disk.LayoutOf(Backup)).Findings, static finding =>
            Assert.Equal(FindingKind.IndexMismatch, finding.Kind));
    }

    [Fact]
    public void Index_can_be_rebuilt_and_leaves_out_lines_of_sealed_events()
    {
        var before = Segments();

        Repair(static store => store.RebuildIndex());

        Assert.Equal(before, Segments());
        Assert.DoesNotContain(layout.Segment(0), before);
        SealedStores.AssertClean(disk);
        Promises.Check(disk, history);
    }

    private List<string> Segments() => [.. disk.Attach().List(layout.Index).FindAll(name => layout.TryParseSealedFileName(name, out _))
        .Select(name => FilePath.Join(layout.Index, name)).Order(StringComparer.Ordinal)];

    [Fact]
    public async Task Reader_of_a_store_without_an_index_reads_sealed_events()
    {
        disk.Attach().Delete(layout.IndexFile);
        var options = new OpossumOptions { ReadOnly = true, TimeProvider = disk.Clock };
        await using var store = FileSystemEventStore.Open(options, disk.Attach(), SteppedStore.LayoutOn(disk));

        Assert.Equal(history.Attempts.Sum(static each => each.Events.Count), Promises.Read(store, Query.All).Count);
        Assert.Equal(3, (await store.GetStatusAsync()).SealedFolders);
    }

    [Fact]
    public async Task Open_store_seals_its_older_folders_in_the_background()
    {
        SealedStores.Unseal(disk.Attach());
        var options = new OpossumOptions { SealAllButNewestFolders = 2, TimeProvider = disk.Clock };
        await using (var store = FileSystemEventStore.Open(options, disk.Attach(), SteppedStore.LayoutOn(disk)))
        {
            // Waits for what was begun.
            store.SealFolders();
            Assert.Equal(2, (await store.GetStatusAsync()).SealedFolders);
            for (var turn = 0; turn < 12; turn++)
                Promises.Append(store, history.New(2).Events);
            store.SealFolders();
            Assert.Equal(3, (await store.GetStatusAsync()).SealedFolders);
            Assert.Equal(history.Attempts.Sum(static each => each.Events.Count), Promises.Read(store, Query.All).Count);
        }
        SealedStores.AssertClean(disk);
    }

    private List<SequencedEvent> Read()
    {
        using var store = Promises.Open(disk);
        return Promises.Read(store, Query.All);
    }

    private bool IsEndOfAppend(long position)
    {
        var last = 0L;
        return history.Attempts.Any(each => (last += each.Events.Count) == position);
    }

    private static (string? Path, long Position) Damage(Action action)
    {
        var error = Assert.Throws<StoreDamagedException>(action);
        return (error.Path, error.Position);
    }

    // A plain copy that ended early.
    private SimulatedFileSystem CutOff(string path, string text, bool isInsideLine)
    {
        var client = disk.Attach();
        LoseAllAfter(client, 0);
        var at = Encoding.UTF8.GetString(SealedStores.Bytes(client, path)).IndexOf(text, StringComparison.Ordinal);
        using var file = client.Open(path, FileOpening.ReadWrite)!;
        file.SetLength(isInsideLine ? at + text.Length + 10 : at);
        file.Flush();
        return client;
    }

    private void LoseAllAfter(IFileSystem client, long shard)
    {
        foreach (var folder in (string[])[layout.Index, layout.Log])
        {
            var filesLeft = int.MaxValue;
            if (client.GetKind(folder) == EntryKind.Folder)
                client.RemoveFolder(folder, ref filesLeft);
        }
        foreach (var name in client.List(layout.Events))
        {
            var filesLeft = int.MaxValue;
            if (layout.TryParseSealedFileName(name, out var sealedShard) && sealedShard > shard)
                client.Delete(FilePath.Join(layout.Events, name));
            else if (layout.TryParseShard(name, out var unsealed) && unsealed > shard)
                client.RemoveFolder(FilePath.Join(layout.Events, name), ref filesLeft);
        }
    }

    private SimulatedDisk Unsealed()
    {
        var copy = disk.Copy();
        SealedStores.Unseal(copy.Attach());
        return copy;
    }

    private T Repair<T>(Func<StoreUnderRepair, T> repair) => StoreRepair.Run(disk.Attach(), SteppedStore.LayoutOn(disk), disk.Clock, null, repair);

    private void Put(string path, byte[] bytes)
    {
        var client = disk.Attach();
        client.CreateFolder(FilePath.FolderOf(path)!);
        client.Delete(path);
        using var file = client.CreateNew(path)!;
        file.Write(bytes, 0);
        file.Flush();
    }

    private void Edit(string path, string text, string edit)
    {
        var client = disk.Attach();
        var before = Encoding.UTF8.GetString(SealedStores.Bytes(client, path));
        Assert.Contains(text, before, StringComparison.Ordinal);
        var after = Encoding.UTF8.GetBytes(before.Replace(text, edit, StringComparison.Ordinal));
        using var file = client.Open(path, FileOpening.ReadWrite)!;
        file.Write(after, 0);
        file.SetLength(after.Length);
        file.Flush();
    }
}
