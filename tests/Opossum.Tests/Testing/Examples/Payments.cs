using Opossum.Testing;
using static Opossum.TestingTests.Examples.Cases;

namespace Opossum.TestingTests.Examples;

/// <summary>https://dcb.events/examples/prevent-record-duplication: a request that arrives twice is processed once.</summary>
internal static class Payments
{
    public static IEnumerable<RaceCase> Right =>
    [
        .. InEveryRightWay("one request, twice", Empty, Pay("t1"), Pay("t1")),
        .. InEveryRightWay("two requests, one of them twice", BothPaid, Pay("t1"), Pay("t2"), Pay("t1")),
    ];

    public static IEnumerable<RaceCase> Mistakes =>
    [
        Of("the tag idempotency is left off the event", Empty, Twice(Pay("t1", e => Without("idempotency", e)).ExecuteAsync)),
        Of("the condition asks for the payment", Empty, Twice(store =>
            Pay("t1").WithConditionAsync(store, Query.FromTags(new Tag("payment", Guid.NewGuid().ToString()))))),
        Of("the condition asks for a type that nobody appends", Empty, Twice(store =>
            Pay("t1").WithConditionAsync(store, Query.For<PaymentRefunded>(new Tag("idempotency", "t1"))))),
        Of("After is that of a second read", Empty, Twice(Pay("t1").ConditionOfASecondReadAsync)),
        Of("the bank is called before the append", Empty, [Pay("t1").MailBeforeTheAppendAsync, Pay("t1").MailBeforeTheAppendAsync]),
        new("a cache outside remembers what was paid", () =>
        {
            var paid = new HashSet<string>();
            return Empty(Race.Explore(Twice(async store =>
            {
                if (!paid.Add("t1"))
                    return;
                await Pay("t1").WithoutConditionAsync(store);
            })).With(EventTypes.All));
        }),
    ];

    private static RaceTest Empty(RaceTest race) => Rules(race);

    private static RaceTest BothPaid(RaceTest race) => Rules(race).Then("the tokens that were paid are those of requests", events =>
        events.Of<PaymentReceived>().All(e => e.Token is "t1" or "t2"));

    private static RaceTest Rules(RaceTest race) => race.Always("a request is paid once", events =>
        events.Count(e => e.Type == "payment-received") == events.Of<PaymentReceived>().DistinctBy(e => e.Token).Count());

    private static Func<IEventStore, Task>[] Twice(Func<IEventStore, Task> run) => [run, run];

    private static Decider<bool> Pay(string token, Func<object, NewEvent>? toEvent = null) => new(
        DecisionProjection.Create(false, new Tag("idempotency", token)).On<PaymentReceived>((_, _) => true),
        isPaid => isPaid ? [] : [(toEvent ?? (e => new NewEvent(e)))(new PaymentReceived(Guid.NewGuid().ToString(), token))]);
}
