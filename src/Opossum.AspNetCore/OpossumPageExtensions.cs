using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Opossum;
using Opossum.AspNetCore.Pages;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps pages to browse a store.</summary>
public static class OpossumPageExtensions
{
    /// <summary>
    /// Maps pages that show a store: events by type, tag, time and position with their JSON, new events as they are appended, what followed from
    /// what, projections with their lag and states, reactions with their lag and parked events, and health. The pages only read, unless
    /// <paramref name="withActions"/> is set.
    /// </summary>
    /// <remarks>
    /// Events can contain personal data, so the pages are closed to anonymous visitors. Without any further call, a visitor must be authenticated.
    /// <c>RequireAuthorization("policy")</c> on the result asks for more, <c>AllowAnonymous()</c> opens the pages to everybody. In an app without
    /// authentication the pages answer with status 403 and say how to open them.
    /// <para>
    /// The pages load nothing from elsewhere, contain no inline script or style, and work without JavaScript except for following new events. All
    /// links are relative, so that they work behind a reverse proxy and under a path base. What follows from what is read from the metadata
    /// <c>correlationId</c>, <c>causationId</c> (the id of the event that was the cause) and <c>traceparent</c>.
    /// </para>
    /// </remarks>
    /// <param name="endpoints">The app or a group.</param>
    /// <param name="pattern">The path of the pages. Default: <c>/opossum</c>.</param>
    /// <param name="serviceKey">The key that was passed to <c>AddKeyedOpossum</c>. Null, the default: the store without a key.</param>
    /// <param name="withActions">
    /// Whether visitors may rebuild projections, and retry or skip the event at which a projection has stopped or that a reaction has parked, with
    /// buttons. Who may see the pages may press them. They need the app's antiforgery services, <c>AddAntiforgery()</c>. Default: false.
    /// </param>
    /// <returns>A builder for the conventions of all pages, such as authorization.</returns>
    /// <exception cref="InvalidOperationException">
    /// There is no such store among the app's services, or no antiforgery services for <paramref name="withActions"/>.
    /// </exception>
    /// <example><code>
    /// app.MapOpossum().RequireAuthorization("operators");
    /// app.MapOpossum("/opossum/orders", "orders", withActions: true).RequireAuthorization("operators");
    /// </code></example>
    public static IEndpointConventionBuilder MapOpossum(this IEndpointRouteBuilder endpoints, string pattern = "/opossum", object? serviceKey = null,
        bool withActions = false)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        RequireStore(endpoints.ServiceProvider, pattern, serviceKey);
        RequireAntiforgery(endpoints.ServiceProvider, withActions);
        var group = endpoints.MapGroup(pattern);
        new StorePages(new HostedStoreSource(serviceKey), withActions, IsBelow(pattern)).Map(group);
        return group;
    }

    /// <summary>
    /// Maps a page that lists the stores on demand, and below it, at the path of a store's name, the pages that <see cref="MapOpossum"/> maps for a
    /// store.
    /// </summary>
    /// <remarks>
    /// The list opens no store. The pages of a store have a handle of it while a page is made or new events are followed, so it opens with its
    /// projections if it was closed, counts as used, and takes one of the <see cref="OpossumStoresOptions.MaxOpen"/> places. They create no store, and
    /// a name that no store can have is answered with status 404. Who may see the pages is decided as for <see cref="MapOpossum"/>, for all stores
    /// alike.
    /// </remarks>
    /// <param name="endpoints">The app or a group.</param>
    /// <param name="pattern">The path of the list. Default: <c>/opossum</c>.</param>
    /// <param name="withActions">As for <see cref="MapOpossum"/>. Default: false.</param>
    /// <returns>A builder for the conventions of all pages, such as authorization.</returns>
    /// <exception cref="InvalidOperationException">
    /// There is no <see cref="IEventStores"/> among the app's services, or no antiforgery services for <paramref name="withActions"/>.
    /// </exception>
    /// <example><code>
    /// app.MapOpossumStores("/shops/events").RequireAuthorization("operators");
    /// </code></example>
    public static IEndpointConventionBuilder MapOpossumStores(this IEndpointRouteBuilder endpoints, string pattern = "/opossum",
        bool withActions = false)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        if (endpoints.ServiceProvider.GetService<IServiceProviderIsService>()?.IsService(typeof(IEventStores)) == false)
        {
            throw new InvalidOperationException($"MapOpossumStores(\"{pattern}\") shows the stores on demand, and there are none. Call "
                + "builder.Services.AddOpossumStores(...), or MapOpossum for a single store.");
        }
        RequireAntiforgery(endpoints.ServiceProvider, withActions);
        var group = endpoints.MapGroup(pattern);
        new StoresPages(withActions, IsBelow(pattern)).Map(group);
        return group;
    }

    private static bool IsBelow(string pattern) => pattern.Trim('/').Length > 0;

    private static void RequireAntiforgery(IServiceProvider services, bool withActions)
    {
        if (withActions && services.GetService<IServiceProviderIsService>()?.IsService(typeof(IAntiforgery)) == false)
        {
            throw new InvalidOperationException("Pages with actions protect their forms from other sites, and the app has no antiforgery services. "
                + "Call builder.Services.AddAntiforgery().");
        }
    }

    // A wrong key is found when the app starts, not when somebody opens the page.
    private static void RequireStore(IServiceProvider services, string pattern, object? serviceKey)
    {
        var isThere = serviceKey is null
            ? services.GetService<IServiceProviderIsService>()?.IsService(typeof(IEventStore))
            : services.GetService<IServiceProviderIsKeyedService>()?.IsKeyedService(typeof(IEventStore), serviceKey);
        if (isThere != false)
            return;
        throw new InvalidOperationException(serviceKey is null
            ? $"MapOpossum(\"{pattern}\") shows the store without a key, and there is none. Call builder.Services.AddOpossum(...), or pass the "
                + "key of a store."
            : $"MapOpossum(\"{pattern}\") shows the store with the key {serviceKey}, and there is none. Call "
                + "builder.Services.AddKeyedOpossum(...) with that key.");
    }
}
