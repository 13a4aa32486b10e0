using Microsoft.Extensions.Diagnostics.HealthChecks;
using Opossum.Tests.Durability;
using static Opossum.Tests.Events;

namespace Opossum.Tests.DependencyInjection;

public sealed class EventStoresTests
{
    private static readonly TimeSpan idle = TimeSpan.FromMinutes(5);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact(Timeout = 60_000)]
    public async Task A_store_is_a_folder_of_its_name_that_is_made_by_its_first_lease()
    {
        using var place = await StoresPlace.StartAsync();
        Assert.Empty(Directory.GetFileSystemEntries(place.Root));
        using var lease = await place.OpenAsync("acme");
        await lease.Store.AppendAsync(New("t"), cancellationToken: Cancellation);

        Assert.Equal("acme", lease.Name);
        Assert.True(File.Exists(Path.Combine(place.PathOf("acme"), "Events", "0000000000", "0000000001.json")));
        Assert.Equal(0, await (await place.UseAsync("other")).GetHeadAsync(Cancellation));
        Directory.CreateDirectory(place.PathOf("no-store"));
        Assert.Equal(["acme", "other"], await place.Stores.ListAsync(Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task First_uses_at_the_same_time_open_a_store_once()
    {
        using var place = await StoresPlace.StartAsync();
        var stores = await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => Task.Run(() => place.UseAsync("acme"))));

        Assert.Single(stores.Distinct());
    }

    [Fact(Timeout = 60_000)]
    public async Task A_store_that_nobody_uses_for_a_while_is_closed_and_opened_again_by_its_next_lease()
    {
        using var place = await StoresPlace.StartAsync();
        var first = await place.UseAsync("acme");
        await first.AppendAsync(New("t"), cancellationToken: Cancellation);
        place.Clock.Advance(idle - TimeSpan.FromSeconds(1));
        Assert.Same(first, await place.UseAsync("acme"));
        place.Clock.Advance(idle - TimeSpan.FromSeconds(1));
        Assert.Same(first, await place.UseAsync("acme"));

        place.Clock.Advance(idle);
        var second = await place.UseAsync("acme");
        Assert.NotSame(first, second);
        Assert.True(await StoresPlace.IsClosedAsync(first));
        Assert.Equal(1, await second.GetHeadAsync(Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_store_in_use_stays_open_however_long_it_takes()
    {
        using var place = await StoresPlace.StartAsync();
        using var lease = await place.OpenAsync("acme");
        using (await place.OpenAsync("acme"))
            place.Clock.Advance(10 * idle);
        place.Clock.Advance(10 * idle);

        Assert.False(await StoresPlace.IsClosedAsync(lease.Store));
        Assert.Same(lease.Store, await place.UseAsync("acme"));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_lease_that_is_disposed_twice_ends_one_use()
    {
        using var place = await StoresPlace.StartAsync();
        using var lease = await place.OpenAsync("acme");
        var other = await place.OpenAsync("acme");
        other.Dispose();
        other.Dispose();
        place.Clock.Advance(10 * idle);

        Assert.Same(lease.Store, await place.UseAsync("acme"));
    }

    [Fact(Timeout = 60_000)]
    public async Task Each_of_several_idle_stores_is_closed_in_its_time()
    {
        using var place = await StoresPlace.StartAsync();
        var early = await place.UseAsync("early");
        place.Clock.Advance(idle / 2);
        var late = await place.UseAsync("late");
        place.Clock.Advance(idle / 2);

        Assert.Same(late, await place.UseAsync("late"));
        Assert.NotSame(early, await place.UseAsync("early"));
        place.Clock.Advance(idle);
        Assert.NotSame(late, await place.UseAsync("late"));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_failed_opening_is_not_remembered()
    {
        using var place = await StoresPlace.StartAsync();
        await File.WriteAllTextAsync(place.PathOf("acme"), "", Cancellation);
        await Assert.ThrowsAsync<StoreOpenException>(() => place.OpenAsync("acme"));
        File.Delete(place.PathOf("acme"));

        Assert.Equal(0, await (await place.UseAsync("acme")).GetHeadAsync(Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_missing_store_is_an_error_unless_the_lease_may_create_it()
    {
        using var place = await StoresPlace.StartAsync(options => options.Store.CreateIfMissing = false);
        await Assert.ThrowsAsync<StoreOpenException>(() => place.OpenAsync("acme"));
        Assert.False(Directory.Exists(place.PathOf("acme")));

        using (await place.OpenAsync("acme", create: true))
            Assert.Equal(["acme"], await place.Stores.ListAsync(Cancellation));
        using var again = await place.OpenAsync("acme");
        Assert.Equal("acme", again.Name);
    }

    [Fact(Timeout = 60_000)]
    public async Task Who_may_create_a_store_does_so_although_others_who_may_not_came_first()
    {
        using var place = await StoresPlace.StartAsync();
        var leases = Enumerable.Range(0, 20).Select(number => Task.Run(() => place.OpenAsync("acme", create: number % 2 == 1))).ToList();
        await Task.WhenAll(leases).ContinueWith(_ => { }, Cancellation, TaskContinuationOptions.None, TaskScheduler.Default);

        Assert.All(leases.Where((_, number) => number % 2 == 1), lease => Assert.True(lease.IsCompletedSuccessfully));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_cancelled_caller_does_not_cancel_the_opening_of_others()
    {
        using var place = await StoresPlace.StartAsync();
        using var cancellation = new CancellationTokenSource();
        var cancelled = place.Stores.OpenAsync("acme", cancellationToken: cancellation.Token);
        var other = place.OpenAsync("acme");
        await cancellation.CancelAsync();

        using var lease = await other;
        Assert.False(await StoresPlace.IsClosedAsync(lease.Store));
        // It was cancelled or, if the store was open first, has a lease.
        await cancelled.ContinueWith(_ => { }, TaskScheduler.Default);
    }

    [Fact(Timeout = 60_000)]
    public async Task After_a_fault_the_next_lease_opens_the_store_again()
    {
        using var place = await StoresPlace.StartAsync(add: stores => stores.AddProjection<TownPosts>());
        using var faulted = await place.OpenAsync("acme");
        await faulted.Store.AppendAsync(new NewEvent(new ParcelSent("Ulm", 1)), cancellationToken: Cancellation);
        Directory.Move(place.PathOf("acme"), place.PathOf("aside"));
        await Assert.ThrowsAsync<StoreFaultedException>(() => faulted.Store.AppendAsync(New("lost"), cancellationToken: Cancellation));
        Directory.Move(place.PathOf("aside"), place.PathOf("acme"));

        using var lease = await place.OpenAsync("acme");
        Assert.Equal(2, (await lease.Store.AppendAsync(New("t"), cancellationToken: Cancellation)).LastPosition);
        Assert.False(await StoresPlace.IsClosedAsync(faulted.Store));
        faulted.Dispose();
        await place.StopAsync();
        Assert.True(await StoresPlace.IsClosedAsync(faulted.Store));
    }

    [Theory(Timeout = 60_000)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task With_the_option_off_a_store_that_has_faulted_and_was_closed_is_not_opened_again(bool isIdle)
    {
        using var place = await StoresPlace.StartAsync(options => (options.MaxOpen, options.Store.Advanced.ReopenAfterFault) = (1, false));
        StoreFaultedException fault;
        using (var faulted = await place.OpenAsync("acme"))
        {
            Directory.Move(place.PathOf("acme"), place.PathOf("aside"));
            fault = await Assert.ThrowsAsync<StoreFaultedException>(() => faulted.Store.AppendAsync(New("lost"), cancellationToken: Cancellation));
            Directory.Move(place.PathOf("aside"), place.PathOf("acme"));
        }
        if (isIdle)
            place.Clock.Advance(idle);
        else
            await place.UseAsync("other");

        var error = await Assert.ThrowsAsync<StoreOpenException>(() => place.OpenAsync("acme"));

        Assert.Contains(fault.InnerException!.Message, error.Message, StringComparison.Ordinal);
        Assert.False(error.IsTransient);
        var health = await place.CheckAsync();
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.Contains($"acme: {error.Message}", health.Description, StringComparison.Ordinal);
        Assert.Equal(["acme"], ((Dictionary<string, string>)health.Data["unhealthy"]).Keys);
    }

    [Theory(Timeout = 60_000)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_store_that_was_opened_again_after_a_fault_is_logged_when_it_is_open(bool isIdle)
    {
        var logs = new Logs();
        using var place = await StoresPlace.StartAsync(options => options.Store.LoggerFactory = logs);
        StoreFaultedException fault;
        using (var faulted = await place.OpenAsync("acme"))
        {
            Directory.Move(place.PathOf("acme"), place.PathOf("aside"));
            fault = await Assert.ThrowsAsync<StoreFaultedException>(() => faulted.Store.AppendAsync(New("lost"), cancellationToken: Cancellation));
        }
        if (isIdle)
            place.Clock.Advance(idle);
        await Assert.ThrowsAsync<StoreOpenException>(() => place.OpenAsync("acme"));
        Assert.DoesNotContain(logs.Lines, static line => line.Id == 17);

        Directory.Move(place.PathOf("aside"), place.PathOf("acme"));
        await place.UseAsync("acme");
        await place.UseAsync("acme");
        Assert.Contains($"Reopened the store {place.PathOf("acme")}, which accepted no more appends: {fault.InnerException!.Message}",
            Assert.Single(logs.Lines, static line => line.Id == 17).Text, StringComparison.Ordinal);
    }

    [Theory(Timeout = 60_000)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_handler_that_does_not_return_does_not_keep_a_faulted_store_from_being_opened_again(bool isIdle)
    {
        var deliveries = new Deliveries();
        using var place = await StoresPlace.StartCarelessAsync(deliveries);
        using (var faulted = await place.OpenAsync("acme"))
        {
            await faulted.Store.AppendAsync(new NewEvent(new ParcelSent("Ulm", 1)), cancellationToken: Cancellation);
            Assert.Equal("begun", await deliveries.NextAsync());
            Directory.Move(place.PathOf("acme"), place.PathOf("aside"));
            await Assert.ThrowsAsync<StoreFaultedException>(() => faulted.Store.AppendAsync(New("lost"), cancellationToken: Cancellation));
            Directory.Move(place.PathOf("aside"), place.PathOf("acme"));
        }
        if (isIdle)
            place.Clock.Advance(idle);

        using var lease = await place.OpenAsync("acme");
        Assert.Equal(2, (await lease.Store.AppendAsync(New("t"), cancellationToken: Cancellation)).LastPosition);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_lease_of_a_store_that_waits_for_a_handler_to_close_says_so_in_time_and_may_be_tried_again()
    {
        var deliveries = new Deliveries();
        using var place = await StoresPlace.StartCarelessAsync(deliveries);
        await (await place.UseAsync("acme")).AppendAsync(new NewEvent(new ParcelSent("Ulm", 1)), cancellationToken: Cancellation);
        Assert.Equal("begun", await deliveries.NextAsync());
        place.Clock.Advance(idle);
        var waiting = place.OpenAsync("acme");
        while (!waiting.IsCompleted)
        {
            place.Clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Delay(1, Cancellation);
        }

        var refused = await Assert.ThrowsAsync<StoreOpenException>(() => waiting);
        Assert.True(refused.IsTransient);
        Assert.Contains("the reaction careless is still handling the event at position 1", refused.Message, StringComparison.Ordinal);
        place.End.SetResult();
        Assert.Equal(1, await (await place.UseAsync("acme")).GetHeadAsync(Cancellation));
    }

    [Theory(Timeout = 60_000)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task After_a_fault_neither_an_empty_store_nor_another_one_takes_the_place_of_the_store(bool isIdle)
    {
        using var place = await StoresPlace.StartAsync();
        var faulted = await place.OpenAsync("acme");
        await faulted.Store.AppendAsync(New("t"), cancellationToken: Cancellation);
        Directory.Move(place.PathOf("acme"), place.PathOf("aside"));
        await Assert.ThrowsAsync<StoreFaultedException>(() => faulted.Store.AppendAsync(New("lost"), cancellationToken: Cancellation));
        faulted.Dispose();
        if (isIdle)
            place.Clock.Advance(idle);

        await Assert.ThrowsAsync<StoreOpenException>(() => place.OpenAsync("acme"));
        Assert.False(Directory.Exists(place.PathOf("acme")));
        await using (var other = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = place.PathOf("acme") }, Cancellation))
            await other.AppendAsync(New("other"), cancellationToken: Cancellation);
        var error = await Assert.ThrowsAsync<StoreOpenException>(() => place.OpenAsync("acme"));
        Assert.Contains("contains another store", error.Message, StringComparison.Ordinal);
        Directory.Delete(place.PathOf("acme"), recursive: true);
        Directory.Move(place.PathOf("aside"), place.PathOf("acme"));

        Assert.Equal(1, await (await place.UseAsync("acme")).GetHeadAsync(Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_stopped_host_has_closed_all_stores_and_leases_no_more()
    {
        using var place = await StoresPlace.StartAsync();
        using var lease = await place.OpenAsync("acme");
        var idle = await place.UseAsync("other");
        await place.StopAsync();

        Assert.True(await StoresPlace.IsClosedAsync(lease.Store));
        Assert.True(await StoresPlace.IsClosedAsync(idle));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => place.OpenAsync("acme"));
        lease.Dispose();
    }
}
