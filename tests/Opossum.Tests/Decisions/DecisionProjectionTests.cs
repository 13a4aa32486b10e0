using Opossum.Testing;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Decisions;

/// <summary>What a decision projection is made of, and what follows from it.</summary>
public sealed class DecisionProjectionTests
{
    private static readonly Tag one = new("k", "1");
    private static readonly Tag two = new("k", "2");

    [Fact]
    public void The_query_follows_from_the_handlers_and_the_tags()
    {
        Assert.Equal("(noted or renamed)",
            DecisionProjection.Create(0).On<Noted>((count, _) => count + 1).On("renamed", (count, _) => count).Query.ToString());
        Assert.Equal("(noted with k:1 and k:2)", DecisionProjection.Create(0, one, two).On<Noted>((count, _, _) => count + 1).Query.ToString());
        Assert.Equal("(noted with k:1)", DecisionProjection.Create(0, one).On<Noted>((_, _) => 1).LastEventOnly().Query.ToString());
    }

    [Fact]
    public void Combined_projections_have_one_query_with_an_item_for_each_set_of_tags()
    {
        var combined = DecisionProjection.Combine(
            DecisionProjection.Combine([Count("a", one), Count("b", one, two), Count("a", one)]),
            DecisionProjection.Combine(Count("b", one), Count("c", two, one).LastEventOnly(), Count("d")),
            Count("a", two));

        Assert.Equal("(a or b with k:1) or (b or c with k:2 and k:1) or (d) or (a with k:2)", combined.Query.ToString());
    }

    [Fact]
    public void A_projection_does_not_change_when_another_is_made_of_it()
    {
        var a = Count("a", one);
        var withB = a.On("b", (count, _) => count);
        var withAnotherB = a.On("b", (count, _) => count);

        Assert.Equal("(a with k:1)", a.Query.ToString());
        Assert.All([withB, withAnotherB], each => Assert.Equal("(a or b with k:1)", each.Query.ToString()));
    }

    [Fact]
    public void A_projection_without_handlers_is_refused_where_it_is_used()
    {
        Assert.Contains("On<TEvent>", Assert.Throws<InvalidOperationException>(() => DecisionProjection.Create(0, one).Query).Message,
            StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => DecisionProjection.Combine(Count("a"), DecisionProjection.Create(0)).Query);
    }

    [Fact]
    public void An_event_type_has_one_handler()
    {
        var message = Assert.Throws<ArgumentException>(() => Count("noted").On<Noted>((count, _) => count)).Message;

        Assert.Contains("\"noted\"", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_CLR_type_without_the_attribute_cannot_be_asked_for()
    {
        foreach (var on in new Action[] { () => DecisionProjection.Create(0).On<Unnamed>((_, _) => 1),
            () => DecisionProjection.Create(0).On<Unnamed>((_, _, _) => 1) })
        {
            var message = Assert.Throws<ArgumentException>(on).Message;
            Assert.Contains("Unnamed", message, StringComparison.Ordinal);
            Assert.Contains("[EventType(", message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Names_and_tags_obey_the_rules_of_events()
    {
        Assert.Throws<ArgumentException>(() => Count(""));
        Assert.Throws<ArgumentException>(() => Count("a\uD800"));
        Assert.Throws<ArgumentException>(() => DecisionProjection.Create(0, default(Tag)));
    }

    [Fact]
    public void A_list_of_projections_has_at_least_one_and_no_null()
    {
        Assert.Throws<ArgumentException>(() => DecisionProjection.Combine(Array.Empty<DecisionProjection<int>>()));
        Assert.Throws<ArgumentException>(() => DecisionProjection.Combine([Count("a"), null!]));
    }

    [Fact]
    public async Task Combined_states_come_in_the_order_of_the_projections()
    {
        await using var store = InMemoryEventStore.Open();
        for (var kind = 1; kind <= 5; kind++)
            await store.AppendAsync(Many(kind, $"{kind}"));
        var (a, b, c, d, e) = (Count("1"), Count("2"), Count("3"), Count("4"), Count("5"));

        Assert.Equal((1, 2), await StateAsync(DecisionProjection.Combine(a, b)));
        Assert.Equal((3, 1, 2), await StateAsync(DecisionProjection.Combine(c, a, b)));
        Assert.Equal((4, 3, 2, 1), await StateAsync(DecisionProjection.Combine(d, c, b, a)));
        Assert.Equal((1, 3, 5, 2, 4), await StateAsync(DecisionProjection.Combine(a, c, e, b, d)));
        Assert.Equal([5, 1, 5, 2], await StateAsync(DecisionProjection.Combine([e, a, e, b])));
        Assert.Equal(((1, 2), 3), await StateAsync(DecisionProjection.Combine(DecisionProjection.Combine(a, b), c)));

        async Task<TState> StateAsync<TState>(DecisionProjection<TState> projection) => (await store.BuildDecisionModelAsync(projection)).State;
    }

    private static SingleDecisionProjection<int> Count(string eventType, params Tag[] tags) =>
        DecisionProjection.Create(0, tags).On(eventType, (count, _) => count + 1);

    [EventType("noted")]
    private sealed record Noted(string Text);

    private sealed record Unnamed(string Text);
}
