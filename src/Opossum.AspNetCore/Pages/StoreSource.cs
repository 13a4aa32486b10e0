using Microsoft.AspNetCore.Http;

namespace Opossum.AspNetCore.Pages;

/// <summary>Finds the store that the pages of a request show.</summary>
internal abstract class StoreSource
{
    /// <summary>Whether the request chooses one of several stores, of which there is a list.</summary>
    public abstract bool IsOneOfMany { get; }

    /// <summary>The store's name; null or empty: it has none.</summary>
    public abstract string? NameOf(HttpContext http);

    /// <summary>Opens the store, for visitors who may see it; null: there is no such store.</summary>
    /// <exception cref="EventStoreException">The store cannot be opened.</exception>
    public abstract Task<ShownStore?> OpenAsync(HttpContext http);
}
