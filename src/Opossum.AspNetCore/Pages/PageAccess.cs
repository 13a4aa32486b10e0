using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCore.Pages;

/// <summary>Keeps anonymous visitors out, unless the app says otherwise.</summary>
internal static class PageAccess
{
    /// <summary>Whether the visitor may see the page; if not, the visitor has been answered.</summary>
    public static async Task<bool> IsAllowedAsync(PageRequest page)
    {
        var http = page.Http;
        var metadata = http.GetEndpoint()?.Metadata;
        // ASP.NET has checked a policy already, and refuses endpoints with a policy where its middleware is missing.
        if (metadata?.GetMetadata<IAllowAnonymous>() is not null || metadata?.GetMetadata<IAuthorizeData>() is not null
            || http.User.Identity?.IsAuthenticated == true)
        {
            return true;
        }

        if (http.RequestServices.GetService<IAuthenticationSchemeProvider>() is { } schemes
            && await schemes.GetDefaultChallengeSchemeAsync().ConfigureAwait(false) is not null)
        {
            await http.ChallengeAsync().ConfigureAwait(false);
            return false;
        }
        await page.WriteAsync(ErrorPage.CreateClosed(page), StatusCodes.Status403Forbidden).ConfigureAwait(false);
        return false;
    }
}
