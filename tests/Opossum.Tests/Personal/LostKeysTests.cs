using System.Text;
using System.Text.RegularExpressions;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Personal;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>Missing keys are said by check, status, log, restore and import; new ones are made only when an option says so.</summary>
public sealed class LostKeysTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    private string AnnFile => FilePath.Join(place.Layout.Keys, "customer%3ac1.json");

    [Fact]
    public async Task Status_and_log_say_that_the_keys_are_missing_and_where_they_go()
    {
        await AppendAsync();
        DeleteKeys();
        var logs = new Logs();
        await using var store = place.OpenCustomers(Key, options => options.LoggerFactory = logs);

        var problem = (await store.GetStatusAsync()).KeysProblem;

        Assert.Contains(place.Layout.Keys, problem, StringComparison.Ordinal);
        Assert.Contains("opossum keys replace", problem, StringComparison.Ordinal);
        Assert.Contains(logs.Lines, line => line.Id == 43 && line.Text.Contains(problem!, StringComparison.Ordinal));
        await using var without = place.OpenCustomers(key: null);
        Assert.Equal(problem, (await without.GetStatusAsync()).KeysProblem);
    }

    [Fact]
    public async Task Told_that_the_store_key_is_lost_it_makes_one_new_key_and_never_another()
    {
        await AppendAsync();
        DeleteKeys();
        var lost = IdOfLostKey();
        await using (var wrong = place.OpenCustomers(Key, static options => options.PersonalData.LostStoreKey = "0123456789abcdef"))
            await Assert.ThrowsAsync<PersonalDataException>(() => wrong.AppendAsync([new NewEvent(Registered("c2"))]));
        await using (var told = place.OpenCustomers(Key, options => options.PersonalData.LostStoreKey = lost))
        {
            await told.AppendAsync([new NewEvent(WithoutContacts("c2"))]);
            foreach (var person in (CustomerRegistered[])[WithoutContacts("c1"), Registered("c2")])
                await Assert.ThrowsAsync<PersonalDataException>(() => told.AppendAsync([new NewEvent(person)]));
            Assert.Null((await told.GetStatusAsync()).KeysProblem);
        }
        Assert.NotEqual(lost, IdOfLostKey());
        DeleteKeys();

        await using var again = place.OpenCustomers(Key, options => options.PersonalData.LostStoreKey = lost);
        await Assert.ThrowsAsync<PersonalDataException>(() => again.AppendAsync([new NewEvent(Registered("c3"))]));
        Assert.DoesNotContain(place.Snapshot(place.Layout.Keys), static each => each.Key.EndsWith(".json", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Told_that_the_store_key_is_lost_it_takes_the_new_one_of_a_process_that_ended_before_the_note()
    {
        await AppendAsync();
        DeleteKeys();
        var note = place.Bytes(place.Layout.PersonalFile);
        var lost = IdOfLostKey();
        await using (var killed = place.OpenCustomers(Key, options => options.PersonalData.LostStoreKey = lost))
            await killed.MakeStoreKeyAsync();
        place.Put(place.Layout.PersonalFile, note);
        await using (var untold = place.OpenCustomers(Key))
            await Assert.ThrowsAsync<PersonalDataException>(() => untold.AppendAsync([new NewEvent(Registered("c2"))]));

        await using (var told = place.OpenCustomers(Key, options => options.PersonalData.LostStoreKey = lost))
            await told.AppendAsync([new NewEvent(WithoutContacts("c2"))]);

        await using var store = place.OpenCustomers(Key);
        Assert.Null((await store.GetStatusAsync()).KeysProblem);
        Assert.Empty((await store.ReadAllAsync())[^1].UnreadableMembers);
    }

    [Fact]
    public async Task Told_that_the_store_key_is_lost_it_does_not_take_that_of_another_store()
    {
        await AppendAsync();
        using (var other = StorePlace.On(VolumeKind.Ext4))
        {
            await other.OpenCustomers(Key).AppendAsync([new NewEvent(Registered())]);
            DeleteKeys();
            place.Restore(other.Snapshot(other.Layout.Keys), place.Layout.Keys);
        }
        var lost = IdOfLostKey();

        await using var told = place.OpenCustomers(Key, options => options.PersonalData.LostStoreKey = lost);

        await Assert.ThrowsAsync<PersonalDataException>(() => told.AppendAsync([new NewEvent(Registered("c2"))]));
        Assert.Equal(lost, IdOfLostKey());
    }

    [Theory]
    [InlineData("")]
    [InlineData("{")]
    [InlineData("[]")]
    [InlineData("""{"storeKey":7}""")]
    public async Task A_damaged_note_of_the_store_key_is_written_again_by_the_key_that_reads_the_events(string text)
    {
        await AppendAsync();
        var note = place.Bytes(place.Layout.PersonalFile);
        place.Put(place.Layout.PersonalFile, Encoding.UTF8.GetBytes(text));
        await using (var store = place.OpenCustomers(Key))
            await store.AppendAsync([new NewEvent(Registered("c2"))]);
        Assert.Equal(note, place.Bytes(place.Layout.PersonalFile));

        place.Put(place.Layout.PersonalFile, Encoding.UTF8.GetBytes(text));
        DeleteKeys();
        await using var without = place.OpenCustomers(Key);
        await Assert.ThrowsAsync<PersonalDataException>(() => without.AppendAsync([new NewEvent(Registered("c3"))]));
    }

    [Fact]
    public async Task A_check_finds_persons_whose_key_is_missing_another_or_there_again()
    {
        await AppendAsync();
        place.AssertClean();
        var ann = place.Bytes(AnnFile);

        place.Delete(AnnFile);
        var missing = Assert.Single(place.Check().Findings);
        Assert.Equal((FindingKind.MissingKeys, AnnFile, 1L, Remedy.RestoreKeys),
            (missing.Kind, missing.Path, missing.Position!.Value, missing.Remedy));

        var text = Encoding.UTF8.GetString(ann);
        place.Put(AnnFile, Encoding.UTF8.GetBytes(Regex.Replace(text, "\"id\": \"[0-9a-f]*\"", "\"id\": \"0123456789abcdef\"")));
        Assert.Contains("another key", Assert.Single(place.Check().Findings).Message, StringComparison.Ordinal);

        place.Put(AnnFile, ann);
        await using (var store = place.OpenCustomers(Key))
            await store.ForgetAsync(Ann, "asked for it");
        place.AssertClean();
        place.Put(AnnFile, ann);
        var again = Assert.Single(place.Check().Findings);
        Assert.Equal((FindingKind.UnfinishedForgetting, Remedy.ForgetAgain), (again.Kind, again.Remedy));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_check_finds_that_all_keys_are_missing_and_a_copy_that_nobody_opened_only_says_so(bool isCopy)
    {
        await AppendAsync();
        DeleteKeys();
        foreach (var (path, bytes) in place.Snapshot(place.Layout.Index))
        {
            if (isCopy && bytes is not null)
                place.Delete(path);
        }
        if (isCopy)
            place.Attach().DeleteFolder(place.Layout.Index);

        var report = place.Check();

        var problem = isCopy ? report.KeysProblem
            : Assert.Single(report.Findings, static each => each.Kind == FindingKind.MissingKeys).Message;
        Assert.Contains("keys of the store's personal data are missing", problem, StringComparison.Ordinal);
        Assert.Equal(isCopy, report.KeysProblem is not null);
        Assert.Contains(problem!, $"{report}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_check_of_a_replica_without_keys_only_says_so_until_it_is_promoted()
    {
        await AppendAsync();
        using var client = place.Disk!.Attach();
        var replica = place.Layout.At("/replica");
        StoreReplica.Update(client, place.Layout, replica.Root, new ReplicaOptions(), place.Clock);

        var report = StoreCheck.Run(client, replica);

        Assert.Equal([], report.Findings);
        Assert.Contains("keys of the store's personal data are missing", report.KeysProblem, StringComparison.Ordinal);
        StoreReplica.Promote(client, replica, place.Clock);
        Assert.Equal(FindingKind.MissingKeys, Assert.Single(StoreCheck.Run(client, replica).Findings).Kind);
    }

    [Fact]
    public async Task A_forgetting_that_another_process_ends_during_a_check_was_not_interrupted()
    {
        await AppendAsync();
        var begun = FilePath.Join(place.Layout.Keys, "customer%3ac1" + StoreLayout.ForgettingEnding);
        place.Put(begun, "{}"u8);
        using var client = place.Disk!.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Open && operation.Path == place.Layout.EventFile(1))
                place.Delete(begun);
        };

        Assert.Equal([], StoreCheck.Run(client, place.Layout).Findings);
        place.Put(begun, "{}"u8);
        var finding = Assert.Single(place.Check().Findings);
        Assert.Equal((FindingKind.UnfinishedForgetting, begun), (finding.Kind, finding.Path));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_key_that_another_process_is_writing_during_a_check_is_not_lost(bool isForgotten)
    {
        await AppendAsync();
        var key = place.Bytes(AnnFile);
        var mark = KeyFile.OfForgotten(Ann, place.Clock.GetUtcNow(), "asked for it", EventIds.New()).ToBytes();
        var looks = 0;
        using var client = place.Disk!.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Open && operation.Path == AnnFile)
                place.Put(AnnFile, ++looks == 1 ? new byte[key.Length] : isForgotten ? mark : key);
        };

        Assert.Equal([], StoreCheck.Run(client, place.Layout).Findings);
    }

    [Fact]
    public async Task A_restore_without_keys_says_where_they_go_and_the_restored_store_makes_none()
    {
        await AppendAsync();
        using (var files = place.Attach())
            StoreBackup.Run(files, place.Layout, "/backup", options: null, place.Clock);

        BackupReport restored, planned;
        using (var files = place.Attach())
        {
            planned = StoreBackup.Restore(files, place.Layout.At("/backup"), "/restored", new RestoreOptions { DryRun = true }, place.Clock);
            restored = StoreBackup.Restore(files, place.Layout.At("/backup"), "/restored", options: null, place.Clock);
        }

        Assert.Contains("/restored/Keys/store-key.json", restored.KeysProblem, StringComparison.Ordinal);
        Assert.Contains(restored.KeysProblem!, $"{restored}", StringComparison.Ordinal);
        Assert.Equal(restored.KeysProblem, planned.KeysProblem);
        var options = place.Options();
        options.EventTypes.Add<CustomerRegistered>();
        options.PersonalData.MasterKey = Key;
        await using var store = FileSystemEventStore.Open(options, place.Attach(), place.Layout.At("/restored"));
        await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered("c3"))]));
    }

    [Fact]
    public async Task An_import_says_whose_keys_are_missing_and_the_store_makes_none_of_its_own()
    {
        await AppendAsync();
        using var lines = new MemoryStream();
        using (var files = place.Attach())
            StoreExport.Run(files, place.Layout, lines, Query.All, ReadOptions.Default, place.Clock);
        using var target = StorePlace.On(VolumeKind.Ext4);
        target.Open().Dispose();
        var reports = new List<ImportReport>();
        foreach (var isDryRun in new[] { true, false })
        {
            lines.Position = 0;
            reports.Add(StoreImport.Run(target.Attach(), target.Layout, lines, new ImportOptions { DryRun = isDryRun }, target.Clock));
        }

        Assert.All(reports, report => Assert.Contains("3 persons", report.KeysProblem, StringComparison.Ordinal));
        Assert.Contains(reports[1].KeysProblem!, $"{reports[1]}", StringComparison.Ordinal);
        await using (var store = target.OpenCustomers(Key))
        {
            Assert.NotNull((await store.GetStatusAsync()).KeysProblem);
            await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered("c3"))]));
        }
        foreach (var (path, bytes) in place.Snapshot(place.Layout.Keys))
        {
            if (bytes is not null)
                target.Put(path, bytes);
        }
        await using var whole = target.OpenCustomers(Key);
        await whole.AppendAsync([new NewEvent(Registered("c3"))]);
        Assert.All(await whole.ReadAllAsync(), static e => Assert.Empty(e.UnreadableMembers));
        Assert.Equal(place.Bytes(place.Layout.PersonalFile), target.Bytes(target.Layout.PersonalFile));
    }

    private static CustomerRegistered WithoutContacts(string id) => Registered(id) with { Contacts = null };

    private string IdOfLostKey() => Regex.Match(Encoding.UTF8.GetString(place.Bytes(place.Layout.PersonalFile)), "[0-9a-f]{16}").Value;

    private async Task AppendAsync()
    {
        await using var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
    }

    private void DeleteKeys()
    {
        foreach (var (path, bytes) in place.Snapshot(place.Layout.Keys))
        {
            if (bytes is not null)
                place.Delete(path);
        }
    }
}
