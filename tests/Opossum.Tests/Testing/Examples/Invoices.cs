using Opossum.Testing;
using static Opossum.TestingTests.Examples.Cases;

namespace Opossum.TestingTests.Examples;

/// <summary>https://dcb.events/examples/invoice-number: the numbers of invoices follow each other without a gap.</summary>
internal static class Invoices
{
    public static IEnumerable<RaceCase> Right =>
    [
        .. InEveryRightWay("the first two invoices", Empty, Create("c1"), Create("c2")),
        .. InEveryRightWay("three invoices after others", AfterTwo, Create("c1"), Create("c2"), Create("c3")),
    ];

    public static IEnumerable<RaceCase> Mistakes =>
    [
        Of("the tag invoice is left off the event, and read", Empty,
            EachCustomer(customer => new Decider<int>(
                DecisionProjection.Create(1, new Tag("invoice", "1")).On<InvoiceCreated>((_, e) => e.Number + 1).LastEventOnly(),
                next => [Without("invoice", new InvoiceCreated(next, customer))]).ExecuteAsync)),
        Of("the query has a tag too much", Empty, EachCustomer(customer => new Decider<int>(
            DecisionProjection.Create(1, new Tag("customer", customer)).On<InvoiceCreated>((_, e) => e.Number + 1).LastEventOnly(),
            next => [new NewEvent(new InvoiceCreated(next, customer))]).ExecuteAsync)),
        Of("the type invoice-numbering-restarted is missing", AfterTwo,
            new Decider<int>(NextNumberButForRestarts, next => [new NewEvent(new InvoiceCreated(next, "c1"))]).ExecuteAsync,
            store => store.AppendAsync(new NewEvent(new NumberingRestarted(1000)))),
        Of("After is read later", AfterTwo, EachCustomer(customer => Create(customer).HeadReadLaterAsync)),
        Of("the old number is appended again after a conflict", AfterTwo, EachCustomer(customer => Create(customer).OldDecisionAgainAsync)),
        Of("the invoice is printed by the decision", Empty, [Create("c1").MailInTheDecisionAsync, Create("c2").MailInTheDecisionAsync]),
        new("a handler counts outside", () =>
        {
            var count = 0;
            return AfterTwo(Race.Explore(EachCustomer(customer => new Decider<int>(
                DecisionProjection.Create(1).On<InvoiceCreated>((_, _) => ++count),
                next => [new NewEvent(new InvoiceCreated(next, customer))]).ExecuteAsync)).With(EventTypes.All));
        }),
    ];

    private static DecisionProjection<int> NextNumber { get; } = DecisionProjection.Create(1)
        .On<InvoiceCreated>((_, e) => e.Number + 1)
        .On<NumberingRestarted>((_, e) => e.Number)
        .LastEventOnly();

    private static DecisionProjection<int> NextNumberButForRestarts { get; } =
        DecisionProjection.Create(1).On<InvoiceCreated>((_, e) => e.Number + 1).LastEventOnly();

    private static RaceTest Empty(RaceTest race) => Rules(race);

    private static RaceTest AfterTwo(RaceTest race) => Rules(race.Given(new InvoiceCreated(1, "c8"), new InvoiceCreated(2, "c9")));

    private static RaceTest Rules(RaceTest race) => race.Always("the numbers have no gap", events =>
    {
        var next = 1;
        foreach (var data in events.Select(e => e.Data))
        {
            if (data is NumberingRestarted restarted)
                next = restarted.Number;
            if (data is InvoiceCreated created && created.Number != next++)
                return false;
        }
        return true;
    });

    private static Func<IEventStore, Task>[] EachCustomer(Func<string, Func<IEventStore, Task>> run) => [run("c1"), run("c2")];

    private static Decider<int> Create(string customer) => new(NextNumber, next => [new NewEvent(new InvoiceCreated(next, customer))]);
}
