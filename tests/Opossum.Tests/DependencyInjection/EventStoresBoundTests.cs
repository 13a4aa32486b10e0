namespace Opossum.Tests.DependencyInjection;

public sealed class EventStoresBoundTests
{
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(15);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact(Timeout = 60_000)]
    public async Task The_store_that_was_not_used_for_the_longest_time_makes_place_for_another()
    {
        using var place = await StoresPlace.StartAsync(options => options.MaxOpen = 2);
        var (first, second) = (await place.UseAsync("first"), await place.UseAsync("second"));
        place.Clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Same(first, await place.UseAsync("first"));
        await place.UseAsync("third");

        Assert.True(await StoresPlace.IsClosedAsync(second));
        Assert.False(await StoresPlace.IsClosedAsync(first));
    }

    [Fact(Timeout = 60_000)]
    public async Task While_all_are_in_use_a_lease_waits_until_one_is_returned()
    {
        using var place = await StoresPlace.StartAsync(options => options.MaxOpen = 1);
        var first = await place.OpenAsync("first");
        var waiting = place.OpenAsync("second");
        await place.Clock.UntilTimerIsSetAsync();
        Assert.False(waiting.IsCompleted);
        first.Dispose();

        using var second = await waiting;
        Assert.True(await StoresPlace.IsClosedAsync(first.Store));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_lease_that_waited_too_long_says_why_and_may_be_tried_again()
    {
        using var place = await StoresPlace.StartAsync(options => options.MaxOpen = 1);
        var first = await place.OpenAsync("first");
        var waiting = place.OpenAsync("second");
        await place.Clock.UntilTimerIsSetAsync();
        place.Clock.Advance(patience);

        var refused = await Assert.ThrowsAsync<StoreOpenException>(() => waiting);
        Assert.True(refused.IsTransient);
        Assert.Contains("1 stores are in use", refused.Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(place.PathOf("second")));
        first.Dispose();
        using var second = await place.OpenAsync("second");
        Assert.True(await StoresPlace.IsClosedAsync(first.Store));
    }

    [Theory(Timeout = 60_000)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_name_that_has_no_store_neither_closes_a_store_nor_waits_for_a_place(bool isReadOnly)
    {
        using var place = await StoresPlace.StartAsync(options => (options.MaxOpen, options.Store.ReadOnly) = (1, isReadOnly));
        await using (await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = place.PathOf("first") }, Cancellation))
            Directory.CreateDirectory(place.PathOf("empty"));
        var first = await place.UseAsync("first");
        await ThrowsAsync("missing");
        await ThrowsAsync("empty");
        Assert.False(await StoresPlace.IsClosedAsync(first));

        using var used = await place.OpenAsync("first");
        await ThrowsAsync("missing");

        async Task ThrowsAsync(string name)
        {
            var error = await Assert.ThrowsAsync<StoreOpenException>(() => place.OpenAsync(name, create: false));
            Assert.Equal((false, place.PathOf(name)), (error.IsTransient, error.Path));
        }
    }

    [Fact(Timeout = 60_000)]
    public async Task A_store_that_has_lost_the_file_of_its_name_is_still_one_for_which_another_makes_place()
    {
        using var place = await StoresPlace.StartAsync(options => options.MaxOpen = 1);
        await (await place.UseAsync("first")).AppendAsync(Events.New("t"), cancellationToken: Cancellation);
        await place.UseAsync("second");
        File.Delete(Path.Combine(place.PathOf("first"), "store.json"));

        using var first = await place.OpenAsync("first", create: false);
        Assert.Equal(1, await first.Store.GetHeadAsync(Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_store_that_a_handler_keeps_from_closing_does_not_keep_the_next_idle_one_from_making_place()
    {
        var deliveries = new Deliveries();
        using var place = await StoresPlace.StartCarelessAsync(deliveries, static options =>
        {
            options.MaxOpen = 2;
            options.IdleTimeout = TimeSpan.FromDays(1);
            options.WaitTimeout = TimeSpan.FromHours(1);
        });
        await (await place.UseAsync("first")).AppendAsync(new NewEvent(new ParcelSent("Ulm", 1)),
            cancellationToken: Cancellation);
        Assert.Equal("begun", await deliveries.NextAsync());
        place.Clock.Advance(TimeSpan.FromSeconds(1));
        var second = await place.UseAsync("second");
        var third = place.OpenAsync("third");
        while (!third.IsCompleted)
        {
            place.Clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Delay(1, Cancellation);
        }

        using (await third)
            Assert.True(await StoresPlace.IsClosedAsync(second));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_lease_that_waited_too_long_names_the_handler_that_keeps_a_store_from_closing()
    {
        var deliveries = new Deliveries();
        using var place = await StoresPlace.StartCarelessAsync(deliveries, static options => options.MaxOpen = 1);
        await (await place.UseAsync("first")).AppendAsync(new NewEvent(new ParcelSent("Ulm", 1)),
            cancellationToken: Cancellation);
        Assert.Equal("begun", await deliveries.NextAsync());
        var second = place.OpenAsync("second");
        while (!second.IsCompleted)
        {
            place.Clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Delay(1, Cancellation);
        }

        var refused = await Assert.ThrowsAsync<StoreOpenException>(() => second);
        Assert.Contains("the reaction careless is still handling the event at position 1 of first", refused.Message, StringComparison.Ordinal);
    }

    [Fact(Timeout = 60_000)]
    public async Task Never_are_more_open_than_may_be()
    {
        using var place = await StoresPlace.StartAsync(options => options.MaxOpen = 3);
        var leases = new List<string>();
        var most = 0;
        // Nobody returns a store before three are open, however the threads are scheduled.
        var threeAreOpen = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await Task.WhenAll(Enumerable.Range(0, 200).Select(number => Task.Run(async () =>
        {
            var name = $"store-{number % 12}";
            using var lease = await place.OpenAsync(name);
            lock (leases)
            {
                leases.Add(name);
                most = Math.Max(most, leases.Distinct().Count());
                if (most == 3)
                    threeAreOpen.TrySetResult();
            }
            await threeAreOpen.Task;
            await lease.Store.AppendAsync(Events.New("t"), cancellationToken: Cancellation);
            lock (leases)
                leases.Remove(name);
        })));

        Assert.Equal(3, most);
    }
}
