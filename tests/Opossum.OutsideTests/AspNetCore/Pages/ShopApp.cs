using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>An app with stores on demand, which it shows to everybody, in a folder that is deleted with the app.</summary>
internal sealed class ShopApp : IAsyncDisposable
{
    private readonly string folder;

    private ShopApp(TestApp app, string folder, string root)
    {
        App = app;
        this.folder = folder;
        Root = root;
    }

    public TestApp App { get; }

    /// <summary>The folder of the stores.</summary>
    public string Root { get; }

    public IEventStores Stores => App.Services.GetRequiredService<IEventStores>();

    public static async Task<ShopApp> StartAsync(Action<OpossumStoresOptions>? configure = null, bool listens = false,
        Action<WebApplication>? map = null, Action<OpossumBuilder>? build = null)
    {
        var folder = Directory.CreateTempSubdirectory("opossum-").FullName;
        var root = Path.Combine(folder, "shops");
        var app = await TestApp.StartAsync(map ?? (static app => app.MapOpossumStores().AllowAnonymous()), (builder, _) =>
        {
            var stores = builder.Services.AddOpossumStores(options =>
            {
                options.Root = root;
                configure?.Invoke(options);
            });
            stores.AddProjection<KeyedTexts>();
            build?.Invoke(stores);
        }, listens);
        return new ShopApp(app, folder, root);
    }

    /// <summary>Appends to a store, which is created if it is missing, and waits for its projection.</summary>
    public async Task SetAsync(string shop, string key, string text)
    {
        using var lease = await Stores.OpenAsync(shop, create: true);
        var appended = await lease.Store.AppendAsync(KeyedTexts.Set(key, text));
        await lease.Store.Projections.Get<KeyedText>().WaitForAsync(appended.LastPosition);
    }

    public async ValueTask DisposeAsync()
    {
        await App.DisposeAsync();
        Directory.Delete(folder, recursive: true);
    }
}
