using Opossum.Testing;
using static Opossum.TestingTests.Examples.Cases;

namespace Opossum.TestingTests.Examples;

/// <summary>
/// https://dcb.events/examples/dynamic-product-price: an order pays a price that is valid: the current one, or the one before during ten minutes.
/// A product that was withdrawn is not sold.
/// </summary>
internal static class Prices
{
    private static readonly TimeSpan grace = TimeSpan.FromMinutes(10);

    public static IEnumerable<RaceCase> Right =>
    [
        .. InEveryRightWay("an order and a withdrawal", TwoProducts, Order("p1"), Withdraw("p1")),
        .. InEveryRightWay("an order of two products and two changes", TwoProducts, Order("p1", "p2"), Change("p1", 12), Change("p1", 14)),
    ];

    public static IEnumerable<RaceCase> Mistakes =>
    [
        Of("the tag product is left off the event", TwoProducts, Order("p1").ExecuteAsync,
            store => store.AppendAsync(Without("product", new ProductWithdrawn("p1"))), Order("p1").ExecuteAsync),
        Of("the condition lacks the second product", TwoProducts,
            store => Order("p1", "p2").WithConditionAsync(store, Query.FromTags(new Tag("product", "p1"))), Withdraw("p2").ExecuteAsync),
        Of("the type product-withdrawn is missing", TwoProducts, new Decider<decimal>(
            DecisionProjection.Create(0m, new Tag("product", "p1"))
                .On<ProductDefined>((_, e) => e.Price)
                .On<PriceChanged>((_, e) => e.Price),
            price => [new NewEvent(new ProductsOrdered(["p1"], price))]).ExecuteAsync, Withdraw("p1").ExecuteAsync),
        Of("After is read later", TwoProducts, Order("p1").HeadReadLaterAsync, Withdraw("p1").ExecuteAsync),
        Of("the old order is appended again after a conflict", TwoProducts, Order("p1").OldDecisionAgainAsync, Withdraw("p1").ExecuteAsync),
        Of("the card is charged by the decision", TwoProducts, [Order("p1").MailInTheDecisionAsync, Withdraw("p1").MailAfterwardsAsync]),
    ];

    private static RaceTest TwoProducts(RaceTest race) => race
        .Given(new ProductDefined("p1", 10), new ProductDefined("p2", 5))
        .After(TimeSpan.FromHours(1))
        .Always("nothing is sold after it is withdrawn", events =>
        {
            var withdrawn = new HashSet<string>();
            foreach (var e in events)
            {
                if (e.Type == "product-withdrawn")
                    withdrawn.Add(System.Text.Json.JsonDocument.Parse(e.Json).RootElement.GetProperty("product").GetString()!);
                if (e.Data is ProductsOrdered ordered && ordered.Products.Any(withdrawn.Contains))
                    return false;
            }
            return true;
        })
        .Always("an order pays a price that is valid",
            events => events.Of<ProductsOrdered>().All(ordered => ordered.Total is 10 or 15 or 12 or 14 or 17 or 19));

    private static Decider<IReadOnlyList<decimal[]>> Order(params string[] products) =>
        On(products, prices => [new NewEvent(new ProductsOrdered(products, prices.Sum(each => each[^1])))]);

    private static Decider<IReadOnlyList<decimal[]>> Withdraw(string product) => On([product], _ => [new NewEvent(new ProductWithdrawn(product))]);

    private static Decider<IReadOnlyList<decimal[]>> Change(string product, decimal price) =>
        On([product], prices => prices[0][^1] == price ? [] : [new NewEvent(new PriceChanged(product, price))]);

    // Only products that are still sold are ordered, changed or withdrawn.
    private static Decider<IReadOnlyList<decimal[]>> On(string[] products, Func<IReadOnlyList<decimal[]>, IReadOnlyList<NewEvent>> decide) => new(
        DecisionProjection.Combine(products.Select(product => ValidPrices(product, new TestClock().GetUtcNow().AddHours(1)))),
        prices => prices.All(each => each.Length > 0) ? decide(prices) : []);

    private static DecisionProjection<decimal[]> ValidPrices(string product, DateTimeOffset now) =>
        DecisionProjection.Create<decimal[]>([], new Tag("product", product))
            .On<ProductDefined>((_, e) => [e.Price])
            .On<PriceChanged>((prices, changed, e) => now - e.Timestamp <= grace ? [.. prices, changed.Price] : [changed.Price])
            .On<ProductWithdrawn>((_, _) => []);
}
