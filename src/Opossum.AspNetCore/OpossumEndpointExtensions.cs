using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Routing;
using Opossum.AspNetCore.Waiting;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Lets clients read their own writes: endpoints that wait until a position is reached before they answer.</summary>
/// <remarks>
/// A client that has appended passes the position it was answered: <c>GET /courses/c1?after=12</c>. Without <c>after</c> the endpoint answers at
/// once. An endpoint that reads several projections waits for each: the calls can be chained, and each has its own limit. The handler needs no
/// parameter for <c>after</c>; OpenAPI documents contain it.
/// <para>
/// The answers to what cannot be waited for are problem details (RFC 9457). 400: <c>after</c> is not a number, is negative or is given twice, or the
/// store has no such position within a second and no store of the app is on a network file system, which may show it later. 503 with
/// <c>Retry-After</c>: the position was not reached within the limit. 503 without <c>Retry-After</c>: the projection has stopped at an event.
/// </para>
/// </remarks>
/// <example><code>
/// app.MapGet("/courses/{id}", GetCourse).WaitForPosition&lt;CourseOverview&gt;();
/// </code></example>
public static class OpossumEndpointExtensions
{
    /// <summary>The name of the member of the query string: <c>after</c>.</summary>
    public const string AfterParameter = "after";

    /// <summary>Lets the endpoint wait until a projection's states include the position in <c>after</c>.</summary>
    /// <typeparam name="TState">The type of the projection's states.</typeparam>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="limit">The longest wait, from 1 ms to 1 hour. Null, the default: 5 s.</param>
    /// <param name="key">
    /// The projection's name or the key of its store, where several projections have that state type. Null, the default: the only one.
    /// </param>
    /// <returns>The endpoint.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The limit is out of range.</exception>
    public static RouteHandlerBuilder WaitForPosition<TState>(this RouteHandlerBuilder endpoint, TimeSpan? limit = null, object? key = null)
        where TState : class => Wait(endpoint, new ProjectionWait<TState>(key), limit);

    /// <summary>Lets each endpoint of a group wait until a projection's states include the position in <c>after</c>.</summary>
    /// <typeparam name="TState">The type of the projection's states.</typeparam>
    /// <param name="group">The group.</param>
    /// <param name="limit">The longest wait, from 1 ms to 1 hour. Null, the default: 5 s.</param>
    /// <param name="key">
    /// The projection's name or the key of its store, where several projections have that state type. Null, the default: the only one.
    /// </param>
    /// <returns>The group.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The limit is out of range.</exception>
    public static RouteGroupBuilder WaitForPosition<TState>(this RouteGroupBuilder group, TimeSpan? limit = null, object? key = null)
        where TState : class => Wait(group, new ProjectionWait<TState>(key), limit);

    /// <summary>
    /// Lets the endpoint wait until this process sees the position in <c>after</c> in the store: for reads of the store itself, where another
    /// process or machine may have appended.
    /// </summary>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="limit">The longest wait, from 1 ms to 1 hour. Null, the default: 5 s.</param>
    /// <param name="serviceKey">The store's key. Null, the default: the store without a key.</param>
    /// <returns>The endpoint.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The limit is out of range.</exception>
    public static RouteHandlerBuilder WaitForPosition(this RouteHandlerBuilder endpoint, TimeSpan? limit = null, object? serviceKey = null) =>
        Wait(endpoint, new StoreWait(serviceKey), limit);

    /// <summary>Lets each endpoint of a group wait until this process sees the position in <c>after</c> in the store.</summary>
    /// <param name="group">The group.</param>
    /// <param name="limit">The longest wait, from 1 ms to 1 hour. Null, the default: 5 s.</param>
    /// <param name="serviceKey">The store's key. Null, the default: the store without a key.</param>
    /// <returns>The group.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The limit is out of range.</exception>
    public static RouteGroupBuilder WaitForPosition(this RouteGroupBuilder group, TimeSpan? limit = null, object? serviceKey = null) =>
        Wait(group, new StoreWait(serviceKey), limit);

    /// <summary>Lets the endpoint wait until a projection includes the position in <c>after</c>: of any kind, also rows in a database.</summary>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="name">The projection's name.</param>
    /// <param name="limit">The longest wait, from 1 ms to 1 hour. Null, the default: 5 s.</param>
    /// <param name="serviceKey">The store's key. Null, the default: the store without a key.</param>
    /// <returns>The endpoint.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The limit is out of range.</exception>
    public static RouteHandlerBuilder WaitForProjection(this RouteHandlerBuilder endpoint, string name, TimeSpan? limit = null,
        object? serviceKey = null) => Wait(endpoint, new NamedProjectionWait(name, serviceKey), limit);

    /// <summary>Lets each endpoint of a group wait until a projection includes the position in <c>after</c>.</summary>
    /// <param name="group">The group.</param>
    /// <param name="name">The projection's name.</param>
    /// <param name="limit">The longest wait, from 1 ms to 1 hour. Null, the default: 5 s.</param>
    /// <param name="serviceKey">The store's key. Null, the default: the store without a key.</param>
    /// <returns>The group.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The limit is out of range.</exception>
    public static RouteGroupBuilder WaitForProjection(this RouteGroupBuilder group, string name, TimeSpan? limit = null,
        object? serviceKey = null) => Wait(group, new NamedProjectionWait(name, serviceKey), limit);

    private static TBuilder Wait<TBuilder>(TBuilder builder, PositionWait wait, TimeSpan? limit)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        var filter = new PositionFilter(new PositionGate(wait, limit ?? TimeSpan.FromSeconds(5)));
        builder.Add(PositionParameter.Describe);
        return builder
            .AddEndpointFilter(filter)
            .WithMetadata(new ProducesResponseTypeMetadata(StatusCodes.Status400BadRequest, typeof(HttpValidationProblemDetails),
                ["application/problem+json"]))
            .WithMetadata(new ProducesResponseTypeMetadata(StatusCodes.Status503ServiceUnavailable, typeof(ProblemDetails),
                ["application/problem+json"]));
    }
}
