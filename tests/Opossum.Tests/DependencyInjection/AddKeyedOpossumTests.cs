using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Opossum.Tests.DependencyInjection;

public sealed class AddKeyedOpossumTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private enum Area
    {
        Orders,
        Stock,
    }

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Stores_with_keys_and_one_without_live_side_by_side()
    {
        using var host = AddOpossumTests.Build(services => services
            .AddOpossum(options => options.Path = Path.Combine(folder, "plain"))
            .Services.AddKeyedOpossum("orders", options => options.Path = Path.Combine(folder, "orders"))
            .Services.AddKeyedOpossum(Area.Stock, options => options.Path = Path.Combine(folder, "stock"))
            .Services.AddSingleton<Clerk>());
        await host.StartAsync(Cancellation);

        var orders = host.Services.GetRequiredKeyedService<IEventStore>("orders");
        await orders.AppendAsync([NewEvent.FromJson("order-placed", "{}")], cancellationToken: Cancellation);
        Assert.Equal(1, await host.Services.GetRequiredKeyedService<IFileSystemEventStore>("orders").GetHeadAsync(Cancellation));
        Assert.Equal(0, await host.Services.GetRequiredKeyedService<IEventStore>(Area.Stock).GetHeadAsync(Cancellation));
        Assert.Equal(0, await host.Services.GetRequiredService<IEventStore>().GetHeadAsync(Cancellation));
        Assert.Same(orders, host.Services.GetRequiredService<Clerk>().Orders);
        Assert.Null(host.Services.GetKeyedService<IEventStore>(Area.Orders));
    }

    [Fact]
    public async Task Two_stores_over_one_folder_keep_the_host_from_starting_before_anything_is_touched()
    {
        var path = Path.Combine(folder, "store");
        using var host = AddOpossumTests.Build(services => services
            .AddOpossum(options => options.Path = path)
            .Services.AddKeyedOpossum("orders", options => options.Path = Path.Combine(folder, "elsewhere", "..", "store")
            + Path.DirectorySeparatorChar));

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync(Cancellation));
        Assert.Contains($"OpossumOptions.Path is {path} for the store without a key and for the store with the key \"orders\"", refusal.Message,
            StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(folder));
    }

    [Fact]
    public async Task Options_that_are_not_allowed_name_the_store_and_touch_no_other_store()
    {
        using var host = AddOpossumTests.Build(services => services
            .AddOpossum(options => options.Path = Path.Combine(folder, "plain"))
            .Services.AddKeyedOpossum("orders", options => options.Advanced.MaxPayloadBytes = -1));

        var refusal = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Cancellation));
        Assert.Contains("Store \"orders\": OpossumOptions.Advanced.MaxPayloadBytes must lie", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("Store \"orders\": OpossumOptions.Path must name", refusal.Message, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(folder));
    }

    [Fact]
    public void Named_options_reach_the_store_with_that_key_only()
    {
        using var host = AddOpossumTests.Build(services => services
            .AddOpossum(options => options.Path = "plain")
            .Services.AddKeyedOpossum("orders", options => options.Path = "orders")
            .Services.Configure<OpossumOptions>("orders", options => options.Advanced.MaxPayloadBytes = 1_000));

        var options = host.Services.GetRequiredService<IOptionsMonitor<OpossumOptions>>();
        Assert.Equal(("orders", 1_000), (options.Get("orders").Path, options.Get("orders").Advanced.MaxPayloadBytes));
        Assert.Equal(("plain", new OpossumOptions().Advanced.MaxPayloadBytes), (options.CurrentValue.Path, options.CurrentValue.Advanced.MaxPayloadBytes));
    }

    [Fact]
    public void Keys_of_the_same_text_and_keys_without_text_are_refused()
    {
        var services = new ServiceCollection().AddKeyedOpossum("Orders", options => options.Path = folder).Services;

        services.AddKeyedOpossum("Orders", options => options.Advanced.MaxPayloadBytes = 1_000);
        Assert.Throws<ArgumentException>("serviceKey", () => services.AddKeyedOpossum(Area.Orders, options => options.Path = folder));
        Assert.Throws<ArgumentException>("serviceKey", () => services.AddKeyedOpossum("", options => options.Path = folder));
    }

    private sealed class Clerk([FromKeyedServices("orders")] IEventStore orders)
    {
        public IEventStore Orders => orders;
    }
}
