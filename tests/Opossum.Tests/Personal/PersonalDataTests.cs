using System.Text;
using System.Text.Json.Nodes;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>Personal members of events: encrypted in every file, readable in objects and in JSON.</summary>
public sealed class PersonalDataTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Personal_members_are_in_no_file_and_are_read_as_they_were_appended()
    {
        await using var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);

        AssertNowhere(Secrets);
        var e = Assert.Single(await store.ReadAllAsync());
        Assert.Equivalent(Registered(), e.Data);
        Assert.Empty(e.UnreadableMembers);
        var file = JsonNode.Parse(place.Bytes(place.Layout.EventFile(1)))!["data"]!;
        Assert.StartsWith("customer:c1 ", (string)file["name"]!["$sealed"]!);
        Assert.StartsWith("person:p2 ", (string)file["contacts"]![1]!["phone"]!["$sealed"]!);
        Assert.Equal("Springfield", (string)file["address"]!["city"]!);
        Assert.Equal("Ann Archer", (string)JsonNode.Parse(e.Json.Span)!["name"]!);
        Assert.Equal(file.ToJsonString(), JsonNode.Parse(e.StoredJson.Span)!.ToJsonString());
    }

    [Fact]
    public async Task A_source_generated_context_is_as_good_as_reflection()
    {
        await using var store = place.Open(options =>
        {
            options.EventTypes.Add(CustomersJson.Default.CustomerRegistered);
            options.PersonalData.MasterKey = Key;
        });
        await store.AppendAsync([new NewEvent(Registered())]);

        AssertNowhere(Secrets);
        Assert.Equivalent(Registered(), Assert.Single(await store.ReadAllAsync()).Data);
    }

    [Fact]
    public async Task A_process_that_has_only_read_still_stores_after_the_master_key_was_replaced()
    {
        using var real = StorePlace.InFolder();
        await real.OpenCustomers(Key).AppendAsync([new NewEvent(Registered())]);
        var store = real.OpenCustomers(Key);
        Assert.Empty((await store.ReadAllAsync())[0].UnreadableMembers);
        var next = MasterKey.Create();

        Assert.True(await PersonalKeys.RotateMasterKeyAsync(real.Root, Key, next));
        await store.AppendAsync([new NewEvent(Registered("c2"))]);

        Assert.All(await real.OpenCustomers(next).ReadAllAsync(), static each => Assert.Empty(each.UnreadableMembers));
    }

    [Fact]
    public async Task Another_process_and_a_later_opening_read_them()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        Assert.Equivalent(Registered(), Assert.Single(await place.OpenCustomers(Key).ReadAllAsync()).Data);
        place.CloseStores();

        Assert.Equivalent(Registered(), Assert.Single(await place.OpenCustomers(Key, options => options.ReadOnly = true).ReadAllAsync()).Data);
    }

    [Fact]
    public async Task After_the_store_is_closed_reading_a_member_says_that_and_not_that_it_is_damaged()
    {
        await place.OpenCustomers(Key).AppendAsync([new NewEvent(Registered())]);
        place.CloseStores();
        SequencedEvent e;
        await using (var store = place.OpenCustomers(Key))
            e = Assert.Single(await store.ReadAllAsync());

        Assert.Throws<ObjectDisposedException>(() => e.Data);
    }

    [Fact]
    public async Task Without_a_master_key_they_read_as_if_forgotten_and_cannot_be_appended()
    {
        await place.OpenCustomers(Key).AppendAsync([new NewEvent(Registered())]);
        place.CloseStores();
        var store = place.OpenCustomers(key: null);

        var e = Assert.Single(await store.ReadAllAsync());

        Assert.Equal(new CustomerRegistered("c1", null, "(forgotten)", 1900) { Address = new Address(null, "Springfield") },
            (CustomerRegistered)e.Data! with { Contacts = null });
        Assert.Equal(["name", "email", "birthYear", "address.street", "contacts[0].phone", "contacts[1].phone"],
            e.UnreadableMembers.Select(each => each.Path));
        Assert.All(e.UnreadableMembers, each => Assert.Equal(UnreadableReason.NoMasterKey, each.Reason));
        Assert.Equal(new Tag("person", "p2"), e.UnreadableMembers[^1].Subject);
        var refused = await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered("c2"))]));
        Assert.Contains("MasterKeyFile", refused.Message, StringComparison.Ordinal);
        await store.AppendAsync([NewEvent.FromJson("plain", "{}")]);
        Assert.Equal(2, await store.GetHeadAsync());
    }

    [Fact]
    public async Task An_event_that_is_appended_again_is_the_same_event()
    {
        await using var store = place.OpenCustomers(Key);
        var registered = new NewEvent(Registered());
        var condition = new AppendCondition(Query.For<CustomerRegistered>(Ann));
        await store.AppendAsync([registered], condition);
        await store.AppendAsync([NewEvent.FromJson("plain", "{}")]);

        Assert.Equal(1, (await store.AppendAsync([registered], condition)).FirstPosition);

        Assert.Equal(2, await store.GetHeadAsync());
    }

    [Fact]
    public async Task Members_of_json_without_a_class_are_named_by_their_paths()
    {
        await using var store = place.Open(options =>
        {
            options.PersonalData.MasterKey = Key;
            options.EventTypes.AddPersonal("visit", "patient.name", "patient").AddPersonal("visit", "notes[].text", "patient")
                .AddPersonal("visit", "by{}", "staff", "id");
        });
        const string json = """{"patient":{"name":"Ann Archer","ward":"a"},"notes":[{"text":["19840229"]},{"other":1}],"by":null}""";
        await store.AppendAsync([NewEvent.FromJson("visit", json, new Tag("patient", "p7"))]);

        AssertNowhere("Ann Archer", "19840229");
        var e = Assert.Single(await store.ReadAllAsync());
        Assert.Equal(json, Encoding.UTF8.GetString(e.Json.Span));
        await store.ForgetAsync(new Tag("patient", "p7"), "asked for it");
        e = (await store.ReadAllAsync())[0];
        Assert.Equal("""{"patient":{"name":null,"ward":"a"},"notes":[{"text":null},{"other":1}],"by":null}""", Encoding.UTF8.GetString(e.Json.Span));
        Assert.Equal(["patient.name", "notes[0].text"], e.UnreadableMembers.Select(each => each.Path));
    }

    [Theory]
    [InlineData("""{"$sealed":"customer:c1 AAAA"}""")]
    [InlineData("""{"a":[{"$sealed":1,"$$sealed":{"$sealed":null}}],"$$$sealed":"$sealed\":"}""")]
    [InlineData("""{"text":",\"$sealed\":","name":{"$sealed":"x"}}""")]
    public async Task User_data_with_the_name_of_an_encrypted_value_is_never_taken_for_one(string json)
    {
        await using var store = place.Open(options =>
        {
            options.PersonalData.MasterKey = Key;
            options.EventTypes.AddPersonal("t", "name", "customer");
        });
        await store.AppendAsync([NewEvent.FromJson("t", json, Ann)]);

        var e = Assert.Single(await store.ReadAllAsync());
        Assert.Equal(json, Encoding.UTF8.GetString(e.Json.Span));
        Assert.Empty(e.UnreadableMembers);
        place.AssertClean();
    }

    [Theory]
    [InlineData("""{"name":"x"}""", "no such tag")]
    [InlineData("""{"name":"x"}""", "several such tags", "customer:c1", "customer:c2")]
    [InlineData("""{"phone":"x"}""", "personId")]
    [InlineData("""{"phone":"x","personId":null}""", "personId")]
    public async Task An_event_that_names_no_person_or_several_is_refused(string json, string why, params string[] tags)
    {
        await using var store = place.Open(options =>
        {
            options.PersonalData.MasterKey = Key;
            options.EventTypes.AddPersonal("t", "name", "customer").AddPersonal("t", "phone", "person", "personId");
        });

        var refused = await Assert.ThrowsAsync<ArgumentException>(
            () => store.AppendAsync([NewEvent.FromJson("other", "{}"), NewEvent.FromJson("t", json, [.. tags.Select(Tag.Parse)])]));

        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
        Assert.StartsWith("events[1] is not allowed.", refused.Message, StringComparison.Ordinal);
        Assert.Equal(0, await store.GetHeadAsync());
        await store.AppendAsync([NewEvent.FromJson("t", """{"name":null}""")]);
    }

    [Theory]
    [InlineData("""{"name":"Ann","customerId":12}""", "customer:12")]
    [InlineData("""{"customerId":"a b","name":{"first":"Ann"}}""", "customer:a b")]
    public async Task The_member_that_names_the_person_may_stand_before_or_after(string json, string subject)
    {
        await using var store = place.Open(options =>
        {
            options.PersonalData.MasterKey = Key;
            options.EventTypes.AddPersonal("t", "name", "customer", "customerId");
        });
        await store.AppendAsync([NewEvent.FromJson("t", json)]);

        var e = Assert.Single(await store.ReadAllAsync());
        Assert.Equal(json, Encoding.UTF8.GetString(e.Json.Span));
        Assert.Contains($$"""{"$sealed":"{{subject}} """, Encoding.UTF8.GetString(e.StoredJson.Span), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_person_of_ten_thousand_characters_or_odd_text_is_as_good_as_any()
    {
        await using var store = place.OpenCustomers(Key);
        string[] ids = [new string('x', Tag.MaxValueLength), "../../etc", "CON", "a\u0000b \"\\ 😀", "", " "];
        foreach (var id in ids)
            await store.AppendAsync([new NewEvent(Registered(id))]);

        Assert.Equal(ids, (await store.ReadAllAsync()).Select(e => ((CustomerRegistered)e.Data!).CustomerId));
        foreach (var id in ids)
            await store.ForgetAsync(new Tag("customer", id), "asked for it");
        Assert.All((await store.ReadAllAsync())[..ids.Length], e => Assert.Null(((CustomerRegistered)e.Data!).Name));
    }

    [Fact]
    public async Task A_value_moved_to_another_event_or_member_is_no_value()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered()), new NewEvent(Registered() with { Name = "Somebody Else" })]);
        await store.DisposeAsync();
        var first = Encoding.UTF8.GetString(place.Bytes(place.Layout.EventFile(1)));
        var second = JsonNode.Parse(place.Bytes(place.Layout.EventFile(2)))!["data"]!;
        var own = JsonNode.Parse(first)!["data"]!;
        string[] forged = [(string)second["name"]!["$sealed"]!, (string)own["email"]!["$sealed"]!, "customer:c1 AAAA", "nobody"];

        foreach (var each in forged)
        {
            place.Put(place.Layout.EventFile(1),
                Encoding.UTF8.GetBytes(first.Replace((string)own["name"]!["$sealed"]!, each, StringComparison.Ordinal)));
            place.Repair(under => new Opossum.Storage.Repair.EditAcceptance(under, 1).Run());
            await using var again = place.OpenCustomers(Key);
            var e = (await again.ReadAllAsync())[0];
            var wrong = Assert.Throws<PersonalDataException>(() => e.Data);
            Assert.Contains("position 1", wrong.Message, StringComparison.Ordinal);
            Assert.Contains("name", wrong.Message, StringComparison.Ordinal);
            Assert.Throws<PersonalDataException>(() => e.Json);
        }
    }

    [Fact]
    public async Task An_event_without_personal_members_costs_nothing()
    {
        await using var store = place.OpenCustomers(Key);
        await store.AppendAsync([NewEvent.FromJson("plain", """{"a":"$sealed"}""")]);

        var e = Assert.Single(await store.ReadAllAsync());

        Assert.Equal(e.StoredJson, e.Json);
        Assert.False(place.Exists(place.Layout.Keys));
    }

    private void AssertNowhere(params string[] texts)
    {
        foreach (var (path, bytes) in place.Snapshot())
        {
            foreach (var text in texts)
                Assert.False(bytes is not null && bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(text)) >= 0, $"{path} contains {text}");
        }
    }
}
