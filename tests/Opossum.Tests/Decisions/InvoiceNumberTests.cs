namespace Opossum.Tests.Decisions;

/// <summary>https://dcb.events/examples/invoice-number: numbers in sequence, without a gap.</summary>
public sealed class InvoiceNumberTests() : DecisionTests(typeof(InvoiceCreated))
{
    private static readonly SingleDecisionProjection<int> nextNumber =
        DecisionProjection.Create(1).On<InvoiceCreated>((_, created) => created.Number + 1);

    public static TheoryData<bool, bool> ProcessesAndReading => new() { { false, false }, { false, true }, { true, false }, { true, true } };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Invoices_are_numbered_from_one_without_a_gap(bool lastEventOnly)
    {
        for (var number = 1; number <= 3; number++)
            Assert.Equal(number, await CreateAsync(Store, "due", lastEventOnly));

        Assert.Equal([1, 2, 3], await NumbersAsync());
    }

    [Theory]
    [MemberData(nameof(ProcessesAndReading))]
    public async Task Two_racers_get_one_number_each(bool twoProcesses, bool lastEventOnly)
    {
        await GivenAsync(new InvoiceCreated(1, "first"));

        Assert.Equal(3, await CreateAsync(Overtaken(twoProcesses, faster => CreateAsync(faster, "faster", lastEventOnly)), "slower", lastEventOnly));

        Assert.Equal([new InvoiceCreated(1, "first"), new InvoiceCreated(2, "faster"), new InvoiceCreated(3, "slower")], await StoredAsync());
    }

    [Theory]
    [MemberData(nameof(ProcessesAndReading))]
    public async Task Of_two_racers_who_saw_the_same_number_one_appends(bool twoProcesses, bool lastEventOnly)
    {
        await GivenAsync(new InvoiceCreated(1, "first"));

        await AssertOnlyOneAppendsAsync(
            twoProcesses,
            Next(lastEventOnly), new InvoiceCreated(2, "winner's"),
            Next(lastEventOnly), new InvoiceCreated(2, "loser's"));
    }

    [Fact]
    public async Task Many_racers_of_two_processes_leave_no_gap()
    {
        var patient = new DecisionRetry { MaxRetryAttempts = int.MaxValue, MaxDelay = TimeSpan.FromMilliseconds(5) };

        var numbers =
            await Task.WhenAll(Enumerable.Range(0,
                16).Select(racer => Task.Run(() => CreateAsync(racer % 2 == 0 ? Store : Other, $"racer {racer}", lastEventOnly: true, patient))));

        Assert.Equal(Enumerable.Range(1, 16), numbers.Order());
        Assert.Equal(Enumerable.Range(1, 16), await NumbersAsync());
    }

    private static DecisionProjection<int> Next(bool lastEventOnly) => lastEventOnly ? nextNumber.LastEventOnly() : nextNumber;

    private static async Task<int> CreateAsync(IEventStore store, string text, bool lastEventOnly, DecisionRetry? retry = null) =>
        (await store.ExecuteDecisionAsync(Next(lastEventOnly), next => [new NewEvent(new InvoiceCreated(next, text))], retry)).State;

    private async Task<IEnumerable<int>> NumbersAsync() => (await StoredAsync()).Cast<InvoiceCreated>().Select(created => created.Number);

    [EventType("invoice-created")]
    private sealed record InvoiceCreated([property: Tag("invoice")] int Number, string Text);
}
