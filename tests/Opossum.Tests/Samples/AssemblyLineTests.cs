using AssemblyLine;
using Opossum.Testing;

namespace Opossum.Tests.Samples;

/// <summary>The sample AssemblyLine: its rules, also against racers, and that its self-check sees each rule broken.</summary>
public sealed class AssemblyLineTests : IAsyncDisposable
{
    private readonly FileSystemEventStore store = InMemoryEventStore.Open(LineStore.Options(path: ""));
    private readonly ShopFloor floor;

    public AssemblyLineTests() => floor = new ShopFloor(store);

    public ValueTask DisposeAsync() => store.DisposeAsync();

    [Fact]
    public async Task An_operator_works_at_one_machine_at_a_time()
    {
        Assert.NotNull(await floor.SignInAsync("Ada", "m1"));
        Assert.Null(await floor.SignInAsync("Ada", "m2"));
        Assert.NotNull(await floor.SignOutAsync("m1"));
        Assert.NotNull(await floor.SignInAsync("Ada", "m2"));
    }

    [Fact]
    public async Task A_machine_has_one_operator_at_a_time()
    {
        Assert.NotNull(await floor.SignInAsync("Ada", "m1"));
        Assert.Null(await floor.SignInAsync("Ben", "m1"));
        Assert.NotNull(await floor.SignOutAsync("m1"));
        Assert.Null(await floor.SignOutAsync("m1"));
        Assert.NotNull(await floor.SignInAsync("Ben", "m1"));
    }

    [Fact]
    public async Task Of_machines_that_want_the_same_operator_one_gets_him()
    {
        var outcomes = await RaceAsync(number => floor.SignInAsync("Ada", $"m{number}"));

        Assert.Single(outcomes, outcome => outcome is not null);
        await AssertRulesAreKeptAsync();
    }

    [Fact]
    public async Task Of_operators_that_want_the_same_machine_one_gets_it()
    {
        var outcomes = await RaceAsync(number => floor.SignInAsync(number % 2 == 0 ? "Ada" : $"Ben {number}", "m1"));

        Assert.Single(outcomes, outcome => outcome is not null);
        await AssertRulesAreKeptAsync();
    }

    [Fact]
    public async Task An_order_is_claimed_by_one_of_the_machines_that_want_it()
    {
        await floor.ReleaseOrdersAsync([("valve", 3)]);
        await Task.WhenAll(Enumerable.Range(0, Racers).Select(number => floor.SignInAsync($"Ada {number}", $"m{number}")));

        var outcomes = await RaceAsync(number => floor.ClaimOrderAsync(1, $"m{number}"));

        Assert.Single(outcomes, outcome => outcome is not null);
        await AssertRulesAreKeptAsync();
    }

    [Fact]
    public async Task Orders_released_at_the_same_time_are_numbered_without_gaps()
    {
        await RaceAsync(_ => floor.ReleaseOrdersAsync([("valve", 3), ("hinge", 5)]));

        var orders = (await History.ReadAsync(store)).Orders.Values.Select(order => order.Order);
        Assert.Equal(Enumerable.Range(1, 2 * Racers), orders);
        await AssertRulesAreKeptAsync();
    }

    [Fact]
    public async Task An_order_is_claimed_once_it_is_released_by_a_machine_that_is_free()
    {
        await floor.ReleaseOrdersAsync([("valve", 1), ("hinge", 1)]);
        Assert.Null(await floor.ClaimOrderAsync(1, "m1"));
        await floor.SignInAsync("Ada", "m1");
        Assert.Null(await floor.ClaimOrderAsync(3, "m1"));
        Assert.NotNull(await floor.ClaimOrderAsync(1, "m1"));
        Assert.Null(await floor.ClaimOrderAsync(2, "m1"));
    }

