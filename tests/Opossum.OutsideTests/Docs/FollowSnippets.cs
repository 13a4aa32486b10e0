using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Opossum.Maintenance;

namespace Opossum.DocTests;

public sealed class FollowSnippets : DocumentCode
{
    [Fact]
    public async Task A_replica_is_brought_up_to_date_and_follows_until_it_is_stopped()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "shop" }))
            await store.AppendAsync([NewEvent.FromJson("ticket-sold", "1")]);
        using var stop = new CancellationTokenSource(TimeSpan.FromSeconds(1));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => FollowAsync(stop.Token));

        await using var replica = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "nas/shop", ReadOnly = true });
        Assert.Equal(1, await replica.GetHeadAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public void A_host_follows()
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        AddStore(builder);
        builder.Services.Configure<OpossumOptions>(options => options.Path = "hosted");
        using var host = builder.Build();

        Assert.IsAssignableFrom<IEventStore>(host.Services.GetRequiredService<IEventStore>());
    }

    private static void AddStore(HostApplicationBuilder builder)
    {
        builder.Services.AddOpossum().FollowTo("/mnt/nas/shop");
    }

    private static async Task FollowAsync(CancellationToken stopping)
    {
        Console.WriteLine(await StoreReplica.UpdateAsync("shop", "nas/shop", cancellationToken: stopping));
        await StoreReplica.FollowAsync("shop", "nas/shop", cancellationToken: stopping);
    }
}
