using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCore.Pages;

/// <summary>The one store that the pages were mapped for.</summary>
/// <param name="serviceKey">The store's key; null: the store without a key.</param>
internal sealed class HostedStoreSource(object? serviceKey) : StoreSource
{
    private readonly Suggestions suggestions = new();
    private readonly HealthReader health = new(checks => checks.AddOpossum(serviceKey));
    private readonly string? name = Convert.ToString(serviceKey, CultureInfo.InvariantCulture);

    public override bool IsOneOfMany => false;

    public override string? NameOf(HttpContext http) => name;

    public override Task<ShownStore?> OpenAsync(HttpContext http)
    {
        var services = http.RequestServices;
        var store = serviceKey is null ? services.GetRequiredService<IEventStore>() : services.GetRequiredKeyedService<IEventStore>(serviceKey);
        // An app may have put a store of its own in the place of the one that AddOpossum has added.
        var inFolder = store as FileSystemEventStore
            ?? (serviceKey is null ? services.GetService<IFileSystemEventStore>() : services.GetKeyedService<IFileSystemEventStore>(serviceKey));
        return Task.FromResult<ShownStore?>(new ShownStore(store, inFolder, suggestions,
            cancellationToken => health.ReadAsync(services, cancellationToken)));
    }
}
