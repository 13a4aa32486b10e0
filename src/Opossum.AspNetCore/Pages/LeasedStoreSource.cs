using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCore.Pages;

/// <summary>The store on demand that the path names. It is leased for the time of the request, and never created.</summary>
internal sealed class LeasedStoreSource : StoreSource
{
    /// <summary>The name of the segment of the path.</summary>
    public const string Parameter = "store";

    // They go with the opening of the store.
    private readonly ConditionalWeakTable<IEventStore, Suggestions> suggestions = [];

    public override bool IsOneOfMany => true;

    public override string? NameOf(HttpContext http) => (string?)http.Request.RouteValues[Parameter];

    public override async Task<ShownStore?> OpenAsync(HttpContext http)
    {
        var stores = http.RequestServices.GetRequiredService<IEventStores>();
        if (await OpenAsync(stores, NameOf(http)!, http.RequestAborted).ConfigureAwait(false) is not { } lease)
            return null;
        return new ShownStore(lease.Store, lease.Store, suggestions.GetValue(lease.Store, static _ => new Suggestions()),
            async cancellationToken => StoreHealthReport.Of(await lease.CheckHealthAsync(cancellationToken).ConfigureAwait(false)), lease);
    }

    private static async Task<EventStoreHandle?> OpenAsync(IEventStores stores, string name, CancellationToken cancellationToken)
    {
        try
        {
            return await stores.OpenAsync(name, create: false, cancellationToken).ConfigureAwait(false);
        }
        catch (ArgumentException)
        {
            // No store can have that name.
            return null;
        }
        catch (StoreOpenException e) when (!e.IsTransient)
        {
            var names = await stores.ListAsync(cancellationToken).ConfigureAwait(false);
            if (!names.Contains(name, StringComparer.Ordinal))
                return null;
            throw;
        }
    }
}
