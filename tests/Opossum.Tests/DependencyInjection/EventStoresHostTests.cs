using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Opossum.DependencyInjection;

namespace Opossum.Tests.DependencyInjection;

public sealed class EventStoresHostTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact(Timeout = 60_000)]
    public async Task Each_store_has_the_projections_and_states_of_its_own()
    {
        using var place = await StoresPlace.StartAsync(add: stores => stores.AddProjection<TownPosts>().AddProjection<TownPosts>());
        using var north = await place.OpenAsync("north");
        using var south = await place.OpenAsync("south");
        var position = (await north.Store.AppendAsync(new NewEvent(new ParcelSent("Ulm", 10)), cancellationToken: Cancellation)).LastPosition;

        Assert.Equal(new TownPost(1, 10), await north.Store.Projections.Get<TownPost>().PostAsync("Ulm", position));
        Assert.Null(await south.Store.Projections.Get<TownPost>().GetAsync("Ulm", Cancellation));
        Assert.Single(await south.Store.Projections.ListAsync(Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task Without_a_projection_the_lease_says_how_to_add_one()
    {
        using var place = await StoresPlace.StartAsync();
        using var lease = await place.OpenAsync("acme");

        Assert.Contains("AddProjection", Assert.Throws<ArgumentException>(() => lease.Store.Projections.Get<TownPost>()).Message,
            StringComparison.Ordinal);
    }

    [Fact(Timeout = 60_000)]
    public async Task The_worst_open_store_is_the_health_of_all()
    {
        using var place = await StoresPlace.StartAsync();
        Assert.Equal((HealthStatus.Healthy, "0 stores are open."), Of(await place.CheckAsync()));
        using var acme = await place.OpenAsync("acme");
        await place.UseAsync("other");
        var healthy = await place.CheckAsync();
        Assert.Equal((HealthStatus.Healthy, "2 stores are open."), Of(healthy));
        Assert.Equal((2, 100), (healthy.Data["open"], healthy.Data["maxOpen"]));

        Directory.Move(place.PathOf("acme"), place.PathOf("aside"));
        await Assert.ThrowsAsync<StoreFaultedException>(() => acme.Store.AppendAsync(Events.New("lost"), cancellationToken: Cancellation));
        var degraded = await place.CheckAsync();
        Assert.Equal(HealthStatus.Degraded, degraded.Status);
        Assert.StartsWith("acme: The store accepts no appends; its next handle opens it again", degraded.Description, StringComparison.Ordinal);
        Assert.Equal(["acme"], ((Dictionary<string, string>)degraded.Data["unhealthy"]).Keys);
    }

    [Fact(Timeout = 60_000)]
    public async Task Looking_at_a_store_does_not_keep_it_open()
    {
        using var place = await StoresPlace.StartAsync();
        var first = await place.UseAsync("acme");
        place.Clock.Advance(TimeSpan.FromMinutes(4));
        await place.CheckAsync();
        place.Clock.Advance(TimeSpan.FromMinutes(1));

        Assert.NotSame(first, await place.UseAsync("acme"));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_store_that_becomes_due_while_it_is_looked_at_closes_after_that()
    {
        using var place = await StoresPlace.StartAsync();
        var first = await place.UseAsync("acme");
        foreach (var looked in ((EventStores)place.Stores).Look())
        {
            place.Clock.Advance(TimeSpan.FromMinutes(6));
            Assert.Same(first, looked.Store);
        }

        Assert.NotSame(first, await place.UseAsync("acme"));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_store_that_is_looked_at_while_another_becomes_due_closes_in_its_own_time()
    {
        using var place = await StoresPlace.StartAsync();
        await place.UseAsync("c");
        place.Clock.Advance(TimeSpan.FromMinutes(1));
        var first = await place.UseAsync("a");
        place.Clock.Advance(TimeSpan.FromMinutes(3));
        var later = await place.UseAsync("b");
        using (var looked = ((EventStores)place.Stores).Look().GetEnumerator())
        {
            Assert.True(looked.MoveNext());
            Assert.Same(first, looked.Current.Store);
            place.Clock.Advance(TimeSpan.FromMinutes(1));
        }
        place.Clock.Advance(TimeSpan.FromMinutes(1));

        Assert.NotSame(first, await place.UseAsync("a"));
        Assert.Same(later, await place.UseAsync("b"));
    }

    [Fact(Timeout = 60_000)]
    public async Task While_one_store_is_looked_at_the_others_may_make_place()
    {
        using var place = await StoresPlace.StartAsync(options => options.MaxOpen = 2);
        await place.UseAsync("a");
        var other = await place.UseAsync("b");
        List<string> looked = [];
        foreach (var store in ((EventStores)place.Stores).Look())
        {
            looked.Add(store.Name);
            await place.UseAsync("c");
        }

        Assert.Equal(["a"], looked);
        Assert.True(await StoresPlace.IsClosedAsync(other));
    }

    [Fact]
    public void A_host_without_a_root_or_with_a_path_does_not_start()
    {
        using var host = AddOpossumTests.Build(services => services.AddOpossumStores(options =>
        {
            options.Store.Path = "here";
            options.MaxOpen = 0;
            options.IdleTimeout = TimeSpan.Zero;
            options.Store.Advanced.MaxPayloadBytes = 0;
        }));

        var failures = Assert.Throws<OptionsValidationException>(() => host.Start()).Failures.ToList();
        Assert.Equal(5, failures.Count);
        Assert.Contains(failures, failure => failure.Contains("Root must name the folder", StringComparison.Ordinal));
        Assert.Contains(failures, failure => failure.Contains("Path must be empty", StringComparison.Ordinal));
    }

    [Fact]
    public void A_host_whose_event_types_projections_or_reactions_do_not_fit_does_not_start()
    {
        var root = Path.Combine(Path.GetTempPath(), $"opossum-{Guid.NewGuid():N}");

        Refused<InvalidOperationException>("no upcaster", static types => types.Add<ParcelSent>("parcel-sent", version: 2), static _ => { });
        Refused<ArgumentException>("The projection town-posts handles", static _ => { }, static stores => stores.AddProjection<TownPosts>());
        Refused<ArgumentException>("two projections", static types => types.Add<ParcelSent>(),
            static stores => stores.AddProjection<TownPosts>().AddProjection<SameTownPosts>());
        Refused<ArgumentException>("The reaction notices handles", static _ => { }, static stores => stores.AddReaction<Notices>());
        Assert.False(Directory.Exists(root));

        void Refused<TException>(string why, Action<EventTypeRegistry> register, Action<OpossumBuilder> add)
            where TException : Exception
        {
            using var host = AddOpossumTests.Build(services => add(services.AddSingleton<Deliveries>().AddOpossumStores(options =>
            {
                options.Root = root;
                register(options.Store.EventTypes);
            })));

            Assert.Contains(why, Assert.Throws<TException>(() => host.Start()).Message, StringComparison.Ordinal);
        }
    }

    private sealed class SameTownPosts() : TownPosts("town-posts");

    [Fact]
    public void The_configuration_sets_the_options_of_the_stores_and_of_their_projections()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Shops:Root"] = "shops",
            ["Shops:MaxOpen"] = "7",
            ["Shops:IdleTimeout"] = "00:00:30",
            ["Shops:LockTimeout"] = "00:00:07",
            ["Shops:Projections:MaxRetryAttempts"] = "3",
        }).Build();
        using var host = AddOpossumTests.Build(services => services.AddOpossumStores(configuration.GetSection("Shops")));

        var options = host.Services.GetRequiredService<IOptions<OpossumStoresOptions>>().Value;
        Assert.Equal(("shops", 7, TimeSpan.FromSeconds(30)), (options.Root, options.MaxOpen, options.IdleTimeout));
        Assert.Equal((TimeSpan.FromSeconds(7), 3), (options.Store.LockTimeout, options.Projections.MaxRetryAttempts));
    }

    [Fact]
    public void An_empty_folder_of_keys_is_refused_and_is_not_the_folder_of_the_process()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Shops:Root"] = "shops",
            ["Shops:PersonalData:KeysFolder"] = "",
        }).Build();
        using var host = AddOpossumTests.Build(services => services.AddOpossumStores(configuration.GetSection("Shops")));

        Assert.Equal("OpossumOptions.PersonalData.KeysFolder must name the folder of the persons' keys, but is empty.",
            Assert.Throws<OptionsValidationException>(() => host.Start()).Message);
    }

    [Fact]
    public void An_unknown_key_of_the_configuration_is_refused()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?> { ["Root"] = "shops", ["Path"] = "x" }).Build();
        using var host = AddOpossumTests.Build(services => services.AddOpossumStores(configuration));

        Assert.Contains("Path", Assert.Throws<OptionsValidationException>(() => host.Start()).Message, StringComparison.Ordinal);
    }

    private static (HealthStatus, string?) Of(HealthReportEntry health) => (health.Status, health.Description);
}
