namespace Opossum.Tests.Decisions;

/// <summary>https://dcb.events/examples/prevent-record-duplication: a request that comes twice, with the same token, is done once.</summary>
public sealed class RecordDuplicationTests() : DecisionTests(typeof(OrderPlaced))
{
    [Fact]
    public async Task A_token_places_one_order()
    {
        Assert.Equal("o12345", await PlaceAsync(Store, "o12345", "11111"));
        Assert.Equal("o12345", await PlaceAsync(Store, "o54321", "11111"));

        Assert.Equal([new OrderPlaced("o12345", "11111")], await StoredAsync());
    }

    [Fact]
    public async Task Another_token_places_another_order()
    {
        await GivenAsync(new OrderPlaced("o12345", "11111"));

        Assert.Equal("o54321", await PlaceAsync(Store, "o54321", "22222"));

        Assert.Equal([new OrderPlaced("o12345", "11111"), new OrderPlaced("o54321", "22222")], await StoredAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Two_racers_with_one_token_get_the_same_order(bool twoProcesses)
    {
        Assert.Equal("o1", await PlaceAsync(Overtaken(twoProcesses, faster => PlaceAsync(faster, "o1", "11111")), "o2", "11111"));

        Assert.Equal([new OrderPlaced("o1", "11111")], await StoredAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_two_racers_who_saw_the_token_unused_one_appends(bool twoProcesses) => await AssertOnlyOneAppendsAsync(
        twoProcesses,
        OrderOf("11111"), new OrderPlaced("o1", "11111"),
        OrderOf("11111"), new OrderPlaced("o2", "11111"));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Racers_with_two_tokens_do_not_meet(bool twoProcesses)
    {
        var slower = Overtaken(twoProcesses, faster => PlaceAsync(faster, "o1", "11111"));
        Assert.Equal("o2", await PlaceAsync(slower, "o2", "22222", new DecisionRetry { MaxRetryAttempts = 0 }));
    }

    private static DecisionProjection<string?> OrderOf(string token) =>
        DecisionProjection.Create<string?>(null, new Tag("idempotency", token))
            .On<OrderPlaced>((_, placed) => placed.OrderId);

    private static async Task<string> PlaceAsync(IEventStore store, string order, string token, DecisionRetry? retry = null)
    {
        var result = await store.ExecuteDecisionAsync(
            OrderOf(token),
            placed => placed is null ? [new NewEvent(new OrderPlaced(order, token))] : [],
            retry);
        return result.State ?? order;
    }

    [EventType("order-placed")]
    private sealed record OrderPlaced([property: Tag("order")] string OrderId, [property: Tag("idempotency")] string IdempotencyToken);
}