    [Fact]
    public async Task A_machine_works_with_an_operator_an_order_and_no_fault_on_one_part_at_a_time()
    {
        await floor.ReleaseOrdersAsync([("valve", 3), ("hinge", 3)]);
        await floor.SignInAsync("Ada", "m1");
        Assert.Null(await floor.StartCycleAsync(1, "m1"));
        await floor.ClaimOrderAsync(1, "m1");
        Assert.Null(await floor.StartCycleAsync(1, "m1"));
        Assert.Null(await floor.LoadMaterialAsync(2, "m1", "lot 1"));
        Assert.NotNull(await floor.LoadMaterialAsync(1, "m1", "lot 1"));
        Assert.Null(await floor.LoadMaterialAsync(1, "m1", "lot 1"));
        Assert.Null(await floor.StartCycleAsync(2, "m1"));
        await floor.RaiseFaultAsync("m1", "JAM");
        Assert.Null(await floor.RaiseFaultAsync("m1", "E-STOP"));
        Assert.Null(await floor.StartCycleAsync(1, "m1"));
        await floor.ClearFaultAsync("m1");
        Assert.Null(await floor.ClearFaultAsync("m1"));
        Assert.Null(await floor.CompleteCycleAsync(1, "m1"));
        Assert.NotNull(await floor.StartCycleAsync(1, "m1"));
        Assert.Null(await floor.StartCycleAsync(1, "m1"));
        await floor.RaiseFaultAsync("m1", "JAM");
        Assert.Null(await floor.CompleteCycleAsync(1, "m1"));
        await floor.ClearFaultAsync("m1");
        await floor.SignOutAsync("m1");
        Assert.Null(await floor.CompleteCycleAsync(1, "m1"));
        await floor.SignInAsync("Ben", "m1");
        Assert.Null(await floor.CompleteCycleAsync(2, "m1"));
        Assert.NotNull(await floor.CompleteCycleAsync(1, "m1"));
        await AssertRulesAreKeptAsync();
    }

    [Fact]
    public async Task The_last_part_completes_the_order()
    {
        await floor.ReleaseOrdersAsync([("valve", 2), ("hinge", 1)]);
        await floor.SignInAsync("Ada", "m1");
        await floor.ClaimOrderAsync(1, "m1");
        await floor.LoadMaterialAsync(1, "m1", "lot 1");
        await floor.StartCycleAsync(1, "m1");
        var first = await floor.CompleteCycleAsync(1, "m1");
        await floor.StartCycleAsync(1, "m1");
        var last = await floor.CompleteCycleAsync(1, "m1");

        Assert.Equal(2, first!.Value.LastPosition - first.Value.FirstPosition + 1);
        Assert.Equal(4, last!.Value.LastPosition - last.Value.FirstPosition + 1);
        Assert.Null(await floor.StartCycleAsync(1, "m1"));
        Assert.NotNull(await floor.ClaimOrderAsync(2, "m1"));
        await AssertRulesAreKeptAsync();
    }

    [Fact]
    public async Task A_paused_machine_begins_no_part_until_it_is_resumed()
    {
        await BeginOrderAsync(3);
        Assert.NotNull(await floor.StartCycleAsync(1, "m1"));
        Assert.Null(await floor.PauseAsync("m1"));
        await floor.CompleteCycleAsync(1, "m1");
        Assert.NotNull(await floor.PauseAsync("m1"));
        Assert.Null(await floor.PauseAsync("m1"));
        Assert.Null(await floor.StartCycleAsync(1, "m1"));
        Assert.NotNull(await floor.ResumeAsync("m1"));
        Assert.Null(await floor.ResumeAsync("m1"));
        Assert.NotNull(await floor.StartCycleAsync(1, "m1"));
        await AssertRulesAreKeptAsync();
    }

