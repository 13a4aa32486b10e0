using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Opossum.Tests.DependencyInjection;

public sealed class AddProjectionTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task States_follow_the_events_while_the_host_runs()
    {
        using var host = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>());
        var posts = host.Services.GetRequiredService<IProjectionStore<TownPost>>();

        await host.Services.SendAsync("Ulm", 10);
        var position = await host.Services.SendAsync("Ulm", 20);
        Assert.Equal(new TownPost(2, 30), await posts.PostAsync("Ulm", position));
        Assert.Null(await posts.GetAsync("Bonn", Cancellation));
    }

    [Fact]
    public async Task All_members_of_an_injected_store_are_those_of_the_projection()
    {
        using var host = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TaggedTownPosts>());
        var posts = host.Services.GetRequiredService<IProjectionStore<TownPost>>();
        await host.Services.SendAsync("Ulm", 10);
        var position = await host.Services.SendAsync("Bonn", 2_000);
        await posts.WaitForAsync(position, Cancellation);

        Assert.Equal(["Bonn", "Ulm"], await posts.ReadAllAsync(Cancellation).Select(post => post.Key).Order().ToListAsync(Cancellation));
        Assert.Equal(["Bonn"], await posts.FindAsync([new Tag("heavy", "yes")], Cancellation).Select(post => post.Key).ToListAsync(Cancellation));
        Assert.Equal(["Ulm"], (await posts.GetManyAsync(["Ulm", "Trier"], Cancellation)).Keys);
        Assert.Equal("tagged-town-posts", (await posts.GetStatusAsync(Cancellation)).Name);
    }

    [Fact]
    public async Task A_host_whose_store_is_only_read_is_given_the_states_that_another_host_keeps()
    {
        using var writing = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>());
        var position = await writing.Services.SendAsync("Ulm");
        using var reading = await StartAsync(services => services.AddOpossum(options =>
        {
            Parcels.In(folder)(options);
            options.ReadOnly = true;
        }).AddProjection<TownPosts>());

        Assert.Equal(new TownPost(1, 1), await reading.Services.GetRequiredService<IProjectionStore<TownPost>>().PostAsync("Ulm", position));
        Assert.False((await ProjectionsOf(reading)["town-posts"].GetStatusAsync(Cancellation)).IsLeader);
    }

    [Fact]
    public async Task A_host_whose_store_is_only_read_builds_no_rows_in_a_database_and_says_so_at_its_start()
    {
        using (await StartAsync(services => services.AddOpossum(Parcels.In(folder))))
        {
        }
        using var reading = AddOpossumTests.Build(services => services
            .AddOpossum(options =>
            {
                Parcels.In(folder)(options);
                options.ReadOnly = true;
            })
            .AddDbProjection("rows", static _ => throw new NotSupportedException("no database"), static rows => rows
                .On("parcel-sent", static (_, _, _, _) => Task.CompletedTask)
                .Clear(static (_, _, _) => Task.CompletedTask)));

        var refusal = await Assert.ThrowsAsync<NotSupportedException>(() => reading.StartAsync(Cancellation));

        Assert.Contains("is open for reading only. To run the projection rows, which writes to a database, open it", refusal.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_part_of_an_app_may_add_a_projection_before_another_part_configures_the_store()
    {
        using var host = await StartAsync(services =>
        {
            services.AddOpossum().AddProjection<TownPosts>();
            services.AddOpossum(Parcels.In(folder));
        });

        var position = await host.Services.SendAsync("Ulm");
        Assert.Equal(new TownPost(1, 1), await host.Services.GetRequiredService<IProjectionStore<TownPost>>().PostAsync("Ulm", position));
    }

    [Fact]
    public async Task States_are_injected_before_the_start_and_usable_after_it()
    {
        using var host = AddOpossumTests.Build(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>());
        var posts = host.Services.GetRequiredService<IProjectionStore<TownPost>>();
        var early = await Assert.ThrowsAsync<InvalidOperationException>(async () => await posts.GetAsync("Ulm", Cancellation));
        Assert.Contains("host.StartAsync()", early.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<InvalidOperationException>(() => ProjectionsOf(host).ListAsync(Cancellation));

        await host.StartAsync(Cancellation);
        Assert.Equal(new TownPost(1, 1), await posts.PostAsync("Ulm", await host.Services.SendAsync("Ulm")));
    }

    [Fact]
    public async Task The_projections_are_listed_after_the_start()
    {
        using var host =
            await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>().AddProjection<OtherTownPosts>());

        Assert.Equal(["other-town-posts", "town-posts"], await ProjectionsOf(host).ListAsync(Cancellation));
    }

    [Fact]
    public async Task Projections_run_when_other_hosted_services_start_and_still_when_they_stop()
    {
        using var host = await StartAsync(services =>
        {
            services.AddSingleton<Sender>().AddHostedService(provider => provider.GetRequiredService<Sender>());
            services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>();
        });
        await host.StopAsync(Cancellation);

        Assert.Equal([new TownPost(1, 1), new TownPost(2, 2)], host.Services.GetRequiredService<Sender>().Seen);
    }

    [Fact]
    public async Task A_stopped_host_has_stopped_its_projections()
    {
        using var host = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>());
        await host.Services.SendAsync("Ulm");
        await host.StopAsync(Cancellation);

        using var next = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>());
        Assert.Equal(new TownPost(2, 2), await ProjectionsOf(next).Get<TownPost>().PostAsync("Ulm", await next.Services.SendAsync("Ulm")));
        Assert.True((await ProjectionsOf(next)["town-posts"].GetStatusAsync(Cancellation)).IsLeader);
    }

    [Fact]
    public async Task The_container_makes_the_projection()
    {
        using var host =
            await StartAsync(services => services.AddSingleton(new Surcharge(100)).AddOpossum(Parcels.In(folder)).AddProjection<TaxedTownPosts>());

        var position = await host.Services.SendAsync("Ulm", 10);
        Assert.Equal(new TownPost(1, 110), await host.Services.GetRequiredService<IProjectionStore<TownPost>>().PostAsync("Ulm", position));
    }

    [Fact]
    public async Task A_projection_of_a_store_that_nobody_configured_keeps_the_host_from_starting_before_anything_is_touched()
    {
        using var host = AddOpossumTests.Build(services =>
        {
            services.AddKeyedOpossum("orders", Parcels.In(folder)).AddProjection<TownPosts>();
            services.AddKeyedOpossum("stock").AddProjection<OtherTownPosts>();
        });

        var refusal = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Cancellation));
        Assert.Equal("Store \"stock\": OpossumOptions.Path must name the store's folder, but is empty.", Assert.Single(refusal.Failures));
        Assert.Empty(Directory.GetFileSystemEntries(folder));
    }

    [Fact]
    public async Task A_projection_without_a_handler_keeps_the_host_from_starting()
    {
        using var host = AddOpossumTests.Build(services => services.AddOpossum(Parcels.In(folder)).AddProjection<EmptyPosts>());

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync(Cancellation));
        Assert.Contains("empty-posts", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Added_twice_it_is_one_projection()
    {
        using var host = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>().AddProjection<TownPosts>());

        Assert.Single(await ProjectionsOf(host).ListAsync(Cancellation));
    }

    [Fact]
    public async Task Of_several_projections_with_one_state_type_one_is_injected_by_its_name()
    {
        using var host = await StartAsync(services => services
            .AddSingleton(new Surcharge(100))
            .AddSingleton<Reader>()
            .AddOpossum(Parcels.In(folder))
            .AddProjection<TownPosts>()
            .AddProjection<TaxedTownPosts>());

        var position = await host.Services.SendAsync("Ulm", 10);
        Assert.Equal(new TownPost(1, 110), await host.Services.GetRequiredService<Reader>().Taxed.PostAsync("Ulm", position));
        var ambiguous =
            await Assert.ThrowsAsync<InvalidOperationException>(
                async () => await host.Services.GetRequiredService<IProjectionStore<TownPost>>().GetAsync("Ulm", Cancellation));
        Assert.Contains("town-posts of the store without a key, taxed-town-posts of the store without a key", ambiguous.Message,
            StringComparison.Ordinal);
        Assert.Contains("[FromKeyedServices(...)]", ambiguous.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_state_that_no_projection_has_is_refused_with_a_hint()
    {
        using var host = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>());

        var missing =
            await Assert.ThrowsAsync<InvalidOperationException>(
                async () => await host.Services.GetRequiredService<IProjectionStore<Surcharge>>().GetAsync("Ulm", Cancellation));
        Assert.Contains($"There is no projection with the state type {typeof(Surcharge)}. Add it to its store: AddOpossum(...).AddProjection<T>().",
            missing.Message, StringComparison.Ordinal);
        var misnamed =
            await Assert.ThrowsAsync<InvalidOperationException>(
                async () => await host.Services.GetRequiredKeyedService<IProjectionStore<TownPost>>("tonw-posts").GetAsync("Ulm", Cancellation));
        Assert.Contains("the name, or the key of its store, \"tonw-posts\"", misnamed.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_projection_of_several_stores_is_injected_by_the_key_of_the_store()
    {
        using var host = await StartAsync(services => services
            .AddKeyedOpossum("north", Parcels.In(Path.Combine(folder, "north"))).AddProjection<TownPosts>()
            .Services.AddKeyedOpossum("south", Parcels.In(Path.Combine(folder, "south"))).AddProjection<TownPosts>());

        var north = await host.Services.SendAsync("Kiel", 10, "north");
        var south = await host.Services.SendAsync("Ulm", 20, "south");
        Assert.Equal(new TownPost(1, 10), await host.Services.GetRequiredKeyedService<IProjectionStore<TownPost>>("north").PostAsync("Kiel", north));
        Assert.Equal(new TownPost(1, 20), await host.Services.GetRequiredKeyedService<IProjectionStore<TownPost>>("south").PostAsync("Ulm", south));
        Assert.Null(await host.Services.GetRequiredKeyedService<IProjectionStore<TownPost>>("south").GetAsync("Kiel", Cancellation));
        Assert.Single(await host.Services.GetRequiredKeyedService<IFileSystemEventStore>("south").Projections.ListAsync(Cancellation));
    }

    [Fact]
    public async Task Options_that_are_not_allowed_keep_the_host_from_starting()
    {
        using var host =
            AddOpossumTests.Build(
                services =>
                    services.AddOpossum(
                        Parcels.In(folder)).AddProjection<TownPosts>().Services.Configure<ProjectionOptions>(options => options.MaxCachedStates = 0));

        var refusal = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Cancellation));
        Assert.Equal("ProjectionOptions.MaxCachedStates must lie between 2 and 10000000, but is 0.", Assert.Single(refusal.Failures));
        Assert.Empty(Directory.GetFileSystemEntries(folder));
    }

    private static async Task<IHost> StartAsync(Action<IServiceCollection> add)
    {
        var host = AddOpossumTests.Build(add);
        await host.StartAsync(Cancellation);
        return host;
    }

    private sealed class TaggedTownPosts : Projection<TownPost>
    {
        public TaggedTownPosts()
            : base("tagged-town-posts")
        {
            On<ParcelSent>(e => e.Town, (_, e) => new TownPost(1, e.Grams));
            TagBy(post => [new Tag("heavy", post.Grams > 1_000 ? "yes" : "no")]);
        }
    }

    private static ProjectionCollection ProjectionsOf(IHost host) => host.Services.GetRequiredService<IFileSystemEventStore>().Projections;

    private sealed class Sender(IServiceProvider services, IProjectionStore<TownPost> posts) : IHostedService
    {
        public List<TownPost?> Seen { get; } = [];

        public async Task StartAsync(CancellationToken cancellationToken) => Seen.Add(await posts.PostAsync("Ulm", await services.SendAsync("Ulm")));

        public async Task StopAsync(CancellationToken cancellationToken) => Seen.Add(await posts.PostAsync("Ulm", await services.SendAsync("Ulm")));
    }

    private sealed class Reader([FromKeyedServices("taxed-town-posts")] IProjectionStore<TownPost> taxed)
    {
        public IProjectionStore<TownPost> Taxed => taxed;
    }
}
