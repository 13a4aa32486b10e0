using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>
/// The folder of keys is missing, empty, or that of another store: no other keys are made, and nothing is lost when the keys come back.
/// </summary>
public sealed class MissingKeysTests : IDisposable
{
    private static readonly Tag email = Tag.Pseudonym("email", "ann@example.org");

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    public static TheoryData<string> Ways => ["no folder", "empty folder", "another folder", "another store's", "only event files", "store key lost"];

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Store_does_not_take_the_keys_of_another_that_has_the_same_folder(bool hasPersons)
    {
        const string Folder = "/keys";
        await using var first = place.OpenCustomers(Key, static options => options.PersonalData.KeysFolder = Folder);
        await (hasPersons ? first.AppendAsync([new NewEvent(Registered())]) : (Task)first.MakeStoreKeyAsync());
        foreach (var key in new[] { Key, null })
        {
            var options = place.Options();
            options.EventTypes.Add<CustomerRegistered>();
            (options.PersonalData.MasterKey, options.PersonalData.KeysFolder) = (key, Folder);
            await using var second = FileSystemEventStore.Open(options, place.Attach(), place.Layout.At("/second"));

            await Assert.ThrowsAsync<PersonalDataException>(() => second.AppendAsync([new NewEvent(Registered())]));
            var refused = await Assert.ThrowsAsync<PersonalDataException>(() => second.ForgetAsync(Ann, "asked for it"));
            Assert.Contains("keys of another store", refused.Message, StringComparison.Ordinal);
        }
        if (hasPersons)
            Assert.Empty((await first.ReadAllAsync())[0].UnreadableMembers);
        Assert.False(place.Exists(place.Layout.At("/second").PersonalFile));
    }

    [Fact]
    public async Task Folder_of_keys_is_made_with_the_one_above_it()
    {
        await using (var store = place.OpenCustomers(Key, static options => options.PersonalData.KeysFolder = "/keys/shop"))
            await store.AppendAsync([new NewEvent(Registered())]);

        Assert.True(place.Exists("/keys/shop/store-key.json"));
        await using var far = place.OpenCustomers(Key, static options => options.PersonalData.KeysFolder = "/volume/keys/shop");
        await Assert.ThrowsAsync<PersonalDataException>(() => far.AppendAsync([new NewEvent(Registered("c2"))]));
        Assert.False(place.Exists("/volume"));
    }