    [Fact]
    public async Task Scrap_does_not_count_and_the_machine_is_corrected_before_it_goes_to_work_again()
    {
        await BeginOrderAsync(1);
        await floor.StartCycleAsync(1, "m1");
        await floor.CompleteCycleAsync(1, "m1", scrap: "burr");
        Assert.Null(await floor.StartCycleAsync(1, "m1"));
        Assert.NotNull(await floor.AdjustAsync("m1", "speed", 90));
        Assert.NotNull(await floor.StartCycleAsync(1, "m1"));
        Assert.Null(await floor.ChangeToolAsync("m1", "tool 2"));
        await floor.CompleteCycleAsync(1, "m1", scrap: "crack");
        Assert.NotNull(await floor.ChangeToolAsync("m1", "tool 2"));
        await floor.StartCycleAsync(1, "m1");
        await floor.CompleteCycleAsync(1, "m1");

        var history = await History.ReadAsync(store);
        Assert.Equal((1, OrderStatus.Done), (history.Orders["1"].Parts, history.Orders["1"].Status));
        Assert.Equal((3, 2), (history.Machines["m1"].Cycles, history.Machines["m1"].Scrap));
        Assert.Single(await store.ReadAsync(Query.For<OrderStarted>()).ToListAsync());
        await AssertRulesAreKeptAsync();
    }

    [Fact]
    public async Task A_machine_is_handed_over_to_an_operator_who_is_free()
    {
        await floor.SignInAsync("Ada", "m1");
        await floor.SignInAsync("Ben", "m2");
        Assert.Null(await floor.HandOverAsync("m1", "Ben"));
        Assert.NotNull(await floor.HandOverAsync("m1", "Cleo"));
        Assert.Null(await floor.SignInAsync("Cleo", "m3"));
        Assert.NotNull(await floor.SignInAsync("Ada", "m3"));
        Assert.Null(await floor.HandOverAsync("m4", "Dan"));
        await AssertRulesAreKeptAsync();
    }

    [Fact]
    public async Task A_box_is_full_with_its_last_part_and_the_last_box_with_the_order()
    {
        await BeginOrderAsync(ShopFloor.BatchSize + 1);
        for (var part = 0; part <= ShopFloor.BatchSize; part++)
        {
            await floor.StartCycleAsync(1, "m1");
            await floor.CompleteCycleAsync(1, "m1");
        }

        Assert.Equal([1, 2], await store.ReadAsync(Query.For<BatchCompleted>()).Select(static e => ((BatchCompleted)e.Data!).Batch).ToListAsync());
    }

    [Fact]
    public async Task The_history_gives_the_states_of_machines_orders_and_shifts()
    {
        await floor.ReleaseOrdersAsync([("valve", 1), ("hinge", 2), ("lever", 3)]);
        await floor.SignInAsync("Ada", "m1");
        await floor.ClaimOrderAsync(1, "m1");
        await floor.LoadMaterialAsync(1, "m1", "lot 1");
        await floor.StartCycleAsync(1, "m1");
        await floor.CompleteCycleAsync(1, "m1");
        await floor.ClaimOrderAsync(2, "m1");
        await floor.LoadMaterialAsync(2, "m1", "lot 2");
        await floor.StartCycleAsync(2, "m1");
        await floor.RaiseFaultAsync("m1", "JAM");

        var history = await History.ReadAsync(store);

        var machine = new MachineState("m1") { Operator = "Ada", Order = 2, Loaded = 2, Fault = "JAM", InCycle = true, Cycles = 1, Faults = 1, Orders = 1 };
        Assert.Equal([machine], history.Machines.Values);
        Assert.Equal(
            [
                new OrderProgress(1, "valve", 1) { Machine = "m1", Parts = 1, Status = OrderStatus.Done },
                new OrderProgress(2, "hinge", 2) { Machine = "m1", Status = OrderStatus.InWork },
                new OrderProgress(3, "lever", 3),
            ],
            history.Orders.Values);
        Assert.Equal((1, 1, 1),
            (history.Shifts.Values.Sum(shift => shift.Parts), history.Shifts.Values.Sum(shift => shift.Orders),
                history.Shifts.Values.Sum(shift => shift.Faults)));
        Assert.Equal(await store.GetHeadAsync(), history.Head);
    }

