using System.Collections.Immutable;
using System.Text;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Decisions;

/// <summary>What is read for a decision, and which condition guards it.</summary>
public sealed class DecisionModelTests() : DecisionTests(typeof(Noted))
{
    private static readonly Tag tag = new("k", "1");

    private static readonly SingleDecisionProjection<ImmutableList<string>> texts =
        DecisionProjection.Create(ImmutableList<string>.Empty, tag).On<Noted>((read, noted) => read.Add(noted.Text));

    [Fact]
    public async Task An_empty_store_gives_the_initial_state_and_a_condition_after_0()
    {
        foreach (var projection in new[] { texts, texts.LastEventOnly() })
        {
            var (state, condition) = await Store.BuildDecisionModelAsync(projection);
            Assert.Empty(state);
            Assert.Equal(0, condition.After);
        }
    }

    [Fact]
    public async Task The_events_of_the_handled_types_with_all_the_tags_make_the_state()
    {
        await AppendAsync(new Noted("a"), tag, new Tag("k", "2"));
        await AppendAsync(new Noted("other tag"), new Tag("k", "2"));
        await AppendAsync(new Noted("no tag"));
        await Store.AppendAsync(New("remarked", "k:1"));
        await AppendAsync(new Noted("b"), tag);

        Assert.Equal(["a", "b"], (await Store.BuildDecisionModelAsync(texts)).State);
        Assert.Equal(["a"], (await Store.BuildDecisionModelAsync(DecisionProjection.Combine(texts, Texts(tag, new Tag("k", "2"))))).State.Item2);
        Assert.Equal(["a", "other tag", "no tag", "b"], (await Store.BuildDecisionModelAsync(Texts())).State);
    }

    [Fact]
    public async Task The_condition_is_the_query_after_the_head_that_was_read()
    {
        await AppendAsync(new Noted("a"), tag);
        await Store.AppendAsync(Many(3, "remarked", "k:1"));

        foreach (var projection in new[] { texts, texts.LastEventOnly() })
        {
            var condition = (await Store.BuildDecisionModelAsync(projection)).AppendCondition;
            Assert.Equal((4, "(noted with k:1)"), (condition.After, condition.FailIfEventsMatch.ToString()));
        }
    }

    [Fact]
    public async Task An_event_that_no_handler_wants_does_not_stand_in_the_way()
    {
        var condition = (await Store.BuildDecisionModelAsync(texts)).AppendCondition;
        await Store.AppendAsync(New("remarked", "k:1"));
        await AppendAsync(new Noted("other tag"), new Tag("k", "2"));

        await Store.AppendAsync(new NewEvent(new Noted("a"), tag), condition);

        Assert.Equal(3, await Store.GetHeadAsync());
    }

    [Fact]
    public async Task A_handler_of_a_CLR_type_gets_events_that_were_appended_as_JSON()
    {
        await Store.AppendAsync(NewEvent.FromJson("noted", """{ "text": "raw" }""", tag));

        Assert.Equal(["raw"], (await Store.BuildDecisionModelAsync(texts)).State);
    }

    [Fact]
    public async Task A_handler_gets_what_is_around_the_data()
    {
        await GivenAsync(new Noted("a"));
        Clock.Advance(TimeSpan.FromHours(1));
        await AppendAsync(new Noted("b"), tag);

        var seen =
            DecisionProjection.Create("").On<Noted>((state, noted,
                e) => $"{state}{noted.Text} {e.Position} {e.Timestamp:HH:mm} {string.Join(',', e.Tags)};");

        Assert.Equal("a 1 00:00 ;b 2 01:00 k:1;", (await Store.BuildDecisionModelAsync(seen)).State);
    }

    [Fact]
    public async Task A_handler_by_name_needs_no_CLR_type()
    {
        await Store.AppendAsync([NewEvent.FromJson("measured", "20"), NewEvent.FromJson("measured", "22")]);

        var sum = DecisionProjection.Create(0).On("measured", (sum, e) => sum + int.Parse(Encoding.UTF8.GetString(e.Json.Span)));

        Assert.Equal(42, (await Store.BuildDecisionModelAsync(sum)).State);
    }