    [Fact]
    public async Task A_forgetting_fails_when_the_volume_with_the_keys_has_gone_meanwhile()
    {
        const string Folder = "/keys";
        using var client = place.Disk!.Attach();
        var store = place.Open(client, static options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            (options.PersonalData.MasterKey, options.PersonalData.KeysFolder) = (Key, Folder);
        });
        await store.AppendAsync([new NewEvent(Registered())]);
        var keys = place.Snapshot(Folder);
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Lock && operation.Path.StartsWith(Folder, StringComparison.Ordinal))
                place.Names(Folder).FindAll(static name => name != ".lock").ForEach(name => place.Delete(FilePath.Join(Folder, name)));
        };

        var refused = await Assert.ThrowsAsync<PersonalDataException>(() => store.ForgetAsync(Ann, "asked for it"));
        client.BeforeOperation = null;
        Assert.Equal([".lock"], place.Names(Folder));
        place.Restore(keys, Folder);

        Assert.True(refused.IsTransient);
        // Files may have been changed by then.
        Assert.DoesNotContain("nothing was done", refused.Message, StringComparison.Ordinal);
        Assert.Contains("call again", refused.Message, StringComparison.Ordinal);
        var result = await store.ForgetAsync(Ann, "asked for it");
        Assert.Equal((true, 2L), (result.HadKey, result.Position));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task No_key_is_made_old_values_read_as_lost_and_appends_of_personal_data_are_refused(string way)
    {
        var (keys, options) = await LoseAsync(way);
        await using var store = place.OpenCustomers(Key, options);
        var before = place.Snapshot(place.Layout.Keys).Keys;

        var old = (await store.ReadAllAsync())[0];
        Assert.Equal([UnreadableReason.NoKey], old.UnreadableMembers.Select(each => each.Reason).Distinct());
        Assert.Null(((CustomerRegistered)old.Data!).Name);
        foreach (var person in new[] { "c1", "c9" })
        {
            var refused = await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered(person))]));
            Assert.Contains(way == "another store's" ? "keys of another store" : "keys of the store's personal data are missing", refused.Message,
                StringComparison.Ordinal);
            Assert.Contains("KeysFolder", refused.Message, StringComparison.Ordinal);
        }
        Assert.Throws<PersonalDataException>(() => store.ReadAsync(Query.FromTags(email)));
        await Assert.ThrowsAsync<PersonalDataException>(
            () => store.AppendAsync([NewEvent.FromJson("other", "{}")], new AppendCondition(Query.FromTags(email))));
        await Assert.ThrowsAsync<PersonalDataException>(() => store.ForgetAsync(Ann, "asked for it"));
        await store.AppendAsync([NewEvent.FromJson("other", "{}")]);
        Assert.Equal(before, place.Snapshot(place.Layout.Keys).Keys);

        place.Restore(keys, place.Layout.Keys);
        await using var whole = place.OpenCustomers(Key);
        await whole.AppendAsync([new NewEvent(Registered("c9"))]);
        Assert.Equivalent(Registered(), (await whole.ReadAllAsync())[0].Data);
        Assert.Equivalent(Registered("c9"), (await whole.ReadAllAsync())[^1].Data);
        place.AssertClean();
    }

    [Theory]
    [InlineData("AccessDenied")]
    [InlineData("InUse")]
    public async Task Of_a_key_whose_file_cannot_be_read_now_a_check_says_just_that(string error)
    {
        await using (var store = place.OpenCustomers(Key))
            await store.AppendAsync([new NewEvent(Registered()), new NewEvent(Registered("c2"))]);
        var path = FilePath.Join(place.Layout.Keys, "customer%3ac1.json");
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Open && operation.Path == path,
            Error = Enum.Parse<FileError>(error),
            Lasts = true,
        });

        var finding = Assert.Single(place.Check().Findings);

        Assert.Equal((FindingKind.UnreadableFile, path, Remedy.MakeReadable), (finding.Kind, finding.Path, finding.Remedy));
        place.Disk.Mend();
        place.AssertClean();
    }

    [Theory]
    [InlineData("Open", "Keys/store-key.json")]
    [InlineData("Open", "personal.json")]
    [InlineData("List", "Keys")]
    public async Task Of_keys_that_cannot_be_read_now_a_check_says_so_and_all_else_that_is_wrong(string operation, string name)
    {
        await using (var store = place.OpenCustomers(Key))
            await store.AppendAsync([new NewEvent(Registered())]);
        place.Put(FilePath.Join(place.Root, "stranger.txt"), "x"u8);
        var path = $"{place.Root}/{name}";
        place.Disk!.Fail(new Fault
        {
            When = each => each.Kind.ToString() == operation && each.Path == path,
            Error = FileError.AccessDenied,
            Lasts = true,
        });

        var findings = place.Check().Findings;

        Assert.Equal([(FindingKind.ForeignFile, Remedy.MoveAway), (FindingKind.UnreadableFile, Remedy.MakeReadable)],
            findings.Select(static each => (each.Kind, each.Remedy)));
        Assert.Equal(path, findings[1].Path);
    }

    [Fact]
    public async Task A_key_that_cannot_be_read_for_now_is_no_fault_of_the_event()
    {
        await using (var store = place.Open(AddNamed))
            await store.AppendAsync([new NewEvent(new Named("c1", "Ann Archer"))]);
        await using var reader = place.Open(AddNamed);
        var e = (await reader.ReadAllAsync())[0];
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Open && operation.Path.EndsWith("customer%3ac1.json", StringComparison.Ordinal),
            Error = FileError.InUse,
        });

        Assert.True(Assert.Throws<PersonalDataException>(() => e.Data).IsTransient);
        Assert.Equal(new Named("c1", "Ann Archer"), e.Data);

        static void AddNamed(OpossumOptions options)
        {
            options.EventTypes.Add<Named>();
            options.PersonalData.MasterKey = Key;
        }
    }

    [EventType("named")]
    private sealed record Named([property: Tag("customer")] string Id, [property: Personal("customer")] string? Name);

    [Fact]
    public async Task Values_whose_key_is_missing_are_not_said_to_be_searched_for()
    {
        await using var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        place.Delete(FilePath.Join(place.Layout.Keys, "customer%3ac1.json"));
        await using var later = place.OpenCustomers(Key);

        var found = await later.FindInPlainAsync(Ann);
        var forgotten = await later.ForgetAsync(Ann, "asked for it");

        Assert.Contains("customer%3ac1.json", Assert.Single(found.NotSearched).Path, StringComparison.Ordinal);
        Assert.NotNull(forgotten.NotSearched);
    }

    [Fact]
    public async Task The_master_key_is_not_asked_for_each_value_where_the_keys_are_another_store_s()
    {
        var (_, options) = await LoseAsync("another store's");
        var counting = new CountingKey(Key);
        await using var store = place.Open(each =>
        {
            each.EventTypes.Add<CustomerRegistered>();
            options?.Invoke(each);
            each.PersonalData.MasterKey = counting;
        });

        Assert.All((await store.ReadAllAsync()).SelectMany(static e => e.UnreadableMembers),
            static each => Assert.Equal(UnreadableReason.NoKey, each.Reason));

        Assert.InRange(counting.Calls, 0, 1);
    }

    private sealed class CountingKey(IMasterKey inner) : IMasterKey
    {
        public int Calls { get; private set; }

        public string Id => inner.Id;

        public byte[] Wrap(ReadOnlySpan<byte> key) => inner.Wrap(key);

        public byte[] Unwrap(ReadOnlySpan<byte> wrappedKey)
        {
            Calls++;
            return inner.Unwrap(wrappedKey);
        }
    }

    [Fact]
    public async Task A_read_model_keeps_no_value_that_reads_as_lost_only_because_there_is_no_master_key()
    {
        await using (var first = place.OpenCustomers(Key))
            await first.AppendAsync([new NewEvent(Registered()), NewEvent.FromJson("other", "{}")]);
        await using var store = place.OpenCustomers(key: null);
        var events = await store.ReadAllAsync();
        var host = store.ProjectionHost(new ProjectionOptions());

        var refused = Assert.Throws<PersonalDataException>(() => host.ThrowIfKeysAreMissing(events[0]));
        host.ThrowIfKeysAreMissing(events[1]);

        // Another process may have the key.
        Assert.True(refused.IsTransient);
        Assert.Contains("without a master key", refused.Message, StringComparison.Ordinal);
        Assert.Contains("without events of the type \"customer-registered\"", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_projection_that_is_built_makes_no_key(string way)
    {
        var (_, options) = await LoseAsync(way);
        await using var store = place.OpenCustomers(Key, options);
        var before = place.Snapshot(place.Layout.Keys).Keys;

        var runner = store.StartProjections([new Cards()], new ProjectionOptions { MaxRetryAttempts = 0 });
        await Assert.ThrowsAsync<ProjectionException>(() => runner.WaitForAsync(1, TestContext.Current.CancellationToken));

        Assert.Equal(before, place.Snapshot(place.Layout.Keys).Keys);
    }

    [Fact]
    public async Task Keys_that_come_back_are_used_without_another_opening()
    {
        var (keys, options) = await LoseAsync("empty folder");
        await using var store = place.OpenCustomers(Key, options);
        await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered("c9"))]));

        place.Restore(keys, place.Layout.Keys);

        await store.AppendAsync([new NewEvent(Registered("c9"))]);
        Assert.Equivalent(Registered(), (await store.ReadAllAsync())[0].Data);
    }

    [Fact]
    public async Task Keys_that_vanish_from_an_open_store_are_not_made_again()
    {
        await using var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        DeleteKeys();

        await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered("c9"))]));

        Assert.DoesNotContain(place.Snapshot(place.Layout.Keys), static each => each.Key.EndsWith(".json", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Keys_that_vanish_from_an_open_store_take_no_value_from_a_state()
    {
        await using (var first = place.OpenCustomers(Key))
        {
            await first.AppendAsync([new NewEvent(Registered())]);
            await using (var writing = first.StartProjections([new Names()]))
                await writing.WaitForAsync(1, TestContext.Current.CancellationToken);
            await first.AppendAsync([new NewEvent(Registered())]);
        }
        var keys = place.Snapshot(place.Layout.Keys);
        await using var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered("c9"))]);
        DeleteKeys();

        await using (var runner = store.StartProjections([new Names()], new ProjectionOptions { MaxRetryAttempts = 0 }))
            await Assert.ThrowsAsync<ProjectionException>(() => runner.WaitForAsync(3, TestContext.Current.CancellationToken));
        place.Restore(keys, place.Layout.Keys);

        Assert.Equal("Ann Archer", (string?)(await place.OpenCustomers(Key).Projections.Get<JsonNode>("names").GetAsync("c1"))!["name"]);
    }

    [Fact]
    public async Task The_lost_key_of_one_person_is_not_replaced_by_another()
    {
        await using (var first = place.OpenCustomers(Key))
            await first.AppendAsync([new NewEvent(Registered())]);
        var file = FilePath.Join(place.Layout.Keys, "customer%3ac1.json");
        var key = place.Bytes(file);
        place.Delete(file);
        await using var store = place.OpenCustomers(Key);

        var refused = await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered())]));
        Assert.Equal(file, refused.Path);
        Assert.Contains("event at position 1", refused.Message, StringComparison.Ordinal);
        await using (var runner = store.StartProjections([new Cards()]))
            await runner.WaitForAsync(1, TestContext.Current.CancellationToken);
        Assert.False(place.Exists(file));

        place.Put(file, key);
        await store.AppendAsync([new NewEvent(Registered())]);
        Assert.All(await place.OpenCustomers(Key).ReadAllAsync(), static e => Assert.Equal("Ann Archer", ((CustomerRegistered)e.Data!).Name));
    }

    [Fact]
    public async Task The_lost_key_of_a_person_that_no_tag_names_is_not_replaced_by_another()
    {
        await using var open = place.OpenCustomers(Key);
        await open.AppendAsync([new NewEvent(Registered())]);
        await using (var first = place.OpenCustomers(Key))
            await first.AppendAsync([new NewEvent(Registered("c2") with { Contacts = [new Contact("p3", "555-0103")] })]);
        var file = FilePath.Join(place.Layout.Keys, "person%3ap3.json");
        var key = place.Bytes(file);
        place.Delete(file);
        await using var later = place.OpenCustomers(Key);

        foreach (var store in (FileSystemEventStore[])[later, open])
        {
            await store.AppendAsync([new NewEvent(Registered() with { Contacts = [new Contact("p1", "555-0101")] })]);
            var refused = await Assert.ThrowsAsync<PersonalDataException>(
                () => store.AppendAsync([new NewEvent(Registered() with { Contacts = [new Contact("p3", "555-0103")] })]));
            Assert.Equal(file, refused.Path);
            Assert.Contains("event at position 2", refused.Message, StringComparison.Ordinal);
        }
        Assert.False(place.Exists(file));

        place.Put(file, key);
        await later.AppendAsync([new NewEvent(Registered() with { Contacts = [new Contact("p3", "555-0103")] })]);
        Assert.Empty((await later.ReadAllAsync())[^1].UnreadableMembers);
    }

    [Fact]
    public async Task The_lost_key_of_a_person_that_only_the_tag_of_a_rule_names_is_not_replaced_after_the_rule_was_removed()
    {
        var rule = new TagRule("customer-registered", "contacts[].personId", "person");
        await using var store = place.OpenCustomers(Key);
        await store.AddTagRuleAsync(rule);
        await using (var first = place.OpenCustomers(Key))
            await first.AppendAsync([new NewEvent(Registered("c2") with { Contacts = [new Contact("p3", "555-0103")] })]);
        place.Delete(FilePath.Join(place.Layout.Keys, "person%3ap3.json"));
        // It looks for another person in all events.
        await store.AppendAsync([new NewEvent(Registered() with { Contacts = [new Contact("p1", "555-0101")] })]);
        await store.RemoveTagRuleAsync(rule);

        var refused = await Assert.ThrowsAsync<PersonalDataException>(
            () => store.AppendAsync([new NewEvent(Registered() with { Contacts = [new Contact("p3", "555-0103")] })]));

        Assert.Contains("event at position 1", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_value_under_another_key_of_the_same_person_reads_as_lost()
    {
        await using (var first = place.OpenCustomers(Key))
            await first.AppendAsync([new NewEvent(Registered()), NewEvent.FromJson("other", "{}")]);
        var file = FilePath.Join(place.Layout.Keys, "customer%3ac1.json");
        await using (var other = place.OpenCustomers(Key))
            await other.AppendAsync([new NewEvent(Registered("p1"))]);
        // The key of another person of this store, in the file of this one, is damage; another one of the same person is not.
        place.Delete(file);
        place.Put(file, await AnotherKeyOfAnnAsync());
        await using var store = place.OpenCustomers(Key);

        var e = (await store.ReadAllAsync())[0];

        AssertAllLost(e, UnreadableReason.NoKey);
        Assert.Null(((CustomerRegistered)e.Data!).Name);
    }

    [Fact]
    public async Task Of_two_processes_the_one_with_another_folder_is_refused()
    {
        await using var right = place.OpenCustomers(Key);
        await using var wrong = place.OpenCustomers(Key, static options => options.PersonalData.KeysFolder = "/elsewhere");
        await right.AppendAsync([new NewEvent(Registered())]);

        await Assert.ThrowsAsync<PersonalDataException>(() => wrong.AppendAsync([new NewEvent(Registered("c2"))]));
        await wrong.AppendAsync([NewEvent.FromJson("other", "{}")]);

        Assert.False(place.Exists("/elsewhere"));
        Assert.Equal(2, await right.GetHeadAsync());
    }

    [Fact]
    public async Task A_store_without_personal_data_may_have_its_folder_elsewhere_at_last()
    {
        await using (var without = place.OpenCustomers(Key))
            await without.AppendAsync([NewEvent.FromJson("other", "{}", new Tag("customer", "c1"))]);
        await using var store = place.OpenCustomers(Key, static options => options.PersonalData.KeysFolder = "/elsewhere");

        await store.AppendAsync([new NewEvent(Registered())]);

        Assert.Equivalent(Registered(), (await store.ReadAllAsync())[^1].Data);
    }

    [Fact]
    public async Task Reading_makes_no_key_in_a_store_that_never_had_one()
    {
        await using var store = place.OpenCustomers(Key);

        Assert.Empty(await store.PositionsAsync(Query.FromTags(email)));
        _ = await store.BuildDecisionModelAsync(DecisionProjection.Create(false, email).On("taken", static (_, _) => true));

        Assert.False(place.Exists(place.Layout.Keys));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_person_whose_event_says_that_they_are_forgotten_gets_no_key(bool hasOldKeys)
    {
        var keys = place.Snapshot(place.Layout.Keys);
        await using (var first = place.OpenCustomers(Key))
        {
            await first.AppendAsync([new NewEvent(Registered()), new NewEvent(Registered("c2"))]);
            keys = place.Snapshot(place.Layout.Keys);
            await first.ForgetAsync(Ann, "asked for it");
        }
        if (hasOldKeys)
            place.Restore(keys, place.Layout.Keys);
        else
            place.Delete(FilePath.Join(place.Layout.Keys, "customer%3ac1.json"));
        await using var store = place.OpenCustomers(Key);

        var e = (await store.ReadAllAsync())[0];
        AssertAllLost(e, UnreadableReason.Forgotten);
        var refused = await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered())]));
        Assert.Contains("who was forgotten on", refused.Message, StringComparison.Ordinal);

        var again = await store.ForgetAsync(Ann, "asked again");
        Assert.Equal((hasOldKeys, !hasOldKeys), (again.HadKey, again.WasForgotten));
        Assert.Equal(3, await store.GetHeadAsync());
        Assert.DoesNotContain("\"key\"", Encoding.UTF8.GetString(place.Bytes(FilePath.Join(place.Layout.Keys, "customer%3ac1.json"))),
            StringComparison.Ordinal);
        place.AssertClean();
    }

    private static void AssertAllLost(SequencedEvent e, UnreadableReason reason) =>
        Assert.Equal([reason], e.UnreadableMembers.Where(static each => each.Subject == Ann).Select(static each => each.Reason).Distinct());

    // What the folder had, and how the store is opened.
    private async Task<(SortedDictionary<string, byte[]?> Keys, Action<OpossumOptions> Options)> LoseAsync(string way)
    {
        await using (var store = place.OpenCustomers(Key))
            await store.AppendAsync([new NewEvent(Registered())]);
        var keys = place.Snapshot(place.Layout.Keys);
        var options = static (OpossumOptions _) => { };
        switch (way)
        {
            case "another folder":
                return (keys, static options => options.PersonalData.KeysFolder = "/elsewhere");
            case "store key lost":
                place.Delete(FilePath.Join(place.Layout.Keys, "store-key.json"));
                return (keys, options);
            case "another store's":
                using (var other = StorePlace.On(VolumeKind.Ext4))
                {
                    await other.OpenCustomers(Key).AppendAsync([new NewEvent(Registered())]);
                    place.Restore(other.Snapshot(other.Layout.Keys), place.Layout.Keys);
                }
                return (keys, options);
            case "only event files":
                DeleteKeys();
                foreach (var (path, bytes) in place.Snapshot())
                {
                    if (bytes is not null && !path.StartsWith(place.Layout.Events, StringComparison.Ordinal))
                        place.Delete(path);
                }
                return (keys, options);
            default:
                DeleteKeys();
                if (way == "no folder")
                    place.Attach().DeleteFolder(place.Layout.Keys);
                return (keys, options);
        }
    }

    private void DeleteKeys()
    {
        foreach (var (path, bytes) in place.Snapshot(place.Layout.Keys))
        {
            if (bytes is not null)
                place.Delete(path);
        }
    }

    // Made by the same store without its events.
    private async Task<byte[]> AnotherKeyOfAnnAsync()
    {
        using var other = StorePlace.On(VolumeKind.Ext4);
        var storeKey = Encoding.UTF8.GetString(place.Bytes(FilePath.Join(place.Layout.Keys, "store-key.json")));
        other.Put(FilePath.Join(other.Layout.Keys, "store-key.json"),
            Encoding.UTF8.GetBytes(Regex.Replace(storeKey, "\"store\": \"[^\"]*\",", "")));
        await using (var store = other.OpenCustomers(Key))
            await store.AppendAsync([new NewEvent(Registered())]);
        return other.Bytes(FilePath.Join(other.Layout.Keys, "customer%3ac1.json"));
    }

    private sealed record Card(
        [property: Personal("customer")] string? Name, [property: Personal("customer", Placeholder = "(forgotten)")] string Email);

    private sealed record NameOnly([property: Personal("customer")] string? Name, int Count);

    private sealed class Names : Projection<NameOnly>
    {
        public Names()
            : base("names") => On<CustomerRegistered>(static e => e.CustomerId, static (state, e) => new NameOnly(e.Name, (state?.Count ?? 0) + 1));
    }

    private sealed class Cards : Projection<Card>
    {
        public Cards()
            : base("cards") => On<CustomerRegistered>(static e => e.CustomerId, static (_, e) => new Card(e.Name, e.Email));
    }
}
