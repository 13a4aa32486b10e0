using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCore.Pages;

/// <summary>The list of the stores on demand, from which a visitor goes to the pages of one. The list opens no store.</summary>
internal sealed class StoresPages(bool withActions, bool isBelow)
{
    private readonly HealthReader health = new(static checks => checks.AddOpossumStores());

    public void Map(RouteGroupBuilder group)
    {
        PageRoutes.Map(group, "/", "Stores", (http, depth) =>
        {
            var page = new PageRequest(http, "stores", [], depth);
            return PageRoutes.AnswerAsync(page, () => ShowAsync(page));
        });
        PageRoutes.MapAssets(group);
        new StorePages(new LeasedStoreSource(), withActions, isBelow).Map(group.MapGroup($"/{{{LeasedStoreSource.Parameter}}}"));
    }

    private async Task ShowAsync(PageRequest page)
    {
        var services = page.Http.RequestServices;
        var names = await services.GetRequiredService<IEventStores>().ListAsync(page.Cancelled).ConfigureAwait(false);
        var open = await health.ReadAsync(services, page.Cancelled).ConfigureAwait(false);
        var query = page.Http.Request.Query;
        await page.WriteAsync(StoresPage.Create(page, names, query[StoresPage.NameField].ToString(), query[StoresPage.AfterField].ToString(),
            open)).ConfigureAwait(false);
    }
}
