using System.Security.Claims;
using Microsoft.AspNetCore.Http;
using Opossum;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Names the user of a request in the events that it appends.</summary>
public static class OpossumUserExtensions
{
    /// <summary>
    /// Adds the user of the current request to the metadata of the events that are appended in it, as <c>user</c>
    /// (<see cref="MetadataNames.User"/>): the claim of the name identifier (<c>sub</c>), or the name where there is none. An anonymous request adds
    /// nothing.
    /// </summary>
    /// <param name="builder">The store, or all stores on demand.</param>
    /// <param name="outsideRequests">Who appends outside of a request, such as <c>import-service</c>. Null, the default: nobody is named.</param>
    /// <returns>The builder.</returns>
    public static OpossumBuilder WithHttpUser(this OpossumBuilder builder, string? outsideRequests = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddHttpContextAccessor();
        return builder.WithUser(services => UserOf(services, outsideRequests));
    }

    private static string? UserOf(IServiceProvider services, string? outsideRequests) =>
        services.GetRequiredService<IHttpContextAccessor>().HttpContext is { } http
            ? http.User.FindFirstValue(ClaimTypes.NameIdentifier) ?? http.User.FindFirstValue("sub") ?? http.User.Identity?.Name
            : outsideRequests;
}
