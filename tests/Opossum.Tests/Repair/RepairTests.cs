using System.Text;
using System.Text.Json.Nodes;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Locking;
using Opossum.Storage.Repair;
using Opossum.Testing.Simulated;
using Opossum.Tests.Damage;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Repair;

/// <summary>What each repair does, what it keeps, what it refuses, and that it changes nothing then.</summary>
public sealed class RepairTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData("Ext4")]
    [InlineData("Smb")]
    public async Task Files_of_many_neighbours_are_restored_by_few_operations_each(string kind)
    {
        const int Events = 60;
        using var place = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var store = place.Open();
        for (var at = 0; at < Events; at++)
            await store.AppendAsync(NewEvent.FromJson("a", "{}"));
        place.CloseStores();
        for (var position = 1; position < Events; position++)
            place.Delete(place.Layout.EventFile(position));
        place.Disk!.Trace = [];

        Assert.Equal(Events - 1, place.Repair(Remedies.RestoreFromIndex).Restored.Count);
        var operations = place.Disk.Trace.Count(each => each.Path.StartsWith(place.Layout.Events, StringComparison.Ordinal));
        Assert.True(operations < 12 * Events, $"{operations} operations on event files for {Events - 1} missing ones.");
        place.AssertClean();
    }

    [Fact]
    public async Task A_rebuilt_index_is_the_same_to_the_byte()
    {
        var whole = await WholeStore.CreateAsync(place);
        place.Patch(place.Layout.IndexFile, 100, [0xFF, 0xFF]);

        var report = place.Repair(Remedies.RebuildIndex);

        Assert.Equal((Remedy.RebuildIndex, RepairOutcome.IndexRebuilt, 10, null, null),
            (report.Remedy, report.Outcome, report.Head, report.QuarantineFolder, report.Problem));
        Assert.Equal("The index was rebuilt from 10 events.", report.ToString());
        Assert.Equal("The index was rebuilt from 1 event.", (report with { Head = 1 }).ToString());
        Assert.Equal(whole.Files[place.Layout.IndexFile], place.Bytes(place.Layout.IndexFile));
        Assert.Equal(whole.Files[place.Layout.Segment(0)], place.Bytes(place.Layout.Segment(0)));
        place.AssertClean();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    [InlineData(10)]
    public async Task An_index_that_holds_the_last_copy_of_an_event_is_not_given_up(int position)
    {
        await WholeStore.CreateAsync(place);
        place.Delete(place.Layout.EventFile(position));
        AssertRefused<StoreDamagedException>(Remedies.RebuildIndex, place.Layout.EventFile(position));

        Assert.Equal([position], place.Repair(Remedies.RestoreFromIndex).Restored);
        place.AssertClean();
    }

    [Fact]
    public async Task An_index_that_lost_most_lines_but_not_that_of_a_damaged_event_is_not_given_up_at_open()
    {
        var store = place.Open();
        await store.AppendAsync([.. Enumerable.Range(0, 10).Select(_ => New("a", "k:1"))]);
        await store.AppendAsync([.. Enumerable.Range(0, 1_090).Select(_ => New("b", "k:2"))]);
        var ids = (await store.ReadAllAsync()).Select(e => e.Id).ToList();
        place.CloseStores();
        for (var shard = 0L; shard <= ids.Count; shard += place.Layout.ShardPositions)
        {
            var (length, kept) = (place.Bytes(place.Layout.Segment(shard)).Length, shard <= place.Layout.ShardOf(5) ? 2_000 : 0);
            if (length > kept)
                place.Patch(place.Layout.Segment(shard), kept, new byte[length - kept]);
        }
        place.Put(place.Layout.EventFile(5), "half a fi"u8);
        var before = place.Snapshot(place.Layout.Index);

        Assert.Equal(5, Assert.Throws<StoreDamagedException>(() => place.Open()).Position);
        Assert.Equal(before, place.Snapshot(place.Layout.Index));
        Assert.Equal(Remedy.RestoreFromIndex, Remedies.ApplyAll(place, "/backup")[0]);
        Assert.Equal(ids, (await place.Open().ReadAllAsync()).Select(e => e.Id));
    }

    [Theory]
    [InlineData(false, "segment")]
    [InlineData(true, "segment")]
    [InlineData(false, "types-and-tags.idx")]
    [InlineData(true, "types-and-tags.idx")]
    public async Task A_log_that_has_the_last_copy_of_an_event_is_not_deleted_with_an_index_that_lacks_a_part(bool isOpen, string missing)
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);
        var store = place.Open();
        for (var at = 0; at < 10; at++)
            await store.AppendAsync(New("a", "k:1"));
        var ids = (await store.ReadAllAsync()).Select(e => e.Id).ToList();
        if (!isOpen)
            place.CloseStores();
        place.Delete(missing == "segment" ? place.Layout.Segment(8) : place.Layout.IndexFile);
        place.Put(place.Layout.EventFile(5), "half a fi"u8);
        var before = place.Snapshot(place.Layout.Log);

        var error = await Assert.ThrowsAsync<StoreDamagedException>(async () => await (isOpen ? store : place.Open()).AppendAsync(New("b")));

        Assert.Equal(5, error.Position);
        Assert.Equal(before, place.Snapshot(place.Layout.Log));
        place.CloseStores();
        if (missing != "segment")
            return;
        Assert.Equal(Remedy.RestoreFromIndex, Remedies.ApplyAll(place, "/backup")[0]);
        Assert.Equal(ids, (await place.Open().ReadAllAsync()).Select(e => e.Id));
    }

    [Fact]
    public async Task A_redacted_event_that_lost_its_file_is_restored_from_its_line_where_the_folder_has_it_as_it_was()
    {
        using var place = await CreateNumberedAsync();
        place.Repair(Remedies.Redact(place.Clock, [6], "text"));
        place.Delete(place.Layout.EventFile(6));
        place.Put(place.Layout.EventFile(8), "half a fi"u8);
        Damage(place, place.Layout.Segment(8), "text-8");

        var report = place.Repair(Remedies.RestoreFrom("/backup"));

        Assert.Equal([6, 8], report.Restored);
        place.Repair(Remedies.RebuildIndex);
        place.AssertClean();
        var texts = (await place.Open().ReadAllAsync()).Select(static e => JsonNode.Parse(e.Json.Span)!["text"]?.ToString());
        Assert.Equal(Enumerable.Range(1, 10).Select(static at => at == 6 ? null : $"text-{at}"), texts);
    }

    [Fact]
    public async Task An_edited_event_file_beside_a_bad_line_of_a_sealed_folder_is_kept_when_a_repair_unseals_it()
    {
        using var place = await CreateNumberedAsync();
        var edited = Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(place.Bytes(place.Layout.EventFile(1)))
            .Replace("text-1", "other", StringComparison.Ordinal));
        place.Seal();
        Damage(place, place.Layout.SealedFile(0), "text-1");
        Damage(place, place.Layout.SealedFile(0), "text-3");
        place.Put(place.Layout.EventFile(1), edited);

        Assert.Equal([3], place.Repair(Remedies.RestoreFrom("/backup")).Restored);

        var kept = place.Snapshot(place.Layout.Quarantine).Single(static each => each.Key.EndsWith("0000000001.json.other", StringComparison.Ordinal));
        Assert.Equal(edited, kept.Value);
    }

    [Fact]
    public async Task A_folder_that_vanishes_while_events_are_restored_from_it_is_named_and_the_repair_run_again()
    {
        await WholeStore.CreateAsync(place);
        var copies = Enumerable.Range(2, 2).ToDictionary(static position => $"/backup/{position:D10}.json",
            position => place.Bytes(place.Layout.EventFile(position)));
        foreach (var (path, bytes) in copies)
            place.Put(path, bytes);
        place.Delete(place.Layout.EventFile(2));
        place.Put(place.Layout.EventFile(3), "half a fi"u8);
        foreach (var segment in new[] { 2, 3 }.Select(position => place.Layout.Segment(place.Layout.ShardOf(position))).Distinct())
            place.Patch(segment, 0, new byte[place.Bytes(segment).Length]);
        place.Disk!.Fail(new Fault
        {
            When = each =>
            {
                // What is there is set aside before anything is made.
                if (each.Kind == OperationKind.Move)
                    copies.Keys.ToList().ForEach(place.Delete);
                return false;
            },
        });

        var failed = Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.RestoreFrom("/backup")));

        Assert.Equal("/backup/0000000002.json", failed.Path);
        Assert.EndsWith("Run it again: it continues where it stopped.", failed.Message, StringComparison.Ordinal);
        place.Disk.Mend();
        foreach (var (path, bytes) in copies)
            place.Put(path, bytes);
        Assert.Equal([2, 3], place.Repair(Remedies.RestoreFrom("/backup")).Restored);
        place.Repair(Remedies.RebuildIndex);
        place.AssertClean();
    }

    [Fact]
    public async Task A_line_that_is_damaged_while_events_are_restored_from_it_makes_no_empty_file()
    {
        await WholeStore.CreateAsync(place);
        place.Put(place.Layout.EventFile(2), "half a fi"u8);
        var segment = place.Layout.Segment(place.Layout.ShardOf(2));
        var lines = place.Bytes(segment);
        place.Disk!.Fail(new Fault
        {
            When = each =>
            {
                if (each.Kind == OperationKind.Move)
                    place.Patch(segment, 0, new byte[lines.Length]);
                return false;
            },
        });

        var failed = Assert.Throws<StoreMaintenanceException>(() => place.Repair(Remedies.RestoreFromIndex));

        Assert.Equal(segment, failed.Path);
        place.Disk.Mend();
        place.Patch(segment, 0, lines);
        Assert.Equal([2], place.Repair(Remedies.RestoreFromIndex).Restored);
        place.AssertClean();
    }

    [Fact]
    public async Task A_rebuild_sets_aside_what_a_crash_left_and_says_so()
    {
        await WholeStore.CreateAsync(place);
        place.Put(place.Layout.EventFile(11), "half a fi"u8);

        var report = place.Repair(Remedies.RebuildIndex);

        Assert.Equal([11], report.SetAside);
        Assert.Equal($"The index was rebuilt from 10 events. Set aside in {report.QuarantineFolder}: position 11.", report.ToString());
        Assert.Equal("half a fi"u8, place.Bytes($"{report.QuarantineFolder}/0000000011.json"));
        place.AssertClean();
    }

    [Fact]
    public async Task Lost_and_bad_event_files_are_made_again_of_the_index_to_the_byte_and_the_bad_ones_kept()
    {
        var whole = await WholeStore.CreateAsync(place);
        for (var position = 2; position <= 7; position++)
            place.Delete(place.Layout.EventFile(position));
        place.Put(place.Layout.EventFile(4), "edited"u8);
        place.Delete(place.Layout.EventFile(10));

        var report = place.Repair(Remedies.RestoreFromIndex);

        Assert.Equal([2, 3, 4, 5, 6, 7, 10], report.Restored);
        Assert.Equal([4], report.SetAside);
        Assert.Equal("edited"u8, place.Bytes($"{report.QuarantineFolder}/0000000004.json"));
        Assert.Empty(report.Remaining);
        Assert.Null(report.Problem);
        foreach (var (path, bytes) in whole.Files.Where(each => each.Key.StartsWith(place.Layout.Events, StringComparison.Ordinal)
            && each.Value is not null))
        {
            Assert.Equal(bytes, place.Bytes(path));
        }

        place.AssertClean();
        Assert.Equal("No event file up to position 10 is missing or bad.", place.Repair(Remedies.RestoreFromIndex).ToString());
    }

    [Fact]
    public async Task What_the_index_has_no_copy_of_is_told()
    {
        await WholeStore.CreateAsync(place);
        place.Delete(place.Layout.EventFile(1));
        place.Delete(place.Layout.EventFile(6));
        place.Patch(place.Layout.Segment(0), 40, [0xFF, 0xFF]);

        var report = place.Repair(Remedies.RestoreFromIndex);
        Assert.Equal((Remedy.RestoreFromIndex, RepairOutcome.FilesRestored), (report.Remedy, report.Outcome));
        Assert.Equal([6], report.Restored);
        Assert.Equal([1], report.Remaining);
        Assert.StartsWith("The event files of position 1 are missing or bad, and the index has no intact copy of them.", report.Problem,
            StringComparison.Ordinal);
        AssertRefused<StoreMaintenanceException>(Remedies.RestoreFromIndex, place.Layout.EventFile(1), "Restore them from a folder that has them.");

        place.Delete(place.Layout.IndexFile);
        AssertRefused<StoreMaintenanceException>(Remedies.RestoreFromIndex, place.Layout.Index, "holds no index of this store");
    }

    [Fact]
    public async Task An_index_of_other_event_files_is_not_restored_from()
    {
        // A backup was put in place of the event files; the newer index is still there.
        var store = place.Open();
        await store.AppendAsync([New("first")]);
        place.CloseStores();
        var backup = place.Snapshot();
        store = place.Open();
        await store.AppendAsync([New("live"), New("live")]);
        place.CloseStores();
        var newer = place.Snapshot(place.Layout.Index);
        var newerLines = place.Snapshot(place.Layout.Log);
        place.Restore(backup);
        store = place.Open();
        await store.AppendAsync([New("other")]);
        place.CloseStores();
        place.Restore(newer, place.Layout.Index);
        place.Restore(newerLines, place.Layout.Log);

        AssertRefused<StoreMaintenanceException>(Remedies.RestoreFromIndex, place.Layout.EventFile(2), "The index does not belong to these event files");
        place.Repair(Remedies.RebuildIndex);
        place.AssertClean();
    }

    [Theory]
    [InlineData("Removed")]
    [InlineData("Bad")]
    public async Task Event_files_are_put_back_from_a_folder(string what)
    {
        var whole = await WholeStore.CreateAsync(place);
        PutBackup(whole, 1, 10);
        foreach (var position in (int[])[3, 8, 10])
        {
            place.Delete(place.Layout.EventFile(position));
            if (what == "Bad")
                place.Put(place.Layout.EventFile(position), "bad"u8);
        }
        place.Delete(place.Layout.IndexFile);
        place.Delete(place.Layout.Segment(0));

        var report = place.Repair(Remedies.RestoreFrom("/backup"));

        Assert.Equal([3, 8, 10], report.Restored);
        Assert.Equal(what == "Bad" ? [3, 8, 10] : [], report.SetAside);
        Assert.Empty(report.Remaining);
        Assert.Null(report.Problem);
        place.AssertClean();
        whole.AssertAnswers(place.Open(), 10);
        Assert.StartsWith("Nothing to restore", place.Repair(Remedies.RestoreFrom("/backup")).ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Of_a_folder_that_lacks_some_only_whole_appends_are_put_back_and_the_rest_is_told()
    {
        var whole = await WholeStore.CreateAsync(place);
        for (var position = 4; position <= 10; position++)
            place.Delete(place.Layout.EventFile(position));
        place.Delete(place.Layout.IndexFile);
        PutBackup(whole, 4, 8);
        place.Put("/backup/0000000009.json", "half a fi"u8);

        var report = place.Repair(Remedies.RestoreFrom("/backup"));

        // Position 4 completes the append of 2 to 4; 7 to 9 is not whole.
        Assert.Equal([4, 5, 6], report.Restored);
        Assert.Equal([7, 8], report.Remaining);
        Assert.Contains("the append of positions 7 to 9 is not whole: neither /backup nor the store has a valid file of position 9", report.Problem,
            StringComparison.Ordinal);
        place.AssertClean();
        whole.AssertAnswers(place.Open(), 6);
    }

    [Fact]
    public async Task What_is_no_file_in_a_folder_is_passed_over()
    {
        var whole = await WholeStore.CreateAsync(place);
        place.Delete(place.Layout.EventFile(10));
        place.Delete(place.Layout.IndexFile);
        PutBackup(whole, 10, 10);
        place.CreateFolder("/backup/0000000009.json");

        Assert.Equal([10], place.Repair(Remedies.RestoreFrom("/backup")).Restored);
        place.AssertClean();
    }

    [Fact]
    public async Task What_does_not_follow_on_an_append_that_is_there_is_not_put_back()
    {
        var whole = await WholeStore.CreateAsync(place);
        place.Repair(Remedies.Truncate(4));
        PutBackup(whole, 6, 10);

        AssertRefused<StoreMaintenanceException>(Remedies.RestoreFrom("/backup"), "/backup",
            "the append of positions 6 to 6 does not follow the one before it");
        AssertRefused<StoreMaintenanceException>(Remedies.RestoreFrom("/nowhere"), "/nowhere", "is not a folder");
    }

    [Fact]
    public async Task A_position_that_is_another_events_by_now_is_not_taken_from_it()
    {
        await WholeStore.CreateAsync(place);
        var cut = place.Repair(Remedies.Truncate(6));
        await place.Open().AppendAsync([New("new")]);
        place.CloseStores();

        AssertRefused<StoreMaintenanceException>(Remedies.RestoreFrom(cut.QuarantineFolder!), $"{cut.QuarantineFolder}/0000000007.json",
            "Position 7 belongs to another event");
        // Not even when its file is lost: the index knows whose the position is.
        place.Delete(place.Layout.EventFile(7));
        AssertRefused<StoreMaintenanceException>(Remedies.RestoreFrom(cut.QuarantineFolder!), $"{cut.QuarantineFolder}/0000000007.json",
            "Position 7 belongs to another event");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(6)]
    [InlineData(9)]
    public async Task What_is_cut_off_lies_in_quarantine_and_can_be_put_back(int after)
    {
        var whole = await WholeStore.CreateAsync(place);

        var report = place.Repair(Remedies.Truncate(after));

        Assert.Equal(after, report.Head);
        Assert.Equal(Enumerable.Range(after + 1, 10 - after).Select(position => (long)position), report.SetAside);
        place.AssertClean();
        whole.AssertAnswers(place.Open(), after);
        place.CloseStores();
        Assert.Equal(report.SetAside, place.Repair(Remedies.RestoreFrom(report.QuarantineFolder!)).Restored);
        place.AssertClean();
        whole.AssertAnswers(place.Open(), 10);
    }

    [Fact]
    public async Task A_store_that_ends_at_the_cut_stays_as_it_is()
    {
        await WholeStore.CreateAsync(place);
        var (index, storeFile) = (place.Snapshot(place.Layout.Index), place.Bytes(place.Layout.StoreFile));

        var report = place.Repair(Remedies.Truncate(10));

        Assert.Equal((RepairOutcome.NothingToDo, 10L, "The store ends at position 10 already."), (report.Outcome, report.Head, report.ToString()));
        Assert.Equal(index, place.Snapshot(place.Layout.Index));
        Assert.Equal(storeFile, place.Bytes(place.Layout.StoreFile));
    }

    [Fact]
    public async Task A_store_that_was_cut_goes_on_from_there()
    {
        await WholeStore.CreateAsync(place);
        place.Repair(Remedies.Truncate(6));
        Assert.Equal(new AppendResult { FirstPosition = 7, LastPosition = 7 }, await place.Open().AppendAsync([New("new")], new AppendCondition(Tagged("k:3"), After: 4)));
        place.AssertClean();
    }

    [Fact]
    public async Task What_is_appended_without_flushing_to_a_store_that_was_cut_is_flushed_when_it_closes()
    {
        await WholeStore.CreateAsync(place);
        LeaveNoteOfUnflushed(9);
        place.Repair(Remedies.Truncate(4));
        var store = place.Open(options => options.FlushEventsImmediately = false);
        await store.AppendAsync([New("new")]);
        await store.AppendAsync([New("new")]);
        Assert.Equal(4, place.Event(6).Commit.After);
        place.CloseStores();

        using var after = StorePlace.On(place.Disk!.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
        Assert.Equal(6, await after.Open().GetHeadAsync());
    }

    [Theory]
    [InlineData(3, "position 3 lies inside the append of positions 2 to 4. Everything up to position 1 is whole, so it can be cut there.")]
    [InlineData(8, "position 8 lies inside the append of positions 7 to 9. Everything up to position 6 is whole, so it can be cut there.")]
    [InlineData(11, "0000000011.json is missing. Everything up to position 10 is whole, so it can be cut there.")]
    public async Task A_store_is_cut_where_an_append_ends_and_nowhere_else(int after, string message)
    {
        await WholeStore.CreateAsync(place);
        AssertRefused<StoreMaintenanceException>(Remedies.Truncate(after), null, message);
    }

    [Fact]
    public async Task Damage_in_front_of_the_cut_is_told_and_the_check_says_where_all_is_whole()
    {
        var whole = await WholeStore.CreateAsync(place);
        place.Put(place.Layout.EventFile(5), []);
        AssertRefused<StoreMaintenanceException>(Remedies.Truncate(6), place.Layout.EventFile(5),
            "0000000005.json is empty. Everything up to position 4 is whole");

        Assert.Equal(4, place.Check().WholeUpTo);
        var report = place.Repair(Remedies.Truncate(4));
        whole.AssertAnswers(place.Open(), 4);
        place.CloseStores();
        place.AssertClean();
        // The index still had what the bad file held: that is kept as well.
        Assert.Equal(whole.Files[place.Layout.EventFile(5)], place.Bytes($"{report.QuarantineFolder}/0000000005.json"));
        Assert.Equal([], place.Bytes($"{report.QuarantineFolder}/0000000005.json.bad"));
        Assert.Equal([5, 6, 7, 8, 9, 10], place.Repair(Remedies.RestoreFrom(report.QuarantineFolder!)).Restored);
        whole.AssertAnswers(place.Open(), 10);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    [InlineData(8)]
    [InlineData(10)]
    public async Task An_edited_file_is_accepted_and_the_index_agrees_with_it(int position)
    {
        var whole = await WholeStore.CreateAsync(place);
        Edit(position,
            text =>
                text.Replace("\"tags\": [", "\"tags\": [\"edited:yes\", ", StringComparison.Ordinal).Replace("\n", "\r\n", StringComparison.Ordinal));

        var report = place.Repair(Remedies.Accept(position));

        Assert.Equal([position], report.Restored);
        Assert.Equal([position], report.SetAside);
        Assert.Equal(whole.Files[place.Layout.EventFile(position)], place.Bytes($"{report.QuarantineFolder}/{position:D10}.json"));
        place.AssertClean();
        var store = place.Open();
        Assert.Equal([position], await store.PositionsAsync(Tagged("edited:yes")));
        Assert.Equal(whole.Events.Select(e => e.Id), (await store.ReadAllAsync()).Select(e => e.Id));
        Assert.StartsWith("Nothing to accept", place.Repair(Remedies.Accept(position)).ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_edited_file_without_a_checksum_is_accepted(bool hasByteOrderMark)
    {
        await WholeStore.CreateAsync(place);
        Edit(3, text => (hasByteOrderMark ? "\uFEFF" : "") + text[..text.LastIndexOf(',')] + "\n}");

        Assert.Equal([3], place.Repair(Remedies.Accept(3)).Restored);
        place.AssertClean();
    }

    [Theory]
    [InlineData("\"commit\": { \"first\": 2", "\"commit\": { \"first\": 3", true, "has another id or commit than the event had")]
    [InlineData("\"after\": 1", "\"after\": 0", true, "has another id or commit than the event had")]
    [InlineData("\"id\": \"", "\"id\": \"00000000-0000-0000-0000-000000000000\", \"was\": \"", true, "\"commit\" is not where it belongs")]
    [InlineData("\"position\": 3", "\"position\": 4", true, "holds the event of position 4, not of 3")]
    [InlineData("\"data\": {}", "\"data\": {", true, "is not an event file")]
    [InlineData("\"data\": {}", "\"data\": { \"a\": 1, \"a\": 2 }", true, "occurs twice")]
    [InlineData("\"commit\": { \"first\": 2, \"last\": 4", "\"commit\": { \"first\": 3, \"last\": 3", false, "contradicts its neighbours'")]
    [InlineData("\"after\": 1", "\"after\": 0", false, "contradicts its neighbours'")]
    [InlineData("\"timestamp\": \"2", "\"timestamp\": \"3", true, "has another timestamp than the other events of its append")]
    [InlineData("\"timestamp\": \"2", "\"timestamp\": \"3", false, "contradicts its neighbours'")]
    public async Task An_edit_that_tears_an_event_from_its_place_is_not_accepted(string part, string edit, bool hasIndex, string message)
    {
        await WholeStore.CreateAsync(place);
        Edit(3, text => text.Replace(part, edit, StringComparison.Ordinal));
        if (!hasIndex)
            place.Delete(place.Layout.IndexFile);

        AssertRefused<StoreMaintenanceException>(Remedies.Accept(3), place.Layout.EventFile(3), message);
    }

    [Fact]
    public async Task A_folder_above_the_event_files_is_refused()
    {
        var whole = await WholeStore.CreateAsync(place);
        place.Put("/backup/Events/0000000000/0000000001.json", whole.Files[place.Layout.EventFile(1)]);
        place.Delete(place.Layout.EventFile(1));

        foreach (var folder in (string[])["/backup", "/backup/Events"])
        {
            AssertRefused<StoreMaintenanceException>(Remedies.RestoreFrom(folder), folder,
                $"{folder} holds no event files; in a backup they are in Events/0000000000");
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_edit_is_accepted_although_something_else_is_wrong_and_that_is_told(bool hasLine)
    {
        var whole = await WholeStore.CreateAsync(place);
        PutBackup(whole, 1, 10);
        Edit(2, text => text.Replace("\"data\": {}", "\"data\": 5", StringComparison.Ordinal));
        place.Delete(place.Layout.EventFile(6));
        if (!hasLine)
            DamageLine(6);

        var report = place.Repair(Remedies.Accept(2));

        Assert.Equal((Remedy.AcceptEditedFile, RepairOutcome.EditAccepted), (report.Remedy, report.Outcome));
        Assert.Equal([2], report.Restored);
        Assert.Equal([6], report.Remaining);
        Assert.Contains($"{place.Layout.EventFile(6)} is missing", report.Problem, StringComparison.Ordinal);
        var again = place.Repair(Remedies.Accept(2));
        Assert.Equal((RepairOutcome.NothingToDo, report.Problem), (again.Outcome, again.Problem));
        Assert.Equal($"Nothing to accept: the event file is valid. Still wrong: {report.Problem}", again.ToString());

        Assert.Contains(hasLine ? Remedy.RestoreFromIndex : Remedy.RestoreFromFolder, Remedies.ApplyAll(place, "/backup"));
        Assert.Equal("5"u8, place.Event(2).Content.Json);
        Assert.Equal(whole.Files[place.Layout.EventFile(6)], place.Bytes(place.Layout.EventFile(6)));
    }

    [Fact]
    public async Task The_original_of_an_edited_file_and_what_a_crash_left_lie_in_the_folder_that_the_report_names()
    {
        var whole = await WholeStore.CreateAsync(place);
        Edit(3, text => text.Replace("\"data\": {}", "\"data\": 5", StringComparison.Ordinal));
        place.Put(place.Layout.EventFile(11), "half a fi"u8);

        var report = place.Repair(Remedies.Accept(3));

        Assert.Equal([3, 11], report.SetAside);
        Assert.Equal(whole.Files[place.Layout.EventFile(3)], place.Bytes($"{report.QuarantineFolder}/0000000003.json"));
        Assert.Equal("half a fi"u8, place.Bytes($"{report.QuarantineFolder}/0000000011.json"));
        place.AssertClean();
    }

    [Fact]
    public async Task A_missing_file_has_nothing_to_accept()
    {
        await WholeStore.CreateAsync(place);
        place.Delete(place.Layout.EventFile(3));
        AssertRefused<StoreMaintenanceException>(Remedies.Accept(3), place.Layout.EventFile(3), "is missing");
    }

    [Fact]
    public async Task Every_repair_is_refused_while_another_process_holds_the_lock()
    {
        await WholeStore.CreateAsync(place);
        using var other = place.OtherLock();
        using var held = other.Acquire(TimeSpan.Zero);

        foreach (var repair in All())
        {
            var before = Files();
            Assert.Contains("was not free within 10 s", Assert.Throws<StoreLockTimeoutException>(() => place.Repair(repair)).Message,
                StringComparison.Ordinal);
            Assert.Equal(before, Files());
        }
    }

    [Fact]
    public async Task What_is_no_store_and_what_cannot_be_locked_safely_is_not_repaired()
    {
        foreach (var repair in All())
            Assert.Equal(place.Root, Assert.Throws<StoreOpenException>(() => place.Repair(repair)).Path);
        await WholeStore.CreateAsync(place);
        place.Disk!.Volume = place.Disk.Volume with { LockRefusal = "It is mounted with nobrl." };
        foreach (var repair in All())
        {
            Assert.Contains("cannot be repaired safely. It is mounted with nobrl.",
                Assert.Throws<StoreOpenException>(() => place.Repair(repair)).Message, StringComparison.Ordinal);
        }

        place.Disk.Volume = place.Disk.Volume with { LockRefusal = null };
        place.Delete(place.Layout.StoreFile);
        foreach (var repair in All())
            Assert.Equal(place.Layout.StoreFile, Assert.Throws<StoreOpenException>(() => place.Repair(repair)).Path);
    }

    [Fact]
    public async Task What_this_user_may_not_open_is_named_and_nothing_is_changed()
    {
        await WholeStore.CreateAsync(place);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.OpenOrCreate
            && operation.Path == place.Layout.LockFile,
            Error = FileError.AccessDenied,
            Lasts = true
        });
        foreach (var repair in All())
            AssertRefused<StoreMaintenanceException>(repair, place.Layout.LockFile, $"The store in {place.Root} cannot be repaired: ");
    }

    [Fact]
    public async Task A_process_that_has_the_store_open_goes_on_with_what_the_repair_left()
    {
        var whole = await WholeStore.CreateAsync(place);
        var store = place.Open();
        whole.AssertAnswers(store, 10);
        place.Repair(Remedies.Truncate(6));

        Assert.Equal(new AppendResult { FirstPosition = 7, LastPosition = 7 }, await store.AppendAsync([New("new", "k:9")]));
        Assert.Equal([7], await store.PositionsAsync(Tagged("k:9")));
        Assert.Equal(7, await store.GetHeadAsync());
        place.AssertClean();
    }

    [Fact]
    public async Task The_repairs_work_on_a_folder_of_this_machine()
    {
        var token = TestContext.Current.CancellationToken;
        using var real = StorePlace.InFolder();
        var whole = await WholeStore.CreateAsync(real);
        File.Delete(real.Layout.EventFile(3));
        Assert.Equal(Remedy.RestoreFromIndex, (await StoreCheck.RunAsync(real.Root, cancellationToken: token)).Findings[0].Remedy);
        Assert.Equal([3], (await StoreRepair.RestoreFromIndexAsync(real.Root, cancellationToken: token)).Restored);
        var cut = await StoreRepair.TruncateAsync(real.Root, 6, cancellationToken: token);
        Assert.Equal(6, cut.Head);
        Assert.Equal([7, 8, 9, 10], (await StoreRepair.RestoreFromFolderAsync(real.Root, cut.QuarantineFolder!, cancellationToken: token)).Restored);
        await File.WriteAllTextAsync(real.Layout.EventFile(6),
            (await File.ReadAllTextAsync(real.Layout.EventFile(6), token)).Replace("\"data\": {}", "\"data\": 5", StringComparison.Ordinal), token);
        Assert.Equal([6], (await StoreRepair.AcceptEditedFileAsync(real.Root, 6, cancellationToken: token)).Restored);
        Assert.Equal(10, (await StoreRepair.RebuildIndexAsync(real.Root, cancellationToken: token)).Head);
        real.AssertClean();
        Assert.Equal(whole.Events.Select(e => e.Id), (await real.Open().ReadAllAsync()).Select(e => e.Id));
        await Assert.ThrowsAnyAsync<ArgumentException>(() => StoreRepair.RebuildIndexAsync(" ", cancellationToken: token));
        await Assert.ThrowsAnyAsync<ArgumentException>(() => StoreRepair.TruncateAsync(real.Root, -1, cancellationToken: token));
        await Assert.ThrowsAnyAsync<ArgumentException>(() => StoreRepair.AcceptEditedFileAsync(real.Root, 0, cancellationToken: token));
    }

    [Fact]
    public async Task Every_repair_says_how_far_it_has_come()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 700);
        var store = place.Open(options => options.FlushEventsImmediately = false);
        for (var number = 0; number < 3; number++)
            await store.AppendAsync(Many(1_000, "a"));
        place.CloseStores();
        place.CreateFolder("/backup");
        place.Put("/backup/0000000001.json", place.Bytes(place.Layout.EventFile(1)));

        Assert.Equal([(StoreOperation.Repair, 3_000, 3_000), (StoreOperation.IndexRebuild, 3_000, 3_000)], Ends(Remedies.RebuildIndex));
        Assert.Equal([(StoreOperation.Repair, 3_000, 3_000)], Ends(Remedies.RestoreFromIndex));
        Assert.Equal([(StoreOperation.Repair, 1, 1)], Ends(Remedies.RestoreFrom("/backup")));
        Assert.Equal([(StoreOperation.Repair, 2_000, 2_000), (StoreOperation.IndexRebuild, 2_000, 2_000)], Ends(Remedies.Truncate(2_000)));

        // The last that was heard of each work, and that none went back.
        List<(StoreOperation, long, long)> Ends(Func<StoreUnderRepair, RepairReport> repair)
        {
            var reports = new Reports();
            place.Repair(repair, reports);
            Assert.Equal(reports.All.OrderBy(each => each.Operation == StoreOperation.IndexRebuild).ThenBy(each => each.Done), reports.All);
            return [.. reports.All.GroupBy(each => each.Operation).Select(each => (each.Key, each.Last().Done, each.Last().Total))];
        }
    }

    private sealed class Reports : IProgress<StoreProgress>
    {
        public List<StoreProgress> All { get; } = [];

        public void Report(StoreProgress value) => All.Add(value);
    }

    private static IEnumerable<Func<StoreUnderRepair, RepairReport>> All() =>
        [Remedies.RebuildIndex, Remedies.RestoreFromIndex, Remedies.RestoreFrom("/backup"), Remedies.Accept(3), Remedies.Truncate(6)];

    // All but the lock's text, which tells who held it, and the lock that a repair takes first.
    private SortedDictionary<string, byte[]?> Files()
    {
        var files = place.Snapshot("/");
        files.Remove(place.Layout.LockFile);
        files.Remove(place.Layout.SealingLockFile);
        return files;
    }

    private void AssertRefused<TException>(Func<StoreUnderRepair, RepairReport> repair, string? path, params string[] messages)
        where TException : EventStoreException
    {
        var before = Files();
        var error = Assert.Throws<TException>(() => place.Repair(repair));
        if (path is not null)
            Assert.Equal(path, error is StoreDamagedException damage ? damage.Path : ((StoreMaintenanceException)(object)error).Path);
        foreach (var message in messages)
            Assert.Contains(message, error.Message, StringComparison.Ordinal);
        Assert.Contains("Nothing was changed", error.Message, StringComparison.Ordinal);
        Assert.False(error.IsTransient);
        Assert.Equal(before, Files());
    }

    // What a process that appends without flushing leaves in the lock file when it is killed.
    private void LeaveNoteOfUnflushed(long durableUpTo)
    {
        using var other = place.OtherLock();
        var held = other.Acquire(TimeSpan.Zero);
        held.Files = durableUpTo is { } upTo ? new FilesNote(upTo, HasLines: false) : null;
        held.Dispose();
    }

    private void PutBackup(WholeStore whole, int first, int last)
    {
        for (var position = first; position <= last; position++)
            place.Put($"/backup/{position:D10}.json", whole.Files[place.Layout.EventFile(position)]);
    }

    private void DamageLine(int position)
    {
        var segment = place.Layout.Segment(place.Layout.ShardOf(position));
        var start = place.Bytes(segment).AsSpan().IndexOf(Encoding.UTF8.GetBytes($"{{\"position\":{position},"));
        place.Patch(segment, start + 20, [0xFF, 0xFF]);
    }

    private void Edit(int position, Func<string, string> edit)
    {
        var before = Encoding.UTF8.GetString(place.Bytes(place.Layout.EventFile(position)));
        var after = edit(before);
        Assert.NotEqual(before, after);
        place.Put(place.Layout.EventFile(position), Encoding.UTF8.GetBytes(after));
    }

    // In folders of four, with a backup that has no event 1.
    private static async Task<StorePlace> CreateNumberedAsync()
    {
        var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);
        var store = place.Open();
        for (var at = 1; at <= 10; at++)
            await store.AppendAsync(NewEvent.FromJson("a", $$"""{"text":"text-{{at}}"}"""));
        place.CloseStores();
        for (var at = 2; at <= 10; at++)
            place.Put($"/backup/{at:D10}.json", place.Bytes(place.Layout.EventFile(at)));
        return place;
    }

    private static void Damage(StorePlace place, string path, string text) =>
        place.Patch(path, place.Bytes(path).AsSpan().IndexOf(Encoding.UTF8.GetBytes($"\"{text}\"")) + 1, "T"u8);
}
