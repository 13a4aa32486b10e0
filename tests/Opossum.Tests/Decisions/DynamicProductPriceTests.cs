namespace Opossum.Tests.Decisions;

/// <summary>
/// https://dcb.events/examples/dynamic-product-price: what was displayed is what is paid, for a while after a change, and for whole carts.
/// </summary>
public sealed class DynamicProductPriceTests() : DecisionTests(typeof(ProductDefined), typeof(ProductPriceChanged), typeof(ProductsOrdered))
{
    private static readonly TimeSpan tenMinutes = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan noGrace = TimeSpan.FromTicks(-1);

    [Fact]
    public async Task A_product_is_ordered_at_its_price()
    {
        await GivenAsync(new ProductDefined("p1", 123));

        Assert.False(await OrderAsync(Store, noGrace, new Item("p1", 100)));
        Assert.False(await OrderAsync(Store, noGrace, new Item("p2", 123)));
        Assert.True(await OrderAsync(Store, noGrace, new Item("p1", 123)));
    }

    [Fact]
    public async Task After_a_change_the_price_before_it_is_valid_for_ten_minutes()
    {
        await GivenAsync(new ProductDefined("p1", 123));
        Clock.Advance(TimeSpan.FromDays(1));
        await GivenAsync(new ProductPriceChanged("p1", 134));

        Clock.Advance(tenMinutes);
        Assert.True(await OrderAsync(Store, tenMinutes, new Item("p1", 123)));
        Assert.True(await OrderAsync(Store, tenMinutes, new Item("p1", 134)));
        Assert.False(await OrderAsync(Store, tenMinutes, new Item("p1", 100)));

        Clock.Advance(TimeSpan.FromTicks(1));
        Assert.False(await OrderAsync(Store, tenMinutes, new Item("p1", 123)));
        Assert.True(await OrderAsync(Store, tenMinutes, new Item("p1", 134)));
    }

    [Fact]
    public async Task A_cart_is_ordered_when_each_of_its_prices_is_valid()
    {
        await GivenAsync(new ProductDefined("p1", 123), new ProductPriceChanged("p1", 134), new ProductDefined("p2", 321));

        Assert.True(await OrderAsync(Store, tenMinutes, new Item("p1", 123), new Item("p2", 321)));
        Assert.False(await OrderAsync(Store, tenMinutes, new Item("p1", 123), new Item("p2", 123)));
        Assert.True(await OrderAsync(Store, tenMinutes, new Item("p1", 123), new Item("p2", 321), new Item("p1", 134)));

        Assert.Equal(["product:p1", "product:p2"], (await Store.ReadAllAsync())[3].Tags.Select(tag => tag.ToString()));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_order_that_races_with_a_change_of_one_price_is_judged_by_the_new_one(bool twoProcesses)
    {
        await GivenAsync(new ProductDefined("p1", 123), new ProductDefined("p2", 321));

        var slower = Overtaken(twoProcesses, async faster => await faster.AppendAsync(new NewEvent(new ProductPriceChanged("p2", 333))));
        Assert.False(await OrderAsync(slower, noGrace, new Item("p1", 123), new Item("p2", 321)));

        Assert.Empty((await StoredAsync()).OfType<ProductsOrdered>());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_order_that_races_with_a_change_of_one_price_may_have_the_old_one_while_it_is_valid(bool twoProcesses)
    {
        await GivenAsync(new ProductDefined("p1", 123), new ProductDefined("p2", 321));

        var slower = Overtaken(twoProcesses, async faster => await faster.AppendAsync(new NewEvent(new ProductPriceChanged("p2", 333))));
        Assert.True(await OrderAsync(slower, tenMinutes, new Item("p1", 123), new Item("p2", 321)));

        Assert.Equal(4, await Store.GetHeadAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_price_that_changes_after_the_cart_was_read_makes_the_append_fail(bool twoProcesses)
    {
        await GivenAsync(new ProductDefined("p1", 123), new ProductDefined("p2", 321));

        await AssertOnlyOneAppendsAsync(
            twoProcesses,
            ValidPrices("p2", noGrace), new ProductPriceChanged("p2", 333),
            ValidPrices([new Item("p1", 123), new Item("p2", 321)], noGrace), new ProductsOrdered([new Item("p1", 123), new Item("p2", 321)]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Orders_and_changes_of_other_products_do_not_meet(bool twoProcesses)
    {
        await GivenAsync(new ProductDefined("p1", 123), new ProductDefined("p2", 321), new ProductDefined("p3", 1));

        var slower = Overtaken(twoProcesses, async faster =>
        {
            Assert.True(await OrderAsync(faster, noGrace, new Item("p1", 123), new Item("p3", 1)));
            await faster.AppendAsync(new NewEvent(new ProductPriceChanged("p3", 2)));
        });
        Assert.True(await OrderAsync(slower, noGrace, [new Item("p1", 123), new Item("p2", 321)], new DecisionRetry { MaxRetryAttempts = 0 }));
    }

    private DecisionProjection<IReadOnlyList<decimal>> ValidPrices(string product, TimeSpan grace)
    {
        var now = Clock.GetUtcNow();
        return DecisionProjection.Create<IReadOnlyList<decimal>>([], new Tag("product", product))
            .On<ProductDefined>((_, defined) => [defined.Price])
            .On<ProductPriceChanged>((prices, changed, e) => now - e.Timestamp <= grace ? [.. prices, changed.NewPrice] : [changed.NewPrice]);
    }

    private DecisionProjection<IReadOnlyList<IReadOnlyList<decimal>>> ValidPrices(Item[] cart, TimeSpan grace) =>
        DecisionProjection.Combine(cart.Select(item => ValidPrices(item.Product, grace)));

    private Task<bool> OrderAsync(IEventStore store, TimeSpan grace, params Item[] cart) => OrderAsync(store, grace, cart, null);

    private async Task<bool> OrderAsync(IEventStore store, TimeSpan grace, Item[] cart, DecisionRetry? retry)
    {
        var result = await store.ExecuteDecisionAsync(
            ValidPrices(cart, grace),
            prices => cart.Zip(prices).All(each => each.Second.Contains(each.First.DisplayedPrice)) ? [new NewEvent(new ProductsOrdered(cart))] : [],
            retry);
        return result.Appended is not null;
    }

    [EventType("product-defined")]
    private sealed record ProductDefined([property: Tag("product")] string Product, decimal Price);

    [EventType("product-price-changed")]
    private sealed record ProductPriceChanged([property: Tag("product")] string Product, decimal NewPrice);

    [EventType("products-ordered")]
    private sealed record ProductsOrdered(Item[] Items)
    {
        [Tag("product")]
        internal IEnumerable<string> Products => Items.Select(item => item.Product);
    }

    private sealed record Item(string Product, decimal DisplayedPrice);
}
