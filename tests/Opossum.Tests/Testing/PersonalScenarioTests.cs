using Opossum.Testing;
using Opossum.Tests;

namespace Opossum.TestingTests;

/// <summary>Expected events with personal data and pseudonyms are given as the app has them.</summary>
public sealed class PersonalScenarioTests
{
    private static readonly EventTypeRegistry types = new EventTypeRegistry().Add<AddressTaken>();

    [EventType("address-taken")]
    private sealed record AddressTaken(
        [property: Tag("owner")] string Owner,
        [property: Personal("owner", Placeholder = "(forgotten)")][property: Tag("email", IsPseudonym = true)] string Email);

    private static Scenario Given => Scenario.Of(types).Given(new AddressTaken("o1", "ann@example.org"));

    [Fact]
    public async Task A_decision_appends_an_expected_event_with_a_pseudonym()
    {
        var scenario = Given.When(Taken("ann@example.org"), static isTaken => [Take(isTaken ? "bob@example.org" : "none")]);

        await scenario.ThenAsync(new AddressTaken("o2", "bob@example.org"));
        await scenario.ThenAsync(new NewEvent(new AddressTaken("o2", "bob@example.org"), Tag.Pseudonym("email", "bob@example.org")));
        await scenario.ThenAsync("the address is taken", static events => events is [{ Data: AddressTaken { Email: "bob@example.org" } }]);
        foreach (var other in (NewEvent[])[new(new AddressTaken("o2", "ben@example.org")),
            new(new AddressTaken("o2", "bob@example.org"), Tag.Pseudonym("email", "more@example.org")),
            NewEvent.FromJson("address-taken", """{"owner":"o2","email":"bob@example.org"}""", new Tag("owner", "o2"), new Tag("email", "x"))])
        {
            Assert.Contains("appended other events than expected",
                (await Assert.ThrowsAsync<TestFailedException>(() => scenario.ThenAsync(other))).Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_decision_that_appends_nothing_differs_from_an_expected_event_with_a_pseudonym() =>
        Assert.Contains("email:(pseudonym)", (await Assert.ThrowsAsync<TestFailedException>(() => Scenario.Of(types)
            .When(Taken("ann@example.org"), static _ => []).ThenAsync(new AddressTaken("o2", "bob@example.org")))).Message, StringComparison.Ordinal);

    [Fact]
    public async Task A_reaction_appends_an_expected_event_with_a_pseudonym_also_after_crashes()
    {
        LongTests.SkipUnlessAsked();
        var scenario = Scenario.Of(types).React(static (_, _) => new Taking()).When(new AddressTaken("o1", "ann@example.org"));

        await scenario.ThenAsync(new AddressTaken("o2", "bob@example.org"));
        await Assert.ThrowsAsync<TestFailedException>(() => scenario.ThenAsync(new AddressTaken("o2", "ben@example.org")));
        Assert.NotEqual(0, (await scenario.ThenCrashesAsync()).Crashes);
    }

    private static DecisionProjection<bool> Taken(string address) =>
        DecisionProjection.Create(false, Tag.Pseudonym("email", address)).On<AddressTaken>(static (_, _) => true);

    private static NewEvent Take(string address) => new(new AddressTaken("o2", address));

    private sealed class Taking : Reaction
    {
        public Taking()
            : base("taking")
        {
            StartFrom(ReactionStart.Head);
            On<AddressTaken>(static (e, context, cancellationToken) => e.Owner == "o1"
                ? context.AppendAsync(Take("bob@example.org"), cancellationToken: cancellationToken)
                : Task.CompletedTask);
        }
    }
}
