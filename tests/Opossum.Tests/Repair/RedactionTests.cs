using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Log;
using Opossum.Storage.Repair;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;
using static Opossum.Tests.Repair.PersonalStore;

namespace Opossum.Tests.Repair;

/// <summary>What a redaction removes, what it keeps, what it reaches and what it refuses.</summary>
public sealed class RedactionTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Smb))]
    [InlineData(nameof(VolumeKind.Nfs))]
    [InlineData(nameof(VolumeKind.Btrfs))]
    public async Task The_text_is_gone_from_the_folder_and_everything_else_stays(string kind)
    {
        using var share = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var before = await CreateAsync(share);
        // As an interrupted change of tag rules leaves it.
        share.Put(share.Layout.IndexFileStaging, share.Bytes(share.Layout.EventFile(1)));
        // As a process that was killed leaves a run.
        share.Put(share.Layout.NewRunFileStaging(), share.Bytes(share.Layout.EventFile(1)));

        var report = share.Repair(Remedies.Redact(share.Clock, [6, 1, 2, 3, 3], Members));

        Assert.Equal(Positions, report.Redacted);
        Assert.Equal([2], report.Unchanged);
        Assert.Equal([], WhereItIs(share));
        share.AssertClean();
        AssertRedacted(before, await share.Open().ReadAllAsync());
        var redaction = Assert.Single(EventRedaction.Of((await share.Open().ReadAllAsync())[0]));
        Assert.Equal(Members, redaction.Members);
        Assert.Equal(share.Clock.GetUtcNow(), redaction.At);
        Assert.Contains(Environment.MachineName, redaction.By, StringComparison.Ordinal);
        Assert.StartsWith("Redacted 3 events: positions 1, 3, 6. The index was rebuilt. Unchanged, without a value to redact: position 2.",
            report.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Condition_of_a_redacted_event_that_has_the_text_is_kept_without_its_query(bool isByAnother)
    {
        var store = place.Open(static options => options.KeepConditions = true);
        var tag = new Tag("email", isByAnother ? "other@example.org" : Secret);
        await store.AppendAsync([Registered("c1")], new AppendCondition(Query.FromTags(tag)));
        place.CloseStores();

        place.Repair(Remedies.Redact(place.Clock, [1], "email"));

        Assert.Equal([], WhereItIs(place));
        var kept = (await place.Open().ReadAllAsync())[0].Condition;
        Assert.Equal(isByAnother ? $"{Query.FromTags(tag)}" : null, kept?.FailIfEventsMatch.ToString());
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Index_file_that_another_process_makes_meanwhile_and_leaves_is_gone_after_the_redaction()
    {
        await CreateAsync(place);
        var old = place.Bytes(place.Layout.EventFile(1));
        var client = place.Disk!.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.CreateNew && operation.Path == place.Layout.IndexFile)
                place.Put(place.Layout.IndexFileStaging, old);
        };

        place.Repair(client, Remedies.Redact(place.Clock, Positions, Members));

        Assert.Equal([], WhereItIs(place));
    }

    [Fact]
    public async Task The_original_of_an_event_that_was_edited_by_hand_is_redacted_in_quarantine()
    {
        await place.Open().AppendAsync([NewEvent.FromJson("registered", """{"email":"ann@example.org"}""")]);
        place.CloseStores();
        var file = place.Layout.EventFile(1);
        var edited = Encoding.UTF8.GetString(place.Bytes(file)).Replace("\"ann@example.org\"", "null", StringComparison.Ordinal);
        place.Put(file, Encoding.UTF8.GetBytes(edited));
        place.Repair(Remedies.Accept(1));

        var report = place.Repair(Remedies.Redact(place.Clock, [1], "email"));

        Assert.Equal([1], report.Unchanged);
        var original = Assert.Single(report.RedactedInQuarantine);
        Assert.DoesNotContain("ann@example.org", Encoding.UTF8.GetString(place.Bytes(original)), StringComparison.Ordinal);
        Assert.Equal("Unchanged, without a value to redact: position 1. Redacted in Quarantine: 1 file. Backups and exports still have the old "
            + "text.", report.ToString());
        place.AssertClean();
    }

    [Fact]
    public async Task A_file_in_Quarantine_that_cannot_be_read_is_named_also_where_nothing_was_redacted()
    {
        await CreateAsync(place);
        var copy = place.Bytes(place.Layout.EventFile(1));
        place.Repair(Remedies.Redact(place.Clock, Positions, Members));
        var path = $"{place.Layout.Quarantine}/20261121T124944.285Z/0000000001.json.bad";
        place.Put(path, copy.AsSpan(0, copy.Length - 20));

        var again = place.Repair(Remedies.Redact(place.Clock, Positions, Members));

        Assert.Equal([path], again.UnreadInQuarantine);
        Assert.Equal("Unchanged, without a value to redact: positions 1, 3, 6. "
            + $"These files in Quarantine are no whole event files and may hold the old text: {path}.", again.ToString());
    }

    [Fact]
    public async Task The_text_is_removed_from_the_log_where_only_the_event_file_has_null()
    {
        await CreateAsync(place);
        // As when accepting an edited file is cut off before the index is made again.
        var stored = place.Event(3);
        place.Put(place.Layout.EventFile(3), EventFile.TextOf(stored with
        {
            Content = stored.Content with { Json = """{"contacts":[{"email":null}],"email2":"x"}"""u8.ToArray() },
        }));

        place.Repair(Remedies.Redact(place.Clock, [3], Members[1]));

        Assert.DoesNotContain(Secret, Encoding.UTF8.GetString((await place.Open().ReadAllAsync())[2].Json.Span), StringComparison.Ordinal);
        place.CloseStores();
        place.AssertClean();
        Assert.Equal([3], place.Repair(Remedies.Redact(place.Clock, [3], Members[1])).Unchanged);
    }

    [Fact]
    public async Task What_was_redacted_before_is_not_reported_as_redacted_again_where_the_index_is_missing()
    {
        await CreateAsync(place);
        place.Repair(Remedies.Redact(place.Clock, [3], Members[1]));
        place.Delete(place.Layout.IndexFile);
        ((SimulatedClock)place.Clock).Advance(TimeSpan.FromSeconds(1));

        var report = place.Repair(Remedies.Redact(place.Clock, [3], Members[1]));

        Assert.Empty(report.Redacted);
        Assert.Equal([3], report.Unchanged);
    }

    [Fact]
    public async Task A_member_and_one_below_it_are_redacted_by_one_call_that_can_be_repeated()
    {
        await place.Open().AppendAsync([NewEvent.FromJson("moved", """{"address":{"street":"Main St 1"},"home":[{"phone":1}]}""")]);
        place.CloseStores();
        string[] members = ["address.street", "address", "home", "home[].phone"];

        Assert.Equal([1], place.Repair(Remedies.Redact(place.Clock, [1], members)).Redacted);
        Assert.Equal([1], place.Repair(Remedies.Redact(place.Clock, [1], members)).Unchanged);
        Assert.Equal("""{"address":null,"home":null}"""u8, place.Event(1).Content.Json);
    }

    // A backup program may have it open, so that Windows does not delete it.
    [Theory]
    [InlineData(".run")]
    [InlineData(".run.new")]
    public async Task Part_of_the_former_index_that_cannot_be_deleted_leaves_the_redaction_unfinished(string ending)
    {
        await CreateAsync(place);
        place.Runs = new RunSettings { Length = 2, Fan = 2, LengthMax = 8, InBackground = false };
        await place.Open().AddTagRuleAsync(new TagRule("customer-registered", "email", "mail"));
        place.CloseStores();
        place.Put(place.Layout.NewRunFileStaging(), Encoding.UTF8.GetBytes(Secret));
        Assert.Contains(WhereItIs(place, place.Layout.Index), static path => path.EndsWith(".run", StringComparison.Ordinal));
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Delete && operation.Path.EndsWith(ending, StringComparison.Ordinal),
            Error = FileError.InUse,
            Lasts = true,
        });

        var error = Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.Redact(place.Clock, Positions, Members)));

        Assert.EndsWith(ending, error.Path, StringComparison.Ordinal);
        Assert.True(place.Exists(place.Layout.RedactionFile));
        Assert.NotEmpty(WhereItIs(place));
        place.Disk.Mend();
        place.Repair(Remedies.FinishRedaction(place.Clock));
        Assert.Equal([], WhereItIs(place));
        Assert.False(place.Exists(place.Layout.RedactionFile));
        place.AssertClean();
    }

    // Whenever the redaction begins.
    [Fact]
    public async Task A_process_that_makes_runs_meanwhile_makes_none_that_has_what_is_removed()
    {
        var operations = int.MaxValue;
        for (var at = 1; at <= operations; at++)
        {
            using var shared = StorePlace.On(VolumeKind.Ext4);
            await CreateAsync(shared);
            await shared.Open().AddTagRuleAsync(new TagRule("customer-registered", "email", "mail"));
            shared.CloseStores();
            shared.Runs = new RunSettings { Length = 2, Fan = 2, LengthMax = 8, InBackground = false };
            var client = shared.Disk!.Attach();
            var other = shared.Open(client);
            var done = 0;
            client.BeforeOperation = _ =>
            {
                if (++done == at)
                    shared.Repair(Remedies.Redact(shared.Clock, Positions, Members));
            };
            other.MakeRuns();
            client.BeforeOperation = null;
            operations = done;

            Assert.Equal([], WhereItIs(shared));
        }
        Assert.InRange(operations, 10, 100);
    }

    [Fact]
    public async Task A_process_that_reads_on_in_the_former_index_makes_none_of_its_runs_again()
    {
        await CreateAsync(place);
        place.Runs = new RunSettings { Length = 2, Fan = 2, LengthMax = 8, InBackground = false };
        await place.Open().AddTagRuleAsync(new TagRule("customer-registered", "email", "mail"));
        place.CloseStores();
        var client = place.Disk!.Attach();
        var other = place.Open(client);
        await other.GetHeadAsync();
        var isRedacted = false;
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Read || !operation.Path.EndsWith(".run", StringComparison.Ordinal))
                return;
            if (!isRedacted)
                place.Repair(Remedies.Redact(place.Clock, Positions, Members));
            isRedacted = true;
            throw new FileSystemException(FileError.Other, "read", operation.Path, "the disk failed");
        };

        await other.PositionsAsync(Query.FromTags(new Tag("mail", "ann@example.org")));

        Assert.True(isRedacted);
        Assert.Equal([], WhereItIs(place));
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Smb))]
    public async Task Another_process_that_has_the_store_open_reads_and_appends_on(string kind)
    {
        using var share = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var before = await CreateAsync(share);
        var other = share.Open();
        var reader = share.Open(static options => options.ReadOnly = true);
        Assert.Equal(6, (await other.ReadAllAsync()).Count);
        Assert.Equal(6, (await reader.ReadAllAsync()).Count);

        share.Repair(Remedies.Redact(share.Clock, Positions, Members));
        await other.AppendAsync([New("opened")]);
        using (var files = share.Attach())
            files.Pause(TimeSpan.FromSeconds(60));

        AssertRedacted(before, (await other.ReadAllAsync())[..6]);
        AssertRedacted(before, (await reader.ReadAllAsync())[..6]);
        Assert.Equal(7, await reader.GetHeadAsync());
        share.CloseStores();
        share.AssertClean();
        Assert.Equal([], WhereItIs(share));
    }

    [Fact]
    public async Task A_second_redaction_adds_to_the_first_one_and_keeps_its_leaf()
    {
        await CreateAsync(place);
        place.Repair(Remedies.Redact(place.Clock, [1], "email"));
        var leaf = LeafOf(1);
        place.Repair(Remedies.Redact(place.Clock, [1], "name"));

        Assert.Equal(leaf, LeafOf(1));
        Assert.Equal([["email"], ["name"]], EventRedaction.Of((await place.Open().ReadAllAsync())[0]).Select(static each => each.Members.ToArray()));
        place.CloseStores();
        var files = place.Snapshot();
        var again = place.Repair(Remedies.Redact(place.Clock, [1], "name", "email"));
        Assert.Equal("Nothing to redact: each of the members is null already.", again.ToString());
        Assert.Equal([1], again.Unchanged);
        AssertSame(files);
    }

    [Fact]
    public async Task Nothing_is_changed_when_the_redaction_is_refused()
    {
        await CreateAsync(place);
        var files = place.Snapshot();

        var missing = Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.Redact(place.Clock, [1, 2], "email", "emial")));
        Assert.StartsWith("None of the events has the member \"emial\". Nothing was changed.", missing.Message, StringComparison.Ordinal);
        var after = Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.Redact(place.Clock, [1, 7], "email")));
        Assert.StartsWith("There is no event at position 7: the last one is at position 6.", after.Message, StringComparison.Ordinal);
        AssertSame(files);

        place.Put(place.Layout.EventFile(5), "bad"u8);
        Assert.StartsWith("Nothing was redacted: ",
            Assert.Throws<StoreDamagedException>(() => place.Repair(Remedies.Redact(place.Clock, [1], "email"))).Message, StringComparison.Ordinal);
        Assert.False(place.Exists(place.Layout.RedactionFile));
        place.Repair(Remedies.RestoreFromIndex);
        Assert.Equal(Positions, place.Repair(Remedies.Redact(place.Clock, Positions, Members)).Redacted);
    }

    [Fact]
    public async Task Orders_that_say_nothing_or_too_much_are_refused()
    {
        await Assert.ThrowsAsync<ArgumentException>(() => StoreRepair.RedactAsync("store", [], ["a"], "r"));
        await Assert.ThrowsAsync<ArgumentException>(() => StoreRepair.RedactAsync("store", [1], [], "r"));
        await Assert.ThrowsAsync<ArgumentException>(() => StoreRepair.RedactAsync("store", [1], ["a"], " "));
        await Assert.ThrowsAsync<ArgumentException>(() => StoreRepair.RedactAsync("store", [1], ["a"], new string('r', 1_001)));
        await Assert.ThrowsAsync<ArgumentException>(() => StoreRepair.RedactAsync("store", [1], ["a..b"], "r"));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => StoreRepair.RedactAsync("store", [0, 1], ["a"], "r"));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => StoreRepair.RedactAsync("store", [1, int.MaxValue], ["a"], "r"));
    }

    [Fact]
    public async Task The_events_of_a_store_of_a_newer_version_are_not_rewritten()
    {
        await CreateAsync(place);
        var (text, newer) = (place.Bytes(place.Layout.StoreFile), Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(place.Bytes(place.Layout.StoreFile))
            .Replace("\"format\": 1,", "\"format\": 1,\n  \"minor\": 9,", StringComparison.Ordinal)));
        place.Put(place.Layout.StoreFile, newer);

        Assert.Null(place.Repair(Remedies.FinishRedaction(place.Clock)));
        Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.Redact(place.Clock, [1], "email")));
        Assert.False(place.Exists(place.Layout.RedactionFile));
        place.Put(place.Layout.StoreFile, text);
        Interrupt();
        place.Put(place.Layout.StoreFile, newer);
        var events = place.Snapshot(place.Layout.Events);
        var refused = Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.FinishRedaction(place.Clock)));
        Assert.Contains("Update Opossum", refused.Message, StringComparison.Ordinal);
        Assert.Equal(events, place.Snapshot(place.Layout.Events));
    }

    [Fact]
    public async Task Copies_in_Quarantine_are_redacted_and_what_cannot_be_read_there_is_named()
    {
        await CreateAsync(place);
        var folder = $"{place.Layout.Quarantine}/20261121T124944.285Z";
        var copy = place.Bytes(place.Layout.EventFile(1));
        place.Put($"{folder}/0000000009.json", EventFile.TextOf(place.Event(1) with { Position = 9, Commit = new CommitRange(9, 9, 8) }));
        place.Put($"{folder}/0000000001.json.bad", copy.AsSpan(0, copy.Length - 20));
        place.Put($"{folder}/0000000002.json", place.Bytes(place.Layout.EventFile(2)));
        place.Put($"{folder}/0000000006.json", []);
        place.Put($"{folder}/notes.txt", "nothing of it"u8);
        place.Put($"{place.Layout.EventFile(4)}.new", copy);

        var report = place.Repair(Remedies.Redact(place.Clock, Positions, Members));

        Assert.Equal([$"{folder}/0000000009.json"], report.RedactedInQuarantine);
        Assert.Equal([$"{folder}/0000000001.json.bad"], report.UnreadInQuarantine);
        Assert.Equal([$"{folder}/0000000001.json.bad"], WhereItIs(place));
        Assert.Contains("0000000001.json.bad", report.ToString(), StringComparison.Ordinal);
        Assert.NotNull(EventFile.Read(place.Bytes($"{folder}/0000000009.json"), 9, out _));
    }

    [Fact]
    public async Task An_event_of_a_mebibyte_is_redacted()
    {
        var store = place.Open();
        var long1 = new string('x', 1024 * 1024);
        await store.AppendAsync([NewEvent.FromJson("note-written", $$"""{"text":"{{long1}}","email":"{{Secret}}","after":[1,2.50]}""")]);
        place.CloseStores();

        place.Repair(Remedies.Redact(place.Clock, [1], "email"));

        Assert.Equal($$"""{"text":"{{long1}}","email":null,"after":[1,2.50]}""", Encoding.UTF8.GetString(place.Event(1).Content.Json));
        Assert.Equal([], WhereItIs(place));
        place.AssertClean();
    }

    [Fact]
    public async Task An_event_lost_after_a_redaction_is_restored_from_a_folder_that_has_the_others_as_they_were()
    {
        await CreateAsync(place);
        foreach (var position in Enumerable.Range(1, 6))
            place.Put($"/backup/{position:D10}.json", place.Bytes(place.Layout.EventFile(position)));
        place.Repair(Remedies.Redact(place.Clock, Positions, Members));
        place.Delete(place.Layout.EventFile(2));

        Assert.Equal([2], place.Repair(Remedies.RestoreFrom("/backup")).Restored);
        place.AssertClean();
        Assert.Equal([], WhereItIs(place));
    }

    [Fact]
    public async Task A_file_lost_while_a_redaction_is_unfinished_is_restored_and_then_redacted()
    {
        await CreateAsync(place);
        Interrupt();
        Assert.Equal(Remedy.FinishRedaction, place.Check().Findings[0].Remedy);
        place.Delete(place.Layout.EventFile(3));
        place.Delete(place.Layout.EventFile(4));
        Assert.Throws<StoreDamagedException>(() => place.Repair(Remedies.FinishRedaction(place.Clock)));

        Assert.Equal([3, 4], place.Repair(Remedies.RestoreFromIndex).Restored);
        Assert.NotEmpty(WhereItIs(place));
        Assert.Equal(Positions, place.Repair(Remedies.FinishRedaction(place.Clock))!.Redacted);
        Assert.Equal([], WhereItIs(place));
        Assert.Null(place.Repair(Remedies.FinishRedaction(place.Clock)));
        place.AssertClean();
    }

    [Fact]
    public async Task A_redaction_that_is_repeated_with_more_positions_redacts_these_too()
    {
        var before = await CreateAsync(place);
        using (var files = place.Attach())
        {
            var redaction = new EventRedaction
            {
                Members = Members,
                Reason = "The person asked for it.",
                By = "erika",
                At = place.Clock.GetUtcNow(),
            };
            new RedactionPlan(Guid.NewGuid(), redaction, [(1, before[0].Id)]).Write(files, place.Layout);
        }

        var report = place.Repair(Remedies.Redact(place.Clock, [1, 2, 3, 6], Members));

        Assert.Equal(Positions, report.Redacted);
        Assert.Equal([2], report.Unchanged);
        Assert.Equal([], WhereItIs(place));
        place.AssertClean();
    }

    [Fact]
    public async Task What_is_appended_and_cut_off_while_a_redaction_is_unfinished_is_as_it_should_be()
    {
        await CreateAsync(place);
        Interrupt();
        await place.Open().AppendAsync([Registered("c4")]);
        place.CloseStores();
        place.Repair(Remedies.Truncate(5));
        await place.Open().AppendAsync([Registered("c5")]);
        place.CloseStores();

        var report = place.Repair(Remedies.FinishRedaction(place.Clock))!;

        // Position 6 is another event now; the one that was there lies in Quarantine.
        Assert.Equal([1, 3], report.Redacted);
        Assert.EndsWith("/0000000006.json", Assert.Single(report.RedactedInQuarantine), StringComparison.Ordinal);
        Assert.Equal(2, WhereItIs(place, place.Layout.Events).Count + WhereItIs(place, place.Layout.Quarantine).Count);
        place.AssertClean();
    }

    [Fact]
    public async Task A_damaged_file_of_an_unfinished_redaction_is_named()
    {
        await CreateAsync(place);
        Interrupt();
        place.Put(place.Layout.RedactionFile, "{}"u8);

        var refused = Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.FinishRedaction(place.Clock)));
        Assert.Contains("redact the same members", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_append_cannot_say_that_it_was_redacted()
    {
        var refused = Assert.Throws<ArgumentException>(() => New("a") with { Metadata = new Dictionary<string, string> { ["$redaction"] = "{}" } });
        Assert.Contains("\"$redaction\"", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_export_and_an_import_keep_it()
    {
        var before = await CreateAsync(place);
        place.Repair(Remedies.Redact(place.Clock, Positions, Members));
        using var file = new MemoryStream();
        using var files = place.Attach();
        StoreExport.Run(files, place.Layout, file, Query.All, ReadOptions.Default, place.Clock);
        file.Position = 0;
        using var target = StorePlace.On(VolumeKind.Ext4);
        StoreImport.Run(target.Attach(), target.Layout, file, new ImportOptions { CreateIfMissing = true }, target.Clock);

        AssertRedacted(before, await target.Open().ReadAllAsync());
    }

    // A redaction that has written what it will do, and one of three files.
    private void Interrupt()
    {
        place.Disk!.Fail(new Fault
        {
            When = static each => each.Kind == OperationKind.Move && each.To!.EndsWith("0000000003.json", StringComparison.Ordinal),
        });
        var failed = Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.Redact(place.Clock, Positions, Members)));
        Assert.EndsWith("Run it again: it continues where it stopped.", failed.Message, StringComparison.Ordinal);
        place.Disk.Mend();
    }

    private string LeafOf(long position) => RedactionRecord.Read(place.Event(position).Content.Metadata)!.Leaf;

    // The text of the lock's file is another one after each use.
    private void AssertSame(SortedDictionary<string, byte[]?> files)
    {
        var now = place.Snapshot();
        files.Remove(place.Layout.LockFile);
        now.Remove(place.Layout.LockFile);
        files.Remove(place.Layout.SealingLockFile);
        now.Remove(place.Layout.SealingLockFile);
        Assert.Equal(files, now);
    }
}
