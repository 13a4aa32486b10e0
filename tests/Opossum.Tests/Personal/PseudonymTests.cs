using System.Text;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>Tags whose values are stored as keyed hashes.</summary>
public sealed class PseudonymTests : IDisposable
{
    private static readonly Tag email = Tag.Pseudonym("email", "ann@example.org");

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task A_value_is_found_by_queries_and_conditions_and_is_in_no_file()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([NewEvent.FromJson("taken", "{}", email), NewEvent.FromJson("taken", "{}", Tag.Pseudonym("email", "other"))]);

        Assert.Equal([1], await store.PositionsAsync(Query.FromTags(email)));
        Assert.Equal([1, 2], await store.PositionsAsync(Query.FromTags(email).Or(Query.FromTags(Tag.Pseudonym("email", "other")))));
        await Assert.ThrowsAsync<AppendConditionFailedException>(
            () => store.AppendAsync([NewEvent.FromJson("taken", "{}", email)], new AppendCondition(Query.FromTags(email))));
        await foreach (var e in store.SubscribeAsync(Query.FromTags(email)))
        {
            Assert.True(Query.FromTags(email).Matches(e));
            Assert.Equal(("email", 23), (e.Tags[0].Key, e.Tags[0].Value.Length));
            break;
        }
        AssertNowhere("ann@example.org");
        place.CloseStores();
        Assert.Equal([1], await place.OpenCustomers(Key).PositionsAsync(Query.FromTags(email)));
        Assert.Equal([1], await place.OpenCustomers(Key, options => options.ReadOnly = true).PositionsAsync(Query.FromTags(email)));
    }

    [Fact]
    public async Task A_property_can_declare_it_and_a_decision_rests_on_it()
    {
        var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        var isTaken = DecisionProjection.Create(false, email).On<CustomerRegistered>((_, _) => true);

        Assert.True((await store.BuildDecisionModelAsync(isTaken)).State);

        Assert.False((await store.BuildDecisionModelAsync(
            DecisionProjection.Create(false, Tag.Pseudonym("email", "other")).On<CustomerRegistered>((_, _) => true))).State);
    }

    [Fact]
    public async Task Every_store_has_its_own_hashes_and_another_key_of_the_tag_another_one()
    {
        using var elsewhere = StorePlace.On(VolumeKind.Ext4);
        var values = new List<string>();
        foreach (var each in new[] { place, elsewhere })
        {
            var store = each.OpenCustomers(Key);
            await store.AppendAsync([NewEvent.FromJson("t", "{}", email, Tag.Pseudonym("login", "ann@example.org"))]);
            values.AddRange((await store.ReadAllAsync())[0].Tags.Select(tag => tag.Value));
        }

        Assert.Equal(4, values.Distinct().Count());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [InlineData(true, true)]
    public async Task A_person_is_forgotten_by_the_identifier_and_by_its_pseudonym_whichever_is_named(bool byPseudonym, bool asStored = false)
    {
        var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());
        await store.AppendAsync([new NewEvent(Registered()), new NewEvent(Registered("c2"))]);
        await store.AppendAsync([new NewEvent(Registered("c3") with { Contacts = [new Contact("c1", "555-0199")] })]);
        var hidden = Tag.Pseudonym("person", "p1");
        await store.AppendAsync([new NewEvent(new Noted("Ann Archer"), hidden)]);

        var given = asStored ? (await store.ReadAllAsync())[^1].Tags[0] : byPseudonym ? hidden : new Tag("person", "p1");

        var forgotten = await store.ForgetAsync(given, "asked for it");

        Assert.Equal((true, false), (forgotten.HadKey, forgotten.WasForgotten));
        var events = await store.ReadAllAsync();
        Assert.Equal([1, 2, 4], events.Where(static each => each.UnreadableMembers.Count > 0).Select(static each => each.Position));
        Assert.Equal(2, events.Count(static each => each.Data is PersonForgotten));
        var again = await store.ForgetAsync(given, "asked again");
        Assert.Equal((false, true, events.Count), (again.HadKey, again.WasForgotten, (await store.ReadAllAsync()).Count));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_damaged_key_under_the_other_name_is_removed_too(bool byPseudonym)
    {
        var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());
        var (plain, hidden) = (new Tag("person", "p1"), Tag.Pseudonym("person", "p1"));
        await store.AppendAsync([new NewEvent(Registered()), new NewEvent(new Noted("Ann Archer"), hidden)]);
        var stored = (await store.ReadAllAsync())[1].Tags[0];
        var file = FilePath.Join(place.Layout.Keys, KeyFileName.Of($"{(byPseudonym ? plain : stored)}") + ".json");
        place.CloseStores();
        place.Patch(file, 0, "x"u8);
        store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());

        var forgotten = await store.ForgetAsync(byPseudonym ? hidden : plain, "asked for it");

        Assert.True(forgotten.HadKey);
        Assert.Equivalent(new[] { $"{plain}", $"{stored}" },
            (await store.ReadAllAsync()).Select(static e => e.Data).OfType<PersonForgotten>().Select(static e => e.Subject), strict: true);
        Assert.Contains("\"forgotten\"", Encoding.UTF8.GetString(place.Bytes(file)), StringComparison.Ordinal);
        place.AssertClean();
    }

    [Fact]
    public async Task Forgetting_without_the_master_key_says_that_a_key_under_a_pseudonym_stays()
    {
        var (person, hidden) = (new Tag("person", "p1"), Tag.Pseudonym("person", "p1"));
        await using (var with = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>()))
            await with.AppendAsync([new NewEvent(new Noted("Ann Archer"), hidden)]);
        await using (var without = place.OpenCustomers(key: null, static options => options.EventTypes.Add<Noted>()))
        {
            await Assert.ThrowsAsync<PersonalDataException>(() => without.FindInPlainAsync(person));

            var result = await without.ForgetAsync(person, "asked for it");

            Assert.False(result.HadKey);
            Assert.Contains("pseudonym", result.NotSearched, StringComparison.Ordinal);
        }
        await using var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());

        var again = await store.ForgetAsync(person, "asked for it");

        Assert.Equal((true, null), (again.HadKey, again.NotSearched));
    }

    [Fact]
    public async Task A_search_by_the_tag_as_events_have_it_is_also_for_the_values_under_the_identifier()
    {
        var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());
        await store.AppendAsync([new NewEvent(new Noted("Ann Archer"), Tag.Pseudonym("person", "p1")), new NewEvent(Registered("c3"))]);
        await store.AppendAsync([NewEvent.FromJson("called", """{"number":"555-0101"}""")]);

        var report = await store.FindInPlainAsync((await store.ReadAllAsync())[0].Tags[0]);

        Assert.Contains(report.Hits, static each => each.Position == 3);
    }

    [Fact]
    public async Task A_pseudonym_alone_is_forgotten_without_a_word_of_its_identifier()
    {
        var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());
        var hidden = Tag.Pseudonym("person", "ann@example.org");
        await store.AppendAsync([new NewEvent(new Noted("Ann Archer"), hidden)]);

        await store.ForgetAsync(hidden, "asked for it");

        AssertNowhere("ann%40", "ann@example.org");
    }

    [Fact]
    public async Task A_person_who_has_a_key_under_the_pseudonym_alone_is_forgotten_by_the_identifier_without_a_word_of_it()
    {
        var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());
        await store.AppendAsync([new NewEvent(new Noted("Ann Archer"), Tag.Pseudonym("person", "ann@example.org"))]);
        var stored = (await store.ReadAllAsync())[0].Tags[0];
        foreach (var isAgain in new[] { false, true })
        {
            var forgotten = await store.ForgetAsync(new Tag("person", "ann@example.org"), "asked for it");

            Assert.Equal((!isAgain, isAgain), (forgotten.HadKey, forgotten.WasForgotten));
        }
        Assert.Equal([$"{stored}"], (await store.ReadAllAsync()).Select(static e => e.Data).OfType<PersonForgotten>().Select(static e => e.Subject));
        AssertNowhere("ann%40", "ann@example.org");
        place.AssertClean();
    }

    [Fact]
    public async Task Plain_values_under_the_identifier_are_named_although_the_key_is_under_the_pseudonym_alone()
    {
        var person = new Tag("person", "p1");
        await place.Open().AppendAsync([NewEvent.FromJson("noted", """{"text":"Ann Archer"}""", person)]);
        place.CloseStores();
        var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());
        await store.AppendAsync([new NewEvent(new Noted("Ann Archer"), Tag.Pseudonym("person", "p1"))]);

        Assert.Equal([1], (await store.ForgetAsync(person, "asked for it")).PlainEvents.Select(static each => each.Position));
    }

    [Theory]
    [InlineData(false, false, false)]
    [InlineData(false, true, false)]
    [InlineData(true, false, false)]
    [InlineData(true, false, true)]
    [InlineData(true, true, false)]
    public async Task Data_of_a_person_who_was_forgotten_by_one_name_are_refused_under_the_other(bool byPseudonym, bool hasKey, bool isWithoutMarks)
    {
        var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<Noted>());
        var (plain, hidden) = (new Tag("person", "p1"), Tag.Pseudonym("person", "p1"));
        var (given, other) = byPseudonym ? (hidden, plain) : (plain, hidden);
        await store.MakeStoreKeyAsync();
        if (hasKey)
            await store.AppendAsync([new NewEvent(new Noted("Ann Archer"), given)]);
        Assert.Equal(hasKey, (await store.ForgetAsync(given, "asked for it")).HadKey);
        if (isWithoutMarks)
        {
            foreach (var path in place.Snapshot(place.Layout.Keys).Keys.Where(static each => each.Contains("person%3a", StringComparison.Ordinal)))
                place.Delete(path);
        }
        var head = await store.GetHeadAsync();

        foreach (var name in new[] { given, other })
        {
            var refused = await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(new Noted("Ann Archer"), name)]));
            Assert.Contains("who was forgotten on", refused.Message, StringComparison.Ordinal);
        }
        Assert.True((await store.ForgetAsync(other, "asked again")).WasForgotten);
        Assert.Equal(head, await store.GetHeadAsync());
        place.AssertClean();
    }

    [Fact]
    public async Task Without_a_master_key_it_is_refused()
    {
        var store = place.OpenCustomers(key: null);

        await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([NewEvent.FromJson("t", "{}", email)]));
        var refused = Assert.Throws<PersonalDataException>(() => store.ReadAsync(Query.FromTags(email)));

        Assert.Contains("MasterKeyFile", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("ann@example.org", refused.Message, StringComparison.Ordinal);
        Assert.Equal(0, await store.GetHeadAsync());
    }

    [Fact]
    public void Nothing_shows_the_value_in_messages() =>
        Assert.DoesNotContain("ann@", $"{email} {Query.FromTags(email)}", StringComparison.Ordinal);

    [Fact]
    public void A_value_of_ten_thousand_characters_is_refused_as_that_of_any_tag() =>
        Assert.Throws<ArgumentException>(() => Tag.Pseudonym("email", new string('x', Tag.MaxValueLength)));

    private void AssertNowhere(params string[] texts)
    {
        foreach (var (path, bytes) in place.Snapshot())
        {
            foreach (var text in texts)
            {
                Assert.DoesNotContain(text, path, StringComparison.Ordinal);
                Assert.False(bytes is not null && bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(text)) >= 0, path);
            }
        }
    }

    [EventType("noted")]
    private sealed record Noted([property: Personal("person")] string? Text);
}
