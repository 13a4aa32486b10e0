using System.Collections.Concurrent;
using Opossum.Testing;

namespace Opossum.Tests.Following;

/// <summary>An app is updated one process after the other: what the new version appends is no fault of an event, and waits for it.</summary>
public sealed class NewerVersionTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolder();

    public void Dispose() => place.Dispose();

    [Fact(Timeout = 60_000)]
    public async Task An_event_of_a_newer_version_is_not_parked_and_is_handled_by_a_process_of_that()
    {
        using (var former = OpenFormer())
        {
            var reaction = new Notes<Former.Noted>(static each => each.Text);
            await using var runner = former.StartReactions([reaction], quickReactions);
            await former.AppendAsync([Noted(1, """{"text":"a"}"""), Noted(2, """{"text":"b","author":"Ann"}"""), Noted(1, """{"text":"c"}""")]);
            var status = await former.Reactions["notes"].GetStatusAsync(Cancellation);
            while (status is not { Problem: not null, Position: 3, Open: 1 })
                status = await former.Reactions["notes"].GetStatusAsync(Cancellation);

            Assert.Contains("newer version of the app", status.Problem!.Error, StringComparison.Ordinal);
            Assert.Empty(status.Parked);
            Assert.Equal(["a", "c"], reaction.Handled.Order());
        }

        using var current = OpenCurrent();
        var later = new Notes<Current.Noted>(static each => $"{each.Text} {each.Author}");
        await using var run = current.StartReactions([later], quickReactions);
        await run.WaitForAsync(3, Cancellation);
        Assert.Equal(["b Ann"], later.Handled);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_reaction_whose_key_is_in_the_data_waits_at_it_and_keeps_the_order_of_a_key()
    {
        using (var former = OpenFormer())
        {
            var reaction = new Notes<Former.Noted>(static each => each.Text, static e => ((Former.Noted)e.Data!).Text[..1]);
            await using var runner = former.StartReactions([reaction], quickReactions);
            await former.AppendAsync([Noted(1, """{"text":"a1"}"""), Noted(2, """{"text":"a2","author":"Ann"}"""), Noted(1, """{"text":"a3"}""")]);
            while (await former.Reactions["notes"].GetStatusAsync(Cancellation) is not { Problem: not null, Position: 1, Open: 0 })
                await Task.Delay(1, Cancellation);
            Assert.Equal(["a1"], reaction.Handled);
        }

        using var current = OpenCurrent();
        var later = new Notes<Current.Noted>(static each => each.Text, static e => ((Current.Noted)e.Data!).Text[..1]);
        await using var run = current.StartReactions([later], quickReactions);
        await run.WaitForAsync(3, Cancellation);
        Assert.Equal(["a2", "a3"], later.Handled);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_scenario_with_an_event_of_a_newer_version_fails_with_that()
    {
        var types = new EventTypeRegistry();
        types.Add<Former.Noted>();

        var error = await Assert.ThrowsAsync<TestFailedException>(() => Scenario.Of(types)
            .React((_, _) => new Notes<Former.Noted>(static each => each.Text))
            .When(Noted(2, """{"text":"b","author":"Ann"}""")).ThenAsync());

        Assert.Contains("newer version of the app", error.Message, StringComparison.Ordinal);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_projection_of_the_former_version_does_not_stop_at_it_and_a_process_of_the_new_one_takes_over()
    {
        using var former = OpenFormer();
        await using var runner = former.StartProjections([new Texts<Former.Noted>(static each => each.Text)], quickProjections);
        var last = await former.AppendAsync([Noted(1, """{"text":"a"}"""), Noted(2, """{"text":"b","author":"Ann"}""")]);
        var texts = former.Projections.Get<string>();
        var status = await texts.GetStatusAsync(Cancellation);
        while (status is not { Problem: not null })
            status = await texts.GetStatusAsync(Cancellation);
        Assert.Null(status.Fault);

        using var current = OpenCurrent();
        await using var run = current.StartProjections([new Texts<Current.Noted>(static each => each.Text)], quickProjections);
        await current.Projections.Get<string>().WaitForAsync(last.LastPosition, Cancellation);

        Assert.Equal("ab", await texts.GetAsync("all", Cancellation));
    }

    private static readonly ReactionOptions quickReactions = new()
    {
        RetryDelay = TimeSpan.Zero,
        MaxRetryAttempts = 1,
        TakeOverInterval = TimeSpan.FromMilliseconds(10),
        PollInterval = TimeSpan.FromMilliseconds(1),
    };

    private static readonly ProjectionOptions quickProjections = new()
    {
        RetryDelay = TimeSpan.Zero,
        TakeOverInterval = TimeSpan.FromMilliseconds(10),
        PollInterval = TimeSpan.FromMilliseconds(1),
    };

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static NewEvent Noted(int version, string json) => NewEvent.FromJson("noted", json, version);

    private FileSystemEventStore OpenFormer() => place.Open(static options => options.EventTypes.Add<Former.Noted>());

    private FileSystemEventStore OpenCurrent() =>
        place.Open(static options => options.EventTypes.Add<Current.Noted>().AddUpcaster("noted", 1, static json =>
        {
            json["author"] = "unknown";
            return json;
        }));

    private static class Former
    {
        [EventType("noted")]
        internal sealed record Noted(string Text);
    }

    private static class Current
    {
        [EventType("noted", Version = 2)]
        internal sealed record Noted(string Text, string Author);
    }

    private sealed class Notes<TEvent> : Reaction
        where TEvent : notnull
    {
        public Notes(Func<TEvent, string> textOf, Func<SequencedEvent, string>? keyOf = null)
            : base("notes")
        {
            StartFrom(ReactionStart.Beginning);
            KeyBy(keyOf ?? (static e => $"{e.Position}"));
            On<TEvent>((each, _, _) =>
            {
                Handled.Enqueue(textOf(each));
                return Task.CompletedTask;
            });
        }

        public ConcurrentQueue<string> Handled { get; } = new();
    }

    private sealed class Texts<TEvent> : Projection<string>
        where TEvent : notnull
    {
        public Texts(Func<TEvent, string> textOf)
            : base("texts")
        {
            On<TEvent>(static _ => "all", (text, each) => text + textOf(each));
        }
    }
}
