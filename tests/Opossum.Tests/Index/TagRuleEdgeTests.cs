using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Opossum.Storage.Repair;
using Opossum.Testing.Simulated;
using Opossum.Tests.Personal;
using Opossum.Tests.Repair;
using Opossum.Tests.Subscriptions;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Index;

/// <summary>
/// Tag rules beside other features: versions of types, personal data, sealing, the journal, subscriptions, decisions, other
/// processes.
/// </summary>
public sealed class TagRuleEdgeTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly TagRule customer = new("placed", "customer.id", "customer");

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Rule_reads_the_members_as_they_are_stored_before_any_upcaster()
    {
        await place.Open().AppendAsync([NewEvent.FromJson("moved", """{"cust":"c1"}""")]);
        var store = place.Open(static options => options.EventTypes.Add<Moved>()
            .AddUpcaster("moved", fromVersion: 1,
                static json => new JsonObject { ["customerId"] = json["cust"]!.DeepClone() }));
        await store.AppendAsync([new NewEvent(new Moved("c1"))]);

        await store.AddTagRuleAsync(new TagRule("moved", "customerId", "customer"));
        Assert.Equal([2], await store.PositionsAsync(Tagged("customer:c1")));
        await store.AddTagRuleAsync(new TagRule("moved", "cust", "customer"));
        // By the name of the property, no event has a member.
        await store.AddTagRuleAsync(new TagRule("moved", "CustomerId", "property"));

        var found = await store.ReadAllAsync(Tagged("customer:c1"));
        Assert.Equal([new Moved("c1"), new Moved("c1")], found.Select(static e => e.Data));
        Assert.All(found, static e => Assert.Equal(new Tag("customer", "c1"), Assert.Single(e.Tags)));
        await AssertSameAfterRebuildAsync([1, 2], "customer:c1");
    }

    [Theory]
    [InlineData("""{"v":-0}""", "v", "-0")]
    [InlineData("""{"v":1e3}""", "v", "1e3")]
    [InlineData("""{"v":12345678901234567890123}""", "v", "12345678901234567890123")]
    [InlineData("""{"v":false}""", "v", "false")]
    [InlineData("""{"v":"\u0041\n\ud83d\ude00"}""", "v", "A\n\ud83d\ude00")]
    [InlineData("""{"\u0076":"x"}""", "v", "x")]
    [InlineData("""{"p":{"a":1,"b":{"c":2},"d":"e"}}""", "p{}", "1", "e")]
    [InlineData("""{"p":{"a":{"q":1},"b":{"q":2}}}""", "p{}.q", "1", "2")]
    [InlineData("""[{"q":1},{"q":2}]""", "[].q", "1", "2")]
    [InlineData("""{"v":[["x","y"],["z"]]}""", "v[][]", "x", "y", "z")]
    [InlineData("""{"V":"x"}""", "v")]
    [InlineData("""{"v":[]}""", "v[]")]
    [InlineData("""{"w":1}""", "v")]
    [InlineData("null", "v")]
    public async Task Values_give_the_same_tags_in_an_append_in_stored_events_and_in_reads(string json, string member,
        params string[] values)
    {
        var (rule, store) = (new TagRule("t", member, "key"), place.Open());
        await store.AppendAsync([NewEvent.FromJson("t", json)]);
        await store.AddTagRuleAsync(rule);
        await store.AppendAsync([NewEvent.FromJson("t", json)]);

        Assert.All(await store.ReadAllAsync(), e => Assert.Equal(values, e.Tags.Select(static tag => tag.Value)));
        foreach (var value in values)
            Assert.Equal([1, 2], await store.PositionsAsync(Query.FromTags(new Tag("key", value))));
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Rule_gives_no_second_tag_where_the_event_has_it_and_no_pseudonym()
    {
        var store = place.Open();
        await store.AddTagRuleAsync(customer);

        var escaped = Tag.Pseudonym("customer", "c1").Value.Replace("\u001f", "\\u001f", StringComparison.Ordinal);
        await store.AppendAsync([Placed("c1", "customer:c1"), Placed(escaped)]);

        var tags = (await store.ReadAllAsync()).Select(static e => e.Tags.Select(static tag => $"{tag}"));
        Assert.Equal([["customer:c1"], []], tags);
        Assert.Equal([1], await store.PositionsAsync(Tagged("customer:c1")));
    }

    [Theory]
    [InlineData("name")]
    [InlineData("Name")]
    [InlineData("name.first")]
    [InlineData("birthYear")]
    [InlineData("address.street")]
    [InlineData("address{}")]
    [InlineData("contacts[].phone")]
    public async Task Member_that_is_personal_by_the_registered_class_is_refused_before_any_event_has_it(string member)
    {
        var rule = new TagRule("customer-registered", member, "key");
        var store = place.OpenCustomers(Customers.Key);

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => store.AddTagRuleAsync(rule));

        Assert.Contains("is personal data", refused.Message, StringComparison.Ordinal);
        Assert.Throws<StoreMaintenanceException>(() =>
            place.OpenCustomers(Customers.Key, options => options.TagRules.Add(rule)));
        Assert.False(place.Exists(place.Layout.Rules));
        Assert.True(await store.AddTagRuleAsync(new TagRule("customer-registered", "address.city", "city")));
    }

    [Fact]
    public async Task Member_that_is_personal_in_a_derived_class_is_refused()
    {
        var store = place.Open(static options => options.EventTypes.Add<PetBought>());

        await Assert.ThrowsAsync<StoreMaintenanceException>(() => store.AddTagRuleAsync(new TagRule("pet-bought", "pet.owner", "owner")));

        Assert.True(await store.AddTagRuleAsync(new TagRule("pet-bought", "pet.breed", "breed")));
    }

    [Theory]
    [InlineData("name")]
    [InlineData("name.first")]
    [InlineData("name.$other")]
    [InlineData("address{}")]
    public async Task Member_that_is_or_is_inside_encrypted_data_is_refused_without_the_class_and_by_hand(string member)
    {
        await AppendWithoutSchemaAsync();

        await Assert.ThrowsAsync<StoreMaintenanceException>(() =>
            place.Open().AddTagRuleAsync(new TagRule("customer-registered", member, "key")));
        place.CloseStores();
        place.Put($"{place.Layout.Rules}/mine.json", System.Text.Encoding.UTF8.GetBytes(
            $$"""{ "type": "customer-registered", "member": "{{member}}", "key": "key" }"""));
        var refused = Assert.Throws<StoreOpenException>(() => place.Open());

        Assert.Equal(place.Layout.Rules, refused.Path);
        Assert.Contains("is personal data, encrypted in the event at position 1", refused.Message, StringComparison.Ordinal);
        Assert.EndsWith("Correct or delete the file of the rule.", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Opening_with_a_class_whose_member_became_personal_is_refused_until_the_rule_is_removed()
    {
        var email = new TagRule("customer-registered", "email", "email");
        await place.Open().AddTagRuleAsync(email);
        place.CloseStores();

        var refused = Assert.Throws<StoreMaintenanceException>(() => place.OpenCustomers(Customers.Key));
        var reader = place.OpenCustomers(Customers.Key, static options => options.ReadOnly = true);
        var shown = (await reader.GetStatusAsync()).TagRulesProblem!;

        Assert.StartsWith("The store in /store was not opened: \"email\" is personal data", refused.Message, StringComparison.Ordinal);
        Assert.Contains("opossum tags remove", refused.Message, StringComparison.Ordinal);
        Assert.EndsWith(shown, refused.Message, StringComparison.Ordinal);
        Assert.True(await place.Open().RemoveTagRuleAsync(email));
        Assert.Null((await reader.GetStatusAsync()).TagRulesProblem);
        Assert.Equal([], await place.OpenCustomers(Customers.Key).GetTagRulesAsync());
    }

    [Fact]
    public async Task Rules_whose_members_became_personal_are_removed_and_keep_no_other_rule_out()
    {
        var rules = new[] { "name", "email", "birthYear" }.Select(static member => new TagRule("customer-registered", member, member)).ToArray();
        var (city, street) = (new TagRule("customer-registered", "address.city", "city"), new TagRule("other", "street", "street"));
        var (store, plain) = (place.OpenCustomers(Customers.Key), place.Open());
        await plain.AppendAsync([NewEvent.FromJson("customer-registered", """{"name":"Ann","email":"ann@example.org"}""")]);
        foreach (var rule in rules)
            await plain.AddTagRuleAsync(rule);
        await store.AppendAsync([new NewEvent(Customers.Registered())]);

        Assert.Contains("\"birthYear\" is personal data", (await store.GetStatusAsync()).TagRulesProblem, StringComparison.Ordinal);
        Assert.True(await store.AddTagRuleAsync(street));
        Assert.False(await store.AddTagRuleAsync(rules[0]));
        Assert.True(await store.RemoveTagRuleAsync(rules[0]));
        Assert.Equal([], await store.PositionsAsync(Tagged("name:Ann")));
        place.CloseStores();
        // Also by an opening, and where a file is deleted by hand.
        await place.Open(options => Array.ForEach([rules[1], city], options.TagRules.Add)).DisposeAsync();
        DeleteRuleOf("birthYear");

        Assert.Equal([city, rules[1], street], await place.Open().GetTagRulesAsync());
        place.CloseStores();
        DeleteRuleOf("email");
        store = place.OpenCustomers(Customers.Key);
        Assert.Equal([city, street], await store.GetTagRulesAsync());
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => store.AddTagRuleAsync(rules[0]));
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => place.Open().AddTagRuleAsync(rules[0]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task File_put_there_by_hand_for_a_personal_member_is_refused_before_any_event_has_it(bool isRebuilt)
    {
        await place.Open().AppendAsync([NewEvent.FromJson("other", "{}")]);
        place.CloseStores();
        var path = $"{place.Layout.Rules}/mine.json";
        place.Put(path, """{ "type": "customer-registered", "member": "email", "key": "email" }"""u8);
        if (isRebuilt)
            place.Repair(static store => store.RebuildIndex());

        var refused = Assert.Throws<StoreOpenException>(() => place.OpenCustomers(Customers.Key));

        Assert.Contains("\"email\" is personal data", refused.Message, StringComparison.Ordinal);
        Assert.EndsWith("Correct or delete the file of the rule.", refused.Message, StringComparison.Ordinal);
        place.Delete(path);
        Assert.Equal([], await place.OpenCustomers(Customers.Key).GetTagRulesAsync());
    }

    [Fact]
    public async Task Rebuild_of_the_index_leaves_a_file_put_there_by_hand_to_the_next_opening()
    {
        await AppendWithoutSchemaAsync();
        place.Put($"{place.Layout.Rules}/mine.json", """{ "type": "customer-registered", "member": "email", "key": "email" }"""u8);

        place.Repair(static store => store.RebuildIndex());

        var refused = Assert.Throws<StoreOpenException>(() => place.Open());
        Assert.Contains("encrypted in the event at position 1", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4), false, false)]
    [InlineData(nameof(VolumeKind.Ext4), true, false)]
    [InlineData(nameof(VolumeKind.Ext4), false, true)]
    [InlineData(nameof(VolumeKind.Ext4), true, true)]
    [InlineData(nameof(VolumeKind.Fuse), false, false)]
    [InlineData(nameof(VolumeKind.Fuse), true, false)]
    public async Task File_that_is_no_rule_stops_no_repair_after_it_changed_events(string kind, bool isCutOff, bool hasNoIndex)
    {
        using var other = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        var store = other.Open();
        await store.AppendAsync([Placed("secret")]);
        await store.AppendAsync([Placed("c2")]);
        other.CloseStores();
        other.Put($"{other.Layout.Rules}/mine.json", "{ typo"u8);
        if (hasNoIndex)
            other.Delete(other.Layout.IndexFile);
        var before = other.Snapshot(other.Layout.Events);

        Action repair = isCutOff
            ? () => other.Repair(static store => new Truncation(store, 1).Run())
            : () => other.Repair(Remedies.Redact(other.Clock, [1], ["customer.id"]));

        if (kind == nameof(VolumeKind.Ext4) && !hasNoIndex)
        {
            repair();
            Assert.NotEqual(before.Values, other.Snapshot(other.Layout.Events).Values);
            other.Delete($"{other.Layout.Rules}/mine.json");
            other.AssertClean();
        }
        else
        {
            Assert.Contains("is not a tag rule", Assert.Throws<StoreOpenException>(repair).Message, StringComparison.Ordinal);
            Assert.Equal(before, other.Snapshot(other.Layout.Events));
            Assert.False(other.Exists(other.Layout.RedactionFile));
        }
    }

    [Fact]
    public async Task Longest_rule_is_read_back_from_its_file_and_a_longer_one_is_refused_at_once()
    {
        // Each character takes six in the file.
        static string Text(int length) => new('\u0001', length);
        var longest = new TagRule(Text(NameRules.EventTypeLengthMax), Text(NameRules.TagRuleMemberLengthMax), Text(Tag.MaxKeyLength));
        await place.Open().AddTagRuleAsync(longest);
        place.CloseStores();

        Assert.Equal([longest], await place.Open().GetTagRulesAsync());
        Assert.Equal("member", Assert.Throws<ArgumentException>(() =>
            new TagRule("t", Text(NameRules.TagRuleMemberLengthMax + 1), "k")).ParamName);
        Assert.Equal("member", Assert.Throws<ArgumentException>(() => new TagRule("t", "a\ud800", "k")).ParamName);
    }

    [Fact]
    public async Task Append_may_have_as_many_tags_as_without_rules_and_a_rule_that_gives_it_too_many_is_refused()
    {
        LongTests.SkipUnlessAsked();
        var (store, text) = (place.Open(), new string('x', 9_990));
        var values = string.Join(',', Enumerable.Range(0, 20).Select(number => $"\"{text}{number}\""));
        NewEvent Large(string type) => NewEvent.FromJson(type, $$"""{"v":[{{values}}]}""",
            [.. Enumerable.Range(0, 6_700).Select(number => new Tag("k", $"{text}{number:D4}"))]);
        await store.AppendAsync([Large("large")]);

        Assert.True(await store.AddTagRuleAsync(customer));
        await store.AppendAsync([Large("other")]);

        Assert.Equal([1, 2], await store.PositionsAsync(Tagged($"k:{text}0001")));
        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => store.AddTagRuleAsync(new TagRule("large", "v[]", "v")));
        Assert.False(refused.IsTransient);
        Assert.Equal("The tag rules were not changed. Could not index the append at position 1: tag rules give its events more tags than an "
            + $"append can have, most of them the rule {new TagRule("large", "v[]", "v")}. Choose another member.", refused.Message);
    }

    [Fact]
    public async Task Append_to_which_rules_give_too_many_tags_is_refused_alone_as_an_error_of_its_caller()
    {
        LongTests.SkipUnlessAsked();
        // The system's clock: the appends wait until the lock is free.
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        var (store, text) = (place.Open(), new string('x', 9_990));
        var values = string.Join(',', Enumerable.Range(0, 20).Select(number => $"\"{text}{number}\""));
        var rule = new TagRule("large", "v[]", "v");
        await store.AddTagRuleAsync(rule);
        Task<AppendResult> large, small;

        using (var other = place.OtherLock())
        using (other.Acquire(TimeSpan.FromMinutes(1)))
        {
            large = store.AppendAsync([NewEvent.FromJson("large", $$"""{"v":[{{values}}]}""",
                [.. Enumerable.Range(0, 6_700).Select(number => new Tag("k", $"{text}{number:D4}"))])]);
            small = store.AppendAsync([New("a")]);
        }

        Assert.Equal(1, (await small).FirstPosition);
        var refused = await Assert.ThrowsAsync<ArgumentException>(() => large);
        Assert.StartsWith("Nothing was appended. ", refused.Message, StringComparison.Ordinal);
        Assert.Contains($"{rule}", refused.Message, StringComparison.Ordinal);
        Assert.Equal(1, await store.GetHeadAsync());
    }

    [Fact]
    public async Task Members_beside_personal_ones_give_tags_after_the_person_was_forgotten()
    {
        var store = place.OpenCustomers(Customers.Key);
        await store.AppendAsync([new NewEvent(Customers.Registered())]);
        await store.AddTagRuleAsync(new TagRule("customer-registered", "address.city", "city"));

        await store.ForgetAsync(Customers.Ann, "a request");
        await store.AppendAsync([NewEvent.FromJson("other", "{}")]);

        Assert.Equal([1], await store.PositionsAsync(Tagged("city:Springfield")));
        await store.RemoveTagRuleAsync(new TagRule("customer-registered", "address.city", "city"));
        Assert.Equal([], await store.PositionsAsync(Tagged("city:Springfield")));
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Events_of_sealed_folders_have_the_tags_before_and_after_they_are_unsealed()
    {
        var store = place.Open();
        for (var at = 0; at < 18; at++)
            await store.AppendAsync([Placed($"c{at % 3}")]);
        place.Seal();

        await store.AddTagRuleAsync(customer);

        List<long> expected = [1, 4, 7, 10, 13, 16];
        Assert.Equal(expected, await store.PositionsAsync(Tagged("customer:c0")));
        place.CloseStores();
        place.AssertClean();
        place.Unseal();
        Assert.Equal(expected, await place.Open().PositionsAsync(Tagged("customer:c0")));
        await AssertSameAfterRebuildAsync(expected, "customer:c0");
    }

    [Fact]
    public async Task Events_that_are_only_lines_have_the_tags_and_keep_them_when_their_files_follow()
    {
        var store = place.Open(static options => options.UseJournal = true);
        for (var at = 0; at < 10; at++)
            await store.AppendAsync([Placed($"c{at % 3}")]);
        Assert.False(place.Exists(place.Layout.EventFile(10)));

        await store.AddTagRuleAsync(customer);
        await store.AppendAsync([Placed("c0")]);

        Assert.Equal([1, 4, 7, 10, 11], await store.PositionsAsync(Tagged("customer:c0")));
        Assert.False(place.Exists(place.Layout.EventFile(11)));
        place.AssertClean();
        while (!store.BringFilesUp())
        {
        }
        await AssertSameAfterRebuildAsync([1, 4, 7, 10, 11], "customer:c0");
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Subscription_by_the_tag_has_earlier_events_and_one_that_was_past_them_only_later_ones()
    {
        var clock = new HandDrivenClock();
        using var other = StorePlace.On(VolumeKind.Ext4, clock);
        var store = other.Open();
        await store.AppendAsync([Placed("c1"), Placed("c2")]);
        await using var early = store.SubscribeAsync(Tagged("customer:c1")).GetAsyncEnumerator();
        var next = early.MoveNextAsync();
        await store.WaitForReadersAsync(needsSubscription: true, TestContext.Current.CancellationToken);

        await Task.Run(() => store.AddTagRuleAsync(customer));
        await using var late = store.SubscribeAsync(Tagged("customer:c1")).GetAsyncEnumerator();
        Assert.True(await late.MoveNextAsync());
        Assert.Equal(1, late.Current.Position);
        await store.AppendAsync([Placed("c1")]);

        Assert.True(await next);
        Assert.Equal(3, early.Current.Position);
        Assert.True(await late.MoveNextAsync());
        Assert.Equal(3, late.Current.Position);
    }

    [Fact]
    public async Task Decision_by_the_tag_sees_all_events_and_is_refused_when_another_process_appends_one()
    {
        var (store, other) = (place.Open(), place.Open());
        await store.AppendAsync([Placed("c1"), Placed("c2")]);
        await store.AddTagRuleAsync(customer);
        var orders = Orders();

        var model = await store.BuildDecisionModelAsync(orders);
        await other.AppendAsync([Placed("c1")]);
        var refused = await Assert.ThrowsAsync<AppendConditionFailedException>(() =>
            store.AppendAsync([Placed("c1")], model.AppendCondition));

        Assert.Equal(1, model.State);
        Assert.Equal(3, refused.ConflictingPosition);
        Assert.Equal(2, (await store.BuildDecisionModelAsync(orders)).State);
        Assert.Equal(2, (await other.BuildDecisionModelAsync(orders)).State);
    }

    [Fact]
    public async Task Decision_that_read_before_the_rule_is_judged_by_it()
    {
        var store = place.Open();
        await store.AppendAsync([Placed("c1")]);
        var orders = Orders();
        var before = await store.BuildDecisionModelAsync(orders);

        await store.AddTagRuleAsync(customer);

        // It read nothing up to position 1, and says so: what came later is judged.
        Assert.Equal(0, before.State);
        await store.AppendAsync([Placed("c1")], before.AppendCondition);
        await Assert.ThrowsAsync<AppendConditionFailedException>(() =>
            store.AppendAsync([Placed("c1")], before.AppendCondition));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Process_without_the_rule_writes_frames_and_runs_by_the_file_that_it_writes_to(bool usesJournal)
    {
        place.Runs = new() { Length = 4, Fan = 2, LengthMax = 32, InBackground = false };
        var one = place.Open(options => options.UseJournal = usesJournal);
        var other = place.Open(options => options.UseJournal = usesJournal);
        for (var at = 0; at < 9; at++)
            await other.AppendAsync([Placed($"c{at % 3}")]);
        other.MakeRuns();

        for (var round = 0; round < 3; round++)
        {
            await one.AddTagRuleAsync(customer);
            await other.AppendAsync([Placed("c0")]);
            other.MakeRuns();
            Assert.Equal(4 + 2 * round, (await other.PositionsAsync(Tagged("customer:c0"))).Count);
            Assert.Equal(4 + 2 * round, (await one.PositionsAsync(Tagged("customer:c0"))).Count);
            await one.RemoveTagRuleAsync(customer);
            await other.AppendAsync([Placed("c0")]);
            other.MakeRuns();
            Assert.Equal([], await other.PositionsAsync(Tagged("customer:c0")));
        }
        place.CloseStores();
        place.AssertClean();
    }

    [Fact]
    public async Task Event_that_is_appended_again_after_a_rule_is_known()
    {
        var (store, e) = (place.Open(), Placed("c1"));
        var first = await store.AppendAsync([e], new AppendCondition(Tagged("customer:c1")));
        await store.AddTagRuleAsync(customer);

        var second = await store.AppendAsync([e], new AppendCondition(Tagged("customer:c1")));

        Assert.Equal(first.LastPosition, second.LastPosition);
        Assert.Equal([1], await store.PositionsAsync(Query.All));
    }

    private async Task AppendWithoutSchemaAsync()
    {
        await place.OpenCustomers(Customers.Key).AppendAsync([new NewEvent(Customers.Registered())]);
        place.CloseStores();
        place.Names(place.Layout.Schemas).ForEach(name => place.Delete($"{place.Layout.Schemas}/{name}"));
    }

    private void DeleteRuleOf(string member) => place.Delete($"{place.Layout.Rules}/{place.Names(place.Layout.Rules).First(name =>
        System.Text.Encoding.UTF8.GetString(place.Bytes($"{place.Layout.Rules}/{name}")).Contains(member, StringComparison.Ordinal))}");

    private async Task AssertSameAfterRebuildAsync(List<long> expected, string tag)
    {
        place.CloseStores();
        place.AssertClean();
        place.Repair(static store => store.RebuildIndex());
        place.AssertClean();
        Assert.Equal(expected, await place.Open().PositionsAsync(Tagged(tag)));
        place.CloseStores();
    }

    private static DecisionProjection<int> Orders() =>
        DecisionProjection.Create(0, new Tag("customer", "c1")).On("placed", static (count, _) => count + 1);

    [EventType("moved", Version = 2)]
    internal sealed record Moved([property: JsonPropertyName("customerId")] string CustomerId);

    private static NewEvent Placed(string customer, params string[] tags) =>
        NewEvent.FromJson("placed", $$"""{"customer":{"id":"{{customer}}"} }""", [.. tags.Select(Tag.Parse)]);

    [EventType("pet-bought")]
    private sealed record PetBought([property: Tag("customer")] string CustomerId, Pet Pet);

    [JsonDerivedType(typeof(Dog), "dog")]
    private abstract record Pet;

    private sealed record Dog([property: Personal("customer")] string? Owner, string Breed) : Pet;
}
