using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    [Fact] // Writing Events: MUST fail if an event matches the condition. Append Condition: without a position no event at all may match.
    public async Task An_append_fails_when_an_event_matches_its_condition_and_then_nothing_is_appended()
    {
        await store.AppendAsync([New("a", "k:1"), New("b", "k:2"), New("b", "k:1")]);
        var condition = new AppendCondition(Query.FromItems(Item(["b"], "k:1"), Item([], "k:2")));

        var refusal = await RefusalAsync(store.AppendAsync([New("c"), New("d")], condition));

        Assert.Same(condition, refusal.Condition);
        Assert.Equal((2, 3), (refusal.ConflictingPosition, refusal.Head));
        Assert.False(refusal.IsTransient);
        Assert.Contains("position 2", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("(b with k:1) or (k:2)", refusal.Message, StringComparison.Ordinal);
        // The files of the first three may come later, from the journal.
        Assert.False(place.Exists(place.Layout.EventFile(4)));
        Assert.Equal([1, 2, 3], await store.PositionsAsync());
    }

    [Fact]
    public async Task The_message_of_a_failed_condition_stays_short_however_much_the_condition_asks_for()
    {
        await store.AppendAsync([New("a", "k:1")]);
        var text = new string('x', 900);
        var many =
            Enumerable.Range(0,
                50).Select(at =>
                    Item([.. Enumerable.Range(0, 50).Select(type => $"{text}{type}")],
                        [.. Enumerable.Range(0, 50).Select(tag => $"k:{text}{at}{tag}")]));
        var condition = new AppendCondition(Query.FromItems([Item([], "k:1"), .. many]));

        var refusal = await RefusalAsync(store.AppendAsync([New("b")], condition));

        Assert.Same(condition, refusal.Condition);
        Assert.InRange(refusal.Message.Length, 1, 2_000);
        Assert.Contains("matches (k:1) or (", refusal.Message, StringComparison.Ordinal);
        Assert.Contains(" or 49 more",
            new AppendConditionFailedException(new AppendCondition(Query.FromItems([Item([text]), .. many.Skip(1)])), 1, 1).Message,
            StringComparison.Ordinal);
    }
}
