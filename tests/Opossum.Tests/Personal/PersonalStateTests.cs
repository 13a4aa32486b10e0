using System.Buffers;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Opossum.Serialization;
using Opossum.Testing.Simulated;
using Opossum.Tests.Subscriptions;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>Personal members of a projection's states.</summary>
public sealed class PersonalStateTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task States_hold_personal_members_encrypted_and_lose_them_with_the_person()
    {
        var store = place.OpenCustomers(Key);
        var runner = store.StartProjections([new CustomerCards()]);
        var cards = store.Projections.Get<CustomerCard>();
        await store.AppendAsync([new NewEvent(Registered()), new NewEvent(Registered("c2"))]);
        await runner.WaitForAsync(2, TestContext.Current.CancellationToken);
        Assert.Equal(new CustomerCard("Ann Archer", "ann@example.org", 1), await cards.GetAsync("c1"));

        await runner.WaitForAsync((await store.ForgetAsync(Ann, "asked for it")).Position!.Value, TestContext.Current.CancellationToken);

        AssertNowhere();
        Assert.Equal(new CustomerCard(null, "(forgotten)", 1), await cards.GetAsync("c1"));
        Assert.Equal(new CustomerCard("Ann Archer", "ann@example.org", 1), await cards.GetAsync("c2"));
        await store.AppendAsync([NewEvent.FromJson("customer-visited", "{}", Ann)]);
        await runner.WaitForAsync(4, TestContext.Current.CancellationToken);
        Assert.Equal(new CustomerCard(null, "(forgotten)", 2), await cards.GetAsync("c1"));
    }

    [Fact]
    public async Task A_handler_gets_a_state_without_the_values_of_a_person_who_was_forgotten()
    {
        var store = place.OpenCustomers(Key);
        var cards = new CustomerCards();
        var runner = store.StartProjections([cards]);
        await store.AppendAsync([new NewEvent(Registered())]);
        await runner.WaitForAsync(1, TestContext.Current.CancellationToken);

        await store.ForgetAsync(Ann, "asked for it");
        await store.AppendAsync([NewEvent.FromJson("customer-visited", "{}", Ann)]);
        await runner.WaitForAsync(3, TestContext.Current.CancellationToken);

        Assert.Equal([new CustomerCard(null, "(forgotten)", 1)], cards.Visited);
    }

    [Fact]
    public async Task A_leader_without_keys_in_memory_forgets_the_states_of_a_person_that_another_process_has_forgotten()
    {
        var clock = new HandDrivenClock();
        using var timed = StorePlace.On(VolumeKind.Ext4, clock);
        var (cards, runner) = await LeadAsync(timed, clock);
        // By then it has dropped its keys, and looks for nothing.
        for (var seconds = 0; seconds < 120; seconds++)
            clock.Advance(TimeSpan.FromSeconds(1));

        var other = timed.OpenCustomers(Key);
        await other.ForgetAsync(Ann, "asked for it");
        await WaitForAsync(runner, 2, clock);
        await other.AppendAsync([NewEvent.FromJson("customer-visited", "{}", Ann)]);
        await WaitForAsync(runner, 3, clock);

        Assert.Equal([new CustomerCard(null, "(forgotten)", 1)], cards.Visited);
    }

    [Fact]
    public async Task A_leader_forgets_the_states_of_a_person_within_a_minute_when_the_process_that_forgets_dies()
    {
        var clock = new HandDrivenClock();
        using var timed = StorePlace.On(VolumeKind.Ext4, clock);
        var (cards, runner) = await LeadAsync(timed, clock);
        var client = timed.Disk!.Attach();
        var dying = timed.Open(client, options =>
        {
            options.PersonalData.MasterKey = Key;
            // Its timers end with it.
            options.TimeProvider = new HandDrivenClock();
        });
        client.BeforeOperation = operation =>
        {
            if (operation.Changes && operation.Path.StartsWith(timed.Layout.Events, StringComparison.Ordinal))
                client.Kill();
        };
        await Assert.ThrowsAnyAsync<Exception>(() => dying.ForgetAsync(Ann, "asked for it"));

        for (var half = 0; half < 121; half++)
            clock.Advance(TimeSpan.FromSeconds(0.5));
        await timed.OpenCustomers(Key).AppendAsync([NewEvent.FromJson("customer-visited", "{}", Ann)]);
        await WaitForAsync(runner, 2, clock);

        Assert.Equal([new CustomerCard(null, "(forgotten)", 1)], cards.Visited);
    }

    [Fact]
    public async Task A_value_moved_to_another_state_is_no_value()
    {
        var store = place.OpenCustomers(Key);
        await using (var runner = store.StartProjections([new CustomerCards()]))
        {
            await store.AppendAsync([new NewEvent(Registered()), new NewEvent(Registered("c2"))]);
            await runner.WaitForAsync(2, TestContext.Current.CancellationToken);
        }
        await store.DisposeAsync();
        var (path, content) = place.Snapshot(place.Layout.Projections).First(static each => each.Key.EndsWith("c2.json", StringComparison.Ordinal));
        var other = place.Snapshot(place.Layout.Projections).First(static each => each.Key.EndsWith("c1.json", StringComparison.Ordinal)).Value;
        place.Put(path, WithValueOf(content!, other!));

        var reader = place.OpenCustomers(Key, options => options.ReadOnly = true).Projections.Get<JsonNode>("customer-cards");
        var moved = await Assert.ThrowsAsync<PersonalDataException>(() => reader.GetAsync("c2"));

        Assert.Contains("The state \"c2\" of the projection customer-cards", moved.Message, StringComparison.Ordinal);
        Assert.Equal("Ann Archer", (string)(await reader.GetAsync("c1"))!["name"]!);
    }

    [Fact]
    public async Task States_are_read_by_a_process_that_does_not_know_the_projection()
    {
        var store = place.OpenCustomers(Key);
        var runner = store.StartProjections([new CustomerCards()]);
        await store.AppendAsync([new NewEvent(Registered())]);
        await runner.WaitForAsync(1, TestContext.Current.CancellationToken);

        var state = await place.OpenCustomers(Key, options => options.ReadOnly = true).Projections.Get<JsonNode>("customer-cards").GetAsync("c1");

        Assert.Equal("Ann Archer", (string)state!["name"]!);
    }

    [Fact]
    public async Task A_page_of_stored_states_decrypts_nothing()
    {
        var store = place.OpenCustomers(Key);
        var runner = store.StartProjections([new CustomerCards()]);
        await store.AppendAsync([new NewEvent(Registered())]);
        await runner.WaitForAsync(1, TestContext.Current.CancellationToken);

        var state = Assert.Single((await store.Projections["customer-cards"].ReadStatePageAsync()).States);
        var json = Encoding.UTF8.GetString(state.State);
        Assert.DoesNotContain("Ann Archer", json, StringComparison.Ordinal);
        Assert.Contains("$sealed", json, StringComparison.Ordinal);
        Assert.Equal(json, Encoding.UTF8.GetString((await store.Projections["customer-cards"].GetStoredStateAsync("c1"))!.State));
    }

    [Fact]
    public async Task Without_a_master_key_states_with_personal_members_are_not_written()
    {
        await using (var with = place.OpenCustomers(Key))
            await with.AppendAsync([new NewEvent(Registered())]);
        var store = place.OpenCustomers(key: null);
        var runner = store.StartProjections([new CustomerCards()], new ProjectionOptions { MaxRetryAttempts = 0 });

        var faulted = await Assert.ThrowsAsync<ProjectionException>(() => runner.WaitForAsync(1, TestContext.Current.CancellationToken));

        Assert.Contains("without a master key", faulted.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_state_with_a_member_of_the_name_of_an_encrypted_value_is_read_as_it_was()
    {
        var store = place.Open();
        var runner = store.StartProjections([new Words()]);
        await store.AppendAsync([NewEvent.FromJson("word", """{"$sealed":"customer:c1 AAAA"}""")]);
        await runner.WaitForAsync(1, TestContext.Current.CancellationToken);

        Assert.Equal("""{"$sealed":"customer:c1 AAAA"}""", (await store.Projections.Get<Dictionary<string, string>>().GetAsync("all")) is { } words
            ? $$"""{"$sealed":"{{words["$sealed"]}}"}""" : "");
    }

    [Fact]
    public async Task A_personal_value_in_a_member_of_that_name_is_read_and_is_searched_for()
    {
        var store = place.OpenCustomers(Key, static options => options.EventTypes.AddPersonal("told", "by{}.name", "customer"));
        var runner = store.StartProjections([new Told()]);
        await store.AppendAsync([NewEvent.FromJson("told", """{"by":{"$sealed":{"name":"Eve Evans"}}}""", Ann)]);
        await runner.WaitForAsync(1, TestContext.Current.CancellationToken);

        await store.AppendAsync([NewEvent.FromJson("customer-visited", "{}", Ann), NewEvent.FromJson("note", """{"text":"Eve Evans"}""")]);
        await runner.WaitForAsync(2, TestContext.Current.CancellationToken);

        var state = (await store.Projections["told"].GetStoredStateAsync("c1"))!.State;
        Assert.DoesNotContain("Eve Evans", Encoding.UTF8.GetString(state), StringComparison.Ordinal);
        Assert.Equal("Eve Evans", (await store.Projections.Get<TellersOf>().GetAsync("c1"))!.By["$sealed"].Name);
        Assert.Contains((await store.FindInPlainAsync(Ann)).Hits, static hit => hit.Position == 3);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task States_of_a_person_whose_tag_is_a_pseudonym_lose_the_values_with_that_person(bool namesPerson)
    {
        var store = place.OpenCustomers(Key, static options => options.EventTypes.Add<PatientAdmitted>());
        var runner = store.StartProjections(namesPerson ? [new NamedPatients()] : [new Patients()]);
        var patients = store.Projections["patients"];
        await store.AppendAsync([new NewEvent(new PatientAdmitted("c1", "Ann Archer")), new NewEvent(new PatientAdmitted("c2", "Bo"))]);
        await runner.WaitForAsync(2, TestContext.Current.CancellationToken);
        Assert.Contains("Ann", $"{await store.Projections.Get<JsonNode>("patients").GetAsync("c1")}", StringComparison.Ordinal);
        var stored = Encoding.UTF8.GetString((await patients.GetStoredStateAsync("c1"))!.State);

        var forgotten = await store.ForgetAsync(Tag.Pseudonym("customer", "c1"), "asked for it");

        Assert.Contains(forgotten.Subject.ToString(), stored, StringComparison.Ordinal);
        Assert.DoesNotContain("Ann Archer", $"{await store.Projections.Get<JsonNode>("patients").GetAsync("c1")}", StringComparison.Ordinal);
        Assert.Contains("Bo", $"{await store.Projections.Get<JsonNode>("patients").GetAsync("c2")}", StringComparison.Ordinal);
        Assert.DoesNotContain(place.Snapshot(place.Layout.Keys).Keys, static path => path.Contains("%3ac1", StringComparison.Ordinal));
    }

    // With the state of Ann in memory.
    private static async Task<(CustomerCards Cards, IAsyncDisposable Runner)> LeadAsync(StorePlace timed, HandDrivenClock clock)
    {
        var store = timed.OpenCustomers(Key);
        var cards = new CustomerCards();
        var runner = store.StartProjections([cards]);
        await store.AppendAsync([new NewEvent(Registered())]);
        await WaitForAsync(runner, 1, clock);
        return (cards, runner);
    }

    private static async Task WaitForAsync(IAsyncDisposable runner, long position, HandDrivenClock clock)
    {
        var waiting = runner.WaitForAsync(position, TestContext.Current.CancellationToken);
        while (!waiting.IsCompleted)
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }
        await waiting;
    }

    // The name of another state's file, with a checksum that fits.
    private static byte[] WithValueOf(byte[] content, byte[] other)
    {
        static string NameIn(byte[] file) => Regex.Match(Encoding.UTF8.GetString(file), "\"\\$sealed\": ?\"[^\"]*\"").Value;
        var text = Encoding.UTF8.GetString(content).Replace(NameIn(content), NameIn(other), StringComparison.Ordinal);
        var buffer = new ArrayBufferWriter<byte>();
        buffer.Write(Encoding.UTF8.GetBytes(text[..text.LastIndexOf(',')]));
        ChecksumTrailer.Append(buffer, 0);
        return buffer.WrittenSpan.ToArray();
    }

    private void AssertNowhere()
    {
        foreach (var (path, bytes) in place.Snapshot())
        {
            foreach (var text in Secrets)
                Assert.False(bytes is not null && bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(text)) >= 0, $"{path} contains {text}");
        }
    }

    internal sealed record CustomerCard(
        [property: Personal("customer")] string? Name, [property: Personal("customer", Placeholder = "(forgotten)")] string Email, int Visits);

    private sealed class CustomerCards : Projection<CustomerCard>
    {
        public CustomerCards()
            : base("customer-cards")
        {
            On<CustomerRegistered>(e => e.CustomerId, (_, e) => new CustomerCard(e.Name, e.Email, 1));
            On("customer-visited", e => e.Tags[0].Value, (card, _) =>
            {
                Visited.Add(card!);
                return card! with { Visits = card.Visits + 1 };
            });
        }

        /// <summary>The states that the handler got.</summary>
        public List<CustomerCard> Visited { get; } = [];
    }

    [EventType("patient-admitted")]
    private sealed record PatientAdmitted(
        [property: Tag("customer", IsPseudonym = true)] string PatientId, [property: Personal("customer")] string? Name);

    private sealed record Patient([property: Personal("customer")] string? Name);

    private sealed record NamedPatient(
        string PatientId, [property: Personal("customer", SubjectProperty = nameof(NamedPatient.PatientId))] string? Name);

    private sealed class Patients : Projection<Patient>
    {
        public Patients()
            : base("patients") => On<PatientAdmitted>(static e => e.PatientId, static (_, e) => new Patient(e.Name));
    }

    private sealed class NamedPatients : Projection<NamedPatient>
    {
        public NamedPatients()
            : base("patients") => On<PatientAdmitted>(static e => e.PatientId, static (_, e) => new NamedPatient(e.PatientId, e.Name));
    }

    private sealed record Teller([property: Personal("customer")] string? Name);

    private sealed record TellersOf(Dictionary<string, Teller> By);

    private sealed class Told : Projection<TellersOf>
    {
        public Told()
            : base("told")
        {
            On("told", static e => e.Tags[0].Value, static (_, e) => new TellersOf(new()
            {
                ["$sealed"] = new Teller((string?)JsonNode.Parse(e.Json.Span)!["by"]!["$sealed"]!["name"]),
            }));
            On("customer-visited", static e => e.Tags[0].Value, static (tellers, _) => tellers);
        }
    }

    private sealed class Words : Projection<Dictionary<string, string>>
    {
        public Words()
            : base("words") => On("word", _ => "all", (_, e) => System.Text.Json.JsonSerializer.Deserialize<Dictionary<string, string>>(e.Json.Span));
    }
}