    public static TheoryData<string, object[]> RulesBroken => new()
    {
        { "Ada signs in at m2, but works at m1", [new OperatorSignedIn("Ada", "m1"), new OperatorSignedIn("Ada", "m2")] },
        { "Ben signs in at m1, but Ada works there", [new OperatorSignedIn("Ada", "m1"), new OperatorSignedIn("Ben", "m1")] },
        { "Ada signs out at m2, but did not work there", [new OperatorSignedIn("Ada", "m1"), new OperatorSignedOut("Ada", "m2")] },
        { "Ada hands over m1, but did not work there", [new ShiftHandover("Ada", "Ben", "m1")] },
        { "Ben takes over m1, but works at m2",
            [new OperatorSignedIn("Ada", "m1"), new OperatorSignedIn("Ben", "m2"), new ShiftHandover("Ada", "Ben", "m1")] },
        { "order 2 is released after 0 others", [new OrderReleased(2, "valve", 1)] },
        { "m2 claims order 1, but m1 has it", [new OrderReleased(1, "valve", 1), new OrderClaimed(1, "m1"), new OrderClaimed(1, "m2")] },
        { "m1 claims order 2, but works on order 1",
            [new OrderReleased(1, "valve", 1), new OrderReleased(2, "valve", 1), new OrderClaimed(1, "m1"), new OrderClaimed(2, "m1")] },
        { "m1 starts part 1 of order 1, but cannot", [new OrderReleased(1, "valve", 1), new OrderClaimed(1, "m1"), new CycleStarted("m1", 1, 1)] },
        { "m1 completes part 1 of order 1, but did not begin it",
            [new OrderReleased(1, "valve", 1), new OrderClaimed(1, "m1"), new CycleCompleted("m1", 1, 1)] },
        { "order 1 is completed with 0 of 1 parts", [new OrderReleased(1, "valve", 1), new OrderClaimed(1, "m1"), new OrderCompleted(1, "m1")] },
    };

    [Theory]
    [MemberData(nameof(RulesBroken))]
    public async Task The_history_tells_which_rule_was_broken_and_where(string rule, object[] events)
    {
        var appended = await store.AppendAsync([.. events.Select(data => new NewEvent(data))]);

        var broken = Assert.Single((await History.ReadAsync(store)).BrokenRules);
        Assert.StartsWith($"position {appended.LastPosition}: {rule}", broken);
    }

    [Theory]
    [InlineData("2026-11-21T05:59:59Z", "2026-11-20-night")]
    [InlineData("2026-11-21T06:00:00Z", "2026-11-21-early")]
    [InlineData("2026-11-21T13:59:59Z", "2026-11-21-early")]
    [InlineData("2026-11-21T14:00:00Z", "2026-11-21-late")]
    [InlineData("2026-11-21T22:00:00Z", "2026-11-21-night")]
    [InlineData("2026-11-21T07:00:00+02:00", "2026-11-20-night")]
    public void A_shift_has_eight_hours(string time, string shift) => Assert.Equal(shift, ShiftTotal.ShiftOf(DateTimeOffset.Parse(time)));

    [Fact]
    public void Percentiles_of_latencies_are_right_to_five_percent()
    {
        var (odd, even) = (new Latencies(), new Latencies());
        foreach (var milliseconds in Enumerable.Range(1, 1000))
            (milliseconds % 2 == 0 ? even : odd).Add(milliseconds);
        odd.Add(even);

        Assert.InRange(odd.Percentile(0.5), 500, 525);
        Assert.InRange(odd.Percentile(0.99), 990, 1000);
        Assert.Equal(1000, odd.Percentile(1));
        Assert.Equal(0, new Latencies().Percentile(0.5));
    }

    private const int Racers = 8;

    // Each starts on its own; a decision that came too late is made again.
    private static Task<AppendResult?[]> RaceAsync(Func<int, Task<AppendResult?>> decide) =>
        Task.WhenAll(Enumerable.Range(0, Racers).Select(number => Task.Run(() => decide(number))));

    private async Task BeginOrderAsync(int quantity)
    {
        await floor.ReleaseOrdersAsync([("valve", quantity)]);
        await floor.SignInAsync("Ada", "m1");
        await floor.ClaimOrderAsync(1, "m1");
        await floor.LoadMaterialAsync(1, "m1", "lot 1");
    }

    private async Task AssertRulesAreKeptAsync() => Assert.Equal([], (await History.ReadAsync(store)).BrokenRules);
}
