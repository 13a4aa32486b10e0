using Opossum.Testing;

namespace Opossum.Tests.Reactions;

/// <summary>Ids need not be unique: what is derived from an event's id tells two events of one id apart.</summary>
public sealed class RepeatedIdTests
{
    [EventType("guest-joined")]
    private sealed record GuestJoined(string Guest);

    [EventType("guest-welcomed")]
    private sealed record GuestWelcomed(string Guest);

    [EventType("guest-reminded")]
    private sealed record GuestReminded(string Guest);

    private sealed class Welcoming : Reaction
    {
        public Welcoming(ReactionCalls calls)
            : base("welcoming")
        {
            StartFrom(ReactionStart.Head);
            On<GuestJoined>(async (e, context, cancellationToken) =>
            {
                calls.Record($"mail to {e.Guest}", context.IdempotencyKey);
                await context.AppendAsync(new NewEvent(new GuestWelcomed(e.Guest)), cancellationToken: cancellationToken);
                await context.ScheduleAsync(context.Event.Timestamp, new NewEvent(new GuestReminded(e.Guest)), cancellationToken: cancellationToken);
            });
        }
    }

    [Fact]
    public async Task Each_of_two_events_with_one_id_has_its_own_effects()
    {
        LongTests.SkipUnlessAsked();
        var id = Guid.CreateVersion7();
        var types = new EventTypeRegistry().Add<GuestJoined>().Add<GuestWelcomed>().Add<GuestReminded>();
        var scenario = Scenario.Of(types).React((_, calls) => new Welcoming(calls))
            .When(new NewEvent(new GuestJoined("ada")) { Id = id })
            .When(new NewEvent(new GuestJoined("ben")) { Id = id });

        var outcome = await scenario.ThenCallsAsync("mail to ada", "mail to ben");

        Assert.Equal(2, outcome.Calls.Select(call => call.IdempotencyKey).Distinct().Count());
        Assert.Equal([new GuestReminded("ada"), new GuestReminded("ben"), new GuestWelcomed("ada"), new GuestWelcomed("ben")],
            outcome.Appended.Select(e => e.Data).OrderBy(data => data!.ToString(), StringComparer.Ordinal));
        await scenario.ThenCrashesAsync();
    }
}
