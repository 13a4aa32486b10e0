using Opossum;
using Opossum.AspNetCore.Problems;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Answers the exceptions of event stores with problem details.</summary>
public static class OpossumProblemDetailsExtensions
{
    /// <summary>
    /// Adds a handler that answers the exceptions of event stores, and invalid requests, with problem details (RFC 9457). The app must call
    /// <c>app.UseExceptionHandler()</c>.
    /// </summary>
    /// <remarks>
    /// <list type="bullet">
    /// <item>409 for an <see cref="AppendConditionFailedException"/>, with the members <c>conflictingPosition</c> and <c>head</c>.</item>
    /// <item>503 for every <see cref="EventStoreException"/> that is transient (a lock that was not free, a full disk, an unreachable share), and for
    /// a <see cref="StoreFaultedException"/> after which nothing is stored. It has <c>Retry-After</c> in the answer to GET and HEAD, and where an
    /// append or an opening is known to have failed; another request may have stored its events before a read failed. A request that appends more
    /// than once must allow for its earlier appends.</item>
    /// <item>500 without <c>Retry-After</c> for a <see cref="StoreFaultedException"/> whose events are, or may be, stored: a client that repeats the
    /// request could store them twice. The member <c>outcome</c> is <c>stored</c> or <c>unknown</c>.</item>
    /// <item>503 without <c>Retry-After</c> for a <see cref="ProjectionException"/>, with the member <c>projection</c>.</item>
    /// <item>503 without <c>Retry-After</c> for a <see cref="PersonalDataException"/> that is not transient, such as a missing master key; 409
    /// if <see cref="PersonalDataException.ForgottenPerson"/> names a person.</item>
    /// <item>400 for an <see cref="ArgumentException"/> with which a store refuses a value, such as a tag that is too long, and the status of
    /// a <see cref="Microsoft.AspNetCore.Http.BadHttpRequestException"/>, with the invalid member of the JSON.</item>
    /// </list>
    /// All other exceptions are left to the app. The answers contain no paths; the log has the exceptions. A handler that the app added before
    /// this one is asked first.
    /// </remarks>
    /// <param name="services">The app's services.</param>
    /// <returns>The services.</returns>
    /// <example><code>
    /// builder.Services.AddOpossumProblemDetails();
    /// app.UseExceptionHandler();
    /// </code></example>
    public static IServiceCollection AddOpossumProblemDetails(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddProblemDetails();
        if (!services.Any(static service => service.ImplementationType == typeof(StoreExceptionHandler)))
            services.AddExceptionHandler<StoreExceptionHandler>();
        return services;
    }
}