    [Fact]
    public async Task A_handler_whose_CLR_type_is_not_registered_is_refused_before_there_is_an_event()
    {
        var error =
            await Assert.ThrowsAsync<ArgumentException>(
                async () => await Store.BuildDecisionModelAsync(DecisionProjection.Create(0).On<Unregistered>((count, _) => count + 1)));

        Assert.Contains("options.EventTypes.Add<Unregistered>()", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_handler_whose_CLR_type_is_not_the_registered_one_is_refused_before_there_is_an_event()
    {
        var error =
            await Assert.ThrowsAsync<ArgumentException>(
                async () => await Store.BuildDecisionModelAsync(DecisionProjection.Create(0).On<OtherNoted>((count, _) => count + 1)));

        Assert.Contains(typeof(Noted).ToString(), error.Message, StringComparison.Ordinal);
        Assert.Contains(typeof(OtherNoted).ToString(), error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_handler_of_a_CLR_type_is_never_given_a_null()
    {
        await Store.AppendAsync(NewEvent.FromJson("noted", "null", tag));

        var error = await Assert.ThrowsAsync<EventDataException>(async () => await Store.BuildDecisionModelAsync(texts));

        Assert.Contains("its data is JSON null", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_the_last_event_only_one_event_is_handled_however_many_there_are()
    {
        for (var number = 1; number <= 100; number++)
            await AppendAsync(new Noted($"{number}"), tag);
        await AppendAsync(new Noted("other tag"));

        Assert.Equal(["100"], (await Store.BuildDecisionModelAsync(texts.LastEventOnly())).State);
        Assert.Equal(["100"], (await Store.BuildDecisionModelAsync(texts.LastEventOnly().On("remarked", (read, _) => read))).State);
    }

    [Fact]
    public async Task The_last_event_is_the_last_of_all_that_the_handlers_want()
    {
        var open =
            DecisionProjection.Create("never", tag).On("opened", (was, _) => $"{was}, opened").On("closed",
                (was, _) => $"{was}, closed").LastEventOnly();

        await Store.AppendAsync([New("opened", "k:1"), New("closed", "k:1"), New("opened")]);
        Assert.Equal("never, closed", (await Store.BuildDecisionModelAsync(open)).State);

        await Store.AppendAsync(New("opened", "k:1"));
        Assert.Equal("never, opened", (await Store.BuildDecisionModelAsync(open)).State);
    }

    [Fact]
    public async Task The_last_event_only_does_not_see_what_others_read()
    {
        foreach (var text in new[] { "a", "b", "c" })
            await AppendAsync(new Noted(text), tag);

        var (all, last, lastOfNone) =
            (await Store.BuildDecisionModelAsync(DecisionProjection.Combine(texts, texts.LastEventOnly(),
                Texts(new Tag("k", "2")).LastEventOnly()))).State;

        Assert.Equal(["a", "b", "c"], all);
        Assert.Equal(["c"], last);
        Assert.Empty(lastOfNone);
    }

    [Fact]
    public async Task All_states_are_of_the_moment_of_the_condition()
    {
        await GivenAsync(new Noted("first"));
        var interrupted = false;

        // Each projection is folded when it is read: what is appended meanwhile belongs to no state, and the condition counts it.
        var all = DecisionProjection.Create(0).On<Noted>((count, _) => Interrupt(count));
        var last = DecisionProjection.Create("").On<Noted>((_, noted) => noted.Text).LastEventOnly();
        var lastByName = DecisionProjection.Create("").On("noted", (_, e) => ((Noted)e.Data!).Text).LastEventOnly();
        var ((count, text, sameText), condition) = await Store.BuildDecisionModelAsync(DecisionProjection.Combine(all, last, lastByName));

        Assert.Equal((1, "first", "first", 1), (count, text, sameText, condition.After));
        var conflict =
            await Assert.ThrowsAsync<AppendConditionFailedException>(async () => await Store.AppendAsync(new NewEvent(new Noted("mine")), condition));
        Assert.Equal(2, conflict.ConflictingPosition);

        int Interrupt(int count)
        {
            if (!interrupted)
                Other.AppendAsync(new NewEvent(new Noted("meanwhile"))).GetAwaiter().GetResult();
            interrupted = true;
            return count + 1;
        }
    }

    [Fact]
    public async Task Several_last_events_are_of_one_moment_too()
    {
        await GivenAsync(new Noted("first"));

        var first = DecisionProjection.Create("").On<Noted>((_, noted) =>
        {
            Other.AppendAsync(new NewEvent(new Noted("meanwhile"))).GetAwaiter().GetResult();
            return noted.Text;
        }).LastEventOnly();
        var second = DecisionProjection.Create("").On<Noted>((_, noted) => noted.Text).LastEventOnly();
        var (states, condition) = await Store.BuildDecisionModelAsync(DecisionProjection.Combine(first, second));

        Assert.Equal((("first", "first"), 1), (states, condition.After));
    }

    [Fact]
    public async Task A_cancelled_read_ends()
    {
        await GivenAsync(new Noted("a"));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await Store.BuildDecisionModelAsync(texts,
            new CancellationToken(canceled: true)));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await Store.BuildDecisionModelAsync(texts.LastEventOnly(),
            new CancellationToken(canceled: true)));
    }

    private static SingleDecisionProjection<ImmutableList<string>> Texts(params Tag[] tags) =>
        DecisionProjection.Create(ImmutableList<string>.Empty, tags).On<Noted>((read, noted) => read.Add(noted.Text));

    private async Task AppendAsync(object data, params Tag[] tags) => await Store.AppendAsync(new NewEvent(data, tags));

    [EventType("noted")]
    private sealed record Noted(string Text);

    [EventType("noted")]
    private sealed record OtherNoted(string Text);

    [EventType("unregistered")]
    private sealed record Unregistered;
}
