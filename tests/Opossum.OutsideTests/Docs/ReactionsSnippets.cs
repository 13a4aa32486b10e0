using Opossum.Testing;

namespace Opossum.DocTests;

public sealed class ReactionsSnippets : DocumentCode
{
    private static readonly EventTypeRegistry types = new EventTypeRegistry().Add<OrderPlaced>().Add<OrderPaid>().Add<OrderExpired>();

    [Fact]
    public async Task Time()
    {
        var placed = Scenario.Of(types).React((_, _) => new PaymentDeadlines()).When(new OrderPlaced("o1"));
        await placed.After(TimeSpan.FromDays(6)).ThenAsync();
        var outcome = await placed.After(TimeSpan.FromDays(2)).ThenAsync(new OrderExpired("o1"));
        Assert.Empty(outcome.Calls);

        var paid = Scenario.Of(types).React((_, _) => new PaymentDeadlines()).When(new OrderPlaced("o1")).When(new OrderPaid("o1"));
        await paid.After(TimeSpan.FromDays(8)).ThenAsync();
    }

    [Fact]
    public async Task Imported_events_of_an_earlier_time_are_not_handled()
    {
        var mails = new Mails();
        var options = new OpossumOptions();
        options.EventTypes.Add<StudentSubscribed>();
        await using var store = InMemoryEventStore.Open(options);
        await using var runner = store.StartReactions([new Welcomes(DateTimeOffset.MaxValue, mails)]);
        await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", "s1")));
        await store.WaitForAllAsync();
        Assert.Empty(mails.Sent);
    }

    public interface IMails
    {
        Task SendAsync(string student, CancellationToken cancellation);
    }

    public sealed class Mails : IMails
    {
        public List<string> Sent { get; } = [];

        public Task SendAsync(string student, CancellationToken cancellation)
        {
            Sent.Add(student);
            return Task.CompletedTask;
        }
    }

    public sealed class Welcomes : Reaction
    {
        public Welcomes(DateTimeOffset since, IMails mails)
            : base("welcomes")
        {
            StartFrom(ReactionStart.Time(since));
            On<StudentSubscribed>((subscribed, _, cancellation) => mails.SendAsync(subscribed.StudentId, cancellation));
        }
    }

    [EventType("invoice-order-placed")]
    private sealed record OrderPlaced([property: Tag("order")] string OrderId);

    [EventType("invoice-order-paid")]
    private sealed record OrderPaid([property: Tag("order")] string OrderId);

    [EventType("invoice-order-expired")]
    private sealed record OrderExpired([property: Tag("order")] string OrderId);

    private sealed class PaymentDeadlines : Reaction
    {
        public PaymentDeadlines()
            : base("payment-deadlines")
        {
            StartFrom(ReactionStart.Beginning);
            KeyBy("order");
            On<OrderPlaced>((placed, context, cancellationToken) => context.ScheduleAsync(
                context.Event.Timestamp + TimeSpan.FromDays(7),
                new NewEvent(new OrderExpired(placed.OrderId)),
                unless: Query.For<OrderPaid>(new Tag("order", placed.OrderId)),
                cancellationToken));
        }
    }
}
