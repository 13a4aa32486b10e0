using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Opossum.Maintenance;

namespace Opossum.Tests.DependencyInjection;

public sealed class AddOpossumTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Nothing_touches_the_disk_before_the_host_starts()
    {
        var path = Path.Combine(folder, "store");
        using var host = Build(services => services.AddOpossum(options => options.Path = path));
        _ = host.Services.GetRequiredService<IEventStore>();
        Assert.False(Path.Exists(path));

        await host.StartAsync(Cancellation);
        Assert.True(Directory.Exists(path));
    }

    [Fact]
    public async Task A_store_injected_before_the_start_is_usable_after_it()
    {
        using var host = Build(services => services.AddOpossum(options => options.Path = folder));
        var store = host.Services.GetRequiredService<IEventStore>();

        await host.StartAsync(Cancellation);
        var appended = await store.AppendAsync([NewEvent.FromJson("student-enrolled", "{}")], cancellationToken: Cancellation);
        Assert.Equal(appended.LastPosition, await store.GetHeadAsync(Cancellation));
        Assert.Same(store, host.Services.GetRequiredService<IEventStore>());
    }

    [Fact]
    public async Task A_store_stops_also_after_the_services_were_disposed()
    {
        using var host = Build(services => services.AddOpossum(options => options.Path = folder));
        await host.StartAsync(Cancellation);
        var store = Assert.IsType<IHostedLifecycleService>(host.Services.GetRequiredService<IEventStore>(), exactMatch: false);
        host.Dispose();

        await store.StoppingAsync(Cancellation);
        await store.StoppedAsync(Cancellation);

        await using var opened = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }, Cancellation);
    }

    [Fact]
    public async Task A_person_is_forgotten_through_the_store_that_is_injected()
    {
        using var host = Build(services => services.AddOpossum(options =>
        {
            options.Path = Path.Combine(folder, "store");
            options.PersonalData.MasterKey = MasterKey.Create();
            options.EventTypes.AddPersonal("t", "name", "customer");
        }));
        await host.StartAsync(Cancellation);
        var (store, personal) = (host.Services.GetRequiredService<IEventStore>(), host.Services.GetRequiredService<IPersonalData>());
        var key = await personal.MakeStoreKeyAsync(Cancellation);
        await store.AppendAsync(NewEvent.FromJson("t", """{"name":"Ann"}""", new Tag("customer", "c1")), cancellationToken: Cancellation);

        var result = await personal.ForgetAsync(new Tag("customer", "c1"), "asked for it", Cancellation);

        Assert.Equal(key, await personal.MakeStoreKeyAsync(Cancellation));
        Assert.Equal((2, true), (result.Position, result.HadKey));
        Assert.Equal("name", Assert.Single((await store.ReadAllAsync())[0].UnreadableMembers).Path);
    }

    [Fact]
    public async Task Injected_store_tells_what_is_personal_by_the_schemas_before_any_event_shows_it()
    {
        await using (var writer = await FileSystemEventStore.OpenAsync(Options(static types => types.Add<Guest>("guest")), Cancellation))
            await writer.AppendAsync(new NewEvent(new Guest(null), new Tag("customer", "c1")), cancellationToken: Cancellation);
        using var host = Build(services => services.AddOpossum(options => options.Path = folder));
        await host.StartAsync(Cancellation);

        var plain = await PersonalDataSearch.FindPlainAsync(host.Services.GetRequiredService<IEventStore>(),
            [NewEvent.FromJson("guest", """{"name":"Ann"}""")], Cancellation);

        Assert.Equal(("name", 0L), Assert.Single(plain.Select(static each => (each.Member, each.ShownBy))));
    }

    [Fact]
    public async Task Use_before_the_start_says_to_start_the_host_or_to_open_a_store_by_hand()
    {
        using var host = Build(services => services.AddOpossum(options => options.Path = folder));
        var store = host.Services.GetRequiredService<IEventStore>();

        var (append, head) = (store.AppendAsync(NewEvent.FromJson("t", "{}"), cancellationToken: Cancellation), store.GetHeadAsync(Cancellation));
        var early = await Assert.ThrowsAsync<InvalidOperationException>(() => head);
        await Assert.ThrowsAsync<InvalidOperationException>(() => append);
        Assert.Contains("host.StartAsync()", early.Message, StringComparison.Ordinal);
        Assert.Contains("FileSystemEventStore.OpenAsync", early.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => store.ReadAsync(Query.All));
        Assert.Throws<InvalidOperationException>(() => store.SubscribeAsync(Query.All));
    }

    [Fact]
    public async Task A_hosted_service_added_before_the_store_finds_it_open_when_it_starts_and_when_it_stops()
    {
        using var host = Build(services =>
        {
            services.AddSingleton<HeadReader>().AddHostedService(provider => provider.GetRequiredService<HeadReader>());
            services.AddOpossum(options => options.Path = folder);
        });

        await host.StartAsync(Cancellation);
        await host.StopAsync(Cancellation);
        Assert.Equal([0, 0], host.Services.GetRequiredService<HeadReader>().Heads);
    }

    [Fact]
    public async Task A_stopped_host_has_closed_the_store()
    {
        using var host = Build(services => services.AddOpossum(options => options.Path = folder));
        var store = host.Services.GetRequiredService<IEventStore>();
        await host.StartAsync(Cancellation);
        await host.StopAsync(Cancellation);

        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.GetHeadAsync(Cancellation));
    }

    [Fact]
    public async Task Appends_accepted_before_the_host_stops_are_stored()
    {
        using var host = Build(services => services.AddOpossum(options => options.Path = folder));
        var store = host.Services.GetRequiredService<IEventStore>();
        await host.StartAsync(Cancellation);
        var appends = Enumerable.Range(0, 50)
            .Select(_ => store.AppendAsync([NewEvent.FromJson("student-enrolled", "{}")], cancellationToken: Cancellation))
            .ToList();
        await host.StopAsync(Cancellation);

        var results = await Task.WhenAll(appends);
        Assert.Equal(Enumerable.Range(1, 50), results.Select(result => (int)result.LastPosition).Order());
        await using var again = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }, Cancellation);
        Assert.Equal(50, await again.GetHeadAsync(Cancellation));
    }

    [Fact]
    public async Task A_host_that_fails_to_start_closes_the_stores_it_opened()
    {
        IEventStore store;
        using (var host = Build(services => services.AddOpossum(options => options.Path = folder).Services.AddHostedService<Failing>()))
        {
            store = host.Services.GetRequiredService<IEventStore>();
            var failure = await Assert.ThrowsAsync<NotSupportedException>(() => host.StartAsync(Cancellation));
            Assert.Equal("on purpose", failure.Message);
            Assert.Equal(0, await store.GetHeadAsync(Cancellation));
        }
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.GetHeadAsync(Cancellation));
    }

    [Fact]
    public async Task A_host_without_stop_closes_the_store_when_its_services_are_disposed_of()
    {
        IEventStore store;
        using (var host = Build(services => services.AddOpossum(options => options.Path = folder)))
        {
            store = host.Services.GetRequiredService<IEventStore>();
            await host.StartAsync(Cancellation);
        }
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.GetHeadAsync(Cancellation));
    }

    [Fact]
    public async Task A_folder_that_is_a_file_keeps_the_host_from_starting()
    {
        var file = Path.Combine(folder, "file");
        await File.WriteAllTextAsync(file, "not a folder", Cancellation);
        using var host = Build(services => services.AddOpossum(options => options.Path = file));

        var refusal = await Assert.ThrowsAsync<StoreOpenException>(() => host.StartAsync(Cancellation));
        Assert.Equal(file, refusal.Path);
    }

    [Fact]
    public async Task Options_that_are_not_allowed_keep_the_host_from_starting_and_are_all_named()
    {
        using var host = Build(services => services.AddOpossum(options =>
        {
            options.Path = " ";
            options.LockTimeout = TimeSpan.FromDays(2);
            options.Advanced.MaxPayloadBytes = 0;
            options.Advanced.RecoveryPatience = Timeout.InfiniteTimeSpan;
            options.Advanced.SubscriptionPollInterval = TimeSpan.Zero;
        }));

        var refusal = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Cancellation));
        Assert.Equal(
            [
                "OpossumOptions.Path must name the store's folder, but is empty.",
                "OpossumOptions.LockTimeout must lie between 00:00:00 and 1.00:00:00, but is 2.00:00:00.",
                "OpossumOptions.Advanced.MaxPayloadBytes must lie between 1 and 134217728, but is 0.",
                "OpossumOptions.Advanced.RecoveryPatience must lie between 00:00:00 and 00:10:00, but is -00:00:00.0010000.",
                "OpossumOptions.Advanced.SubscriptionPollInterval must lie between 00:00:00.0010000 and 01:00:00, but is 00:00:00.",
            ],
            refusal.Failures);
    }

    [Fact]
    public async Task Options_that_are_not_allowed_are_refused_by_a_store_opened_by_hand_too()
    {
        var options = new OpossumOptions { Path = "a\0b", LockTimeout = TimeSpan.FromSeconds(-1), TimeProvider = null! };

        var refusal = await Assert.ThrowsAsync<ArgumentException>(async () => await FileSystemEventStore.OpenAsync(options, Cancellation));
        Assert.Contains("OpossumOptions.Path must not hold the character U+0000, but is \"a\\0b\".", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("OpossumOptions.LockTimeout", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("OpossumOptions.TimeProvider must not be null", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_of_any_option_that_is_empty_or_no_path_is_refused_by_its_name()
    {
        var options = new OpossumOptions { Path = "store", PersonalData = { KeysFolder = "", MasterKeyFile = " " } };
        options.Proof = new ProofOptions { Witnesses = { "else\0where", "" } };

        var refusal = await Assert.ThrowsAsync<ArgumentException>(async () => await FileSystemEventStore.OpenAsync(options, Cancellation));
        string[] failures =
        [
            "PersonalData.KeysFolder must name the folder of the persons' keys, but is empty.",
            "PersonalData.MasterKeyFile must name the file of the master key, but is empty.",
            "Proof.Witnesses must not hold the character U+0000, but is \"else\\0where\".",
            "Proof.Witnesses must name a folder, but is empty.",
        ];
        Assert.All(failures, failure => Assert.Contains($"OpossumOptions.{failure}", refusal.Message, StringComparison.Ordinal));

        refusal = await Assert.ThrowsAsync<ArgumentException>(async () =>
            await StoreImport.RunAsync(folder, Stream.Null, new ImportOptions { KeysFolder = "" }, cancellationToken: Cancellation));
        Assert.Equal("ImportOptions.KeysFolder must name the folder of the persons' keys, but is empty. (Parameter 'options')", refusal.Message);
    }

    [Theory]
    [InlineData("0.00:00:00", 1, "00:00:00", "00:00:00.001")]
    [InlineData("1.00:00:00", 128 * 1024 * 1024, "00:10:00", "01:00:00")]
    public async Task Options_at_the_ends_of_their_ranges_are_allowed(string lockTimeout, int maxPayloadBytes, string recoveryPatience,
        string pollInterval)
    {
        using var host = Build(services => services.AddOpossum(options =>
        {
            options.Path = folder;
            options.LockTimeout = TimeSpan.Parse(lockTimeout);
            options.Advanced.MaxPayloadBytes = maxPayloadBytes;
            options.Advanced.RecoveryPatience = TimeSpan.Parse(recoveryPatience);
            options.Advanced.SubscriptionPollInterval = TimeSpan.Parse(pollInterval);
        }));
        await host.StartAsync(Cancellation);

        Assert.Equal(0, await host.Services.GetRequiredService<IEventStore>().GetHeadAsync(Cancellation));
    }

    [Fact]
    public async Task Added_twice_it_is_one_store_and_the_last_word_on_an_option_counts()
    {
        var path = Path.Combine(folder, "last");
        using var host = Build(services => services
            .AddOpossum(options =>
            {
                options.Path = Path.Combine(folder, "first");
                options.Advanced.MaxPayloadBytes = 1_000;
            })
            .Services.AddOpossum(options => options.Path = path));
        await host.StartAsync(Cancellation);

        Assert.Single(host.Services.GetServices<IEventStore>());
        Assert.Equal([path], Directory.GetFileSystemEntries(folder));
        Assert.Equal(1_000, Options(host).Advanced.MaxPayloadBytes);
    }

    [Fact]
    public async Task Tests_may_move_the_store_with_the_options_pattern()
    {
        var path = Path.Combine(folder, "moved");
        using var host = Build(services => services
            .AddOpossum(options => options.Path = Path.Combine(folder, "first"))
            .Services.Configure<OpossumOptions>(options => options.Path = path));
        await host.StartAsync(Cancellation);

        Assert.Equal([path], Directory.GetFileSystemEntries(folder));
    }

    [Fact]
    public void Logger_factory_and_clock_come_from_the_services()
    {
        var clock = new StoppedClock();
        using var host = Build(services => services.AddSingleton<TimeProvider>(clock).AddOpossum(options => options.Path = folder));

        Assert.Same(clock, Options(host).TimeProvider);
        Assert.Same(host.Services.GetRequiredService<ILoggerFactory>(), Options(host).LoggerFactory);
    }

    [Fact]
    public void Logger_factory_and_clock_that_the_options_set_win_over_those_of_the_services()
    {
        var clock = new StoppedClock();
        using var host = Build(services => services
            .AddSingleton<TimeProvider>(new StoppedClock())
            .Configure<OpossumOptions>(options => options.TimeProvider = clock)
            .AddOpossum(options =>
            {
                options.Path = folder;
                options.LoggerFactory = NullLoggerFactory.Instance;
            })
            .Services.AddKeyedOpossum("orders", options =>
            {
                options.Path = folder;
                options.TimeProvider = TimeProvider.System;
            }));

        Assert.Same(NullLoggerFactory.Instance, Options(host).LoggerFactory);
        Assert.Same(clock, Options(host).TimeProvider);
        Assert.Same(TimeProvider.System, host.Services.GetRequiredService<IOptionsMonitor<OpossumOptions>>().Get("orders").TimeProvider);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_background_service_follows_the_store_from_the_start_of_the_host_to_its_end()
    {
        using var host =
            Build(services => services.AddOpossum(options => options.Path =
                folder).Services.AddSingleton<Follower>().AddHostedService(provider => provider.GetRequiredService<Follower>()));
        await host.StartAsync(Cancellation);
        var follower = host.Services.GetRequiredService<Follower>();
        await host.Services.GetRequiredService<IEventStore>().AppendAsync([NewEvent.FromJson("a", "{}"), NewEvent.FromJson("b", "{}")],
            cancellationToken: Cancellation);
        await follower.HasSeen("b").WaitAsync(Cancellation);
        await host.StopAsync(Cancellation);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => follower.ExecuteTask!);
    }

    internal static IHost Build(Action<IServiceCollection> add)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.ConfigureContainer(new DefaultServiceProviderFactory(new ServiceProviderOptions { ValidateOnBuild = true, ValidateScopes = true }));
        add(builder.Services);
        return builder.Build();
    }

    private OpossumOptions Options(Action<EventTypeRegistry> register)
    {
        var options = new OpossumOptions { Path = folder };
        options.PersonalData.MasterKey = MasterKey.Create();
        register(options.EventTypes);
        return options;
    }

    // What the store is given.
    private static OpossumOptions Options(IHost host) => host.Services.GetRequiredService<IOptionsMonitor<OpossumOptions>>().CurrentValue;

    private sealed record Guest([property: Personal("customer")] string? Name);

    private sealed class HeadReader(IEventStore store) : IHostedService
    {
        public List<long> Heads { get; } = [];

        public async Task StartAsync(CancellationToken cancellationToken) => Heads.Add(await store.GetHeadAsync(cancellationToken));

        public async Task StopAsync(CancellationToken cancellationToken) => Heads.Add(await store.GetHeadAsync(cancellationToken));
    }

    private sealed class Follower(IEventStore store) : BackgroundService
    {
        private readonly System.Collections.Concurrent.ConcurrentDictionary<string, TaskCompletionSource> seen = new();

        public Task HasSeen(string type) => seen.GetOrAdd(type, _ => new TaskCompletionSource()).Task;

        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            await foreach (var e in store.SubscribeAsync(Query.All, cancellationToken: stoppingToken))
                seen.GetOrAdd(e.Type, _ => new TaskCompletionSource()).TrySetResult();
        }
    }

    private sealed class Failing : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken) => throw new NotSupportedException("on purpose");

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    private sealed class StoppedClock : TimeProvider;
}
