using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Mvc.Filters;
using Opossum.AspNetCore.Waiting;

namespace Microsoft.AspNetCore.Mvc;

/// <summary>
/// Lets an action, or all actions of a controller, wait until this process sees the position in <c>after</c> in the store; see
/// <see cref="OpossumEndpointExtensions"/> for what a client sends and is answered.
/// </summary>
/// <remarks>
/// For reads of the store itself, where another process or machine may have appended, or of one projection. OpenAPI documents contain <c>after</c>
/// if the action has such a parameter.
/// </remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
public class WaitForPositionAttribute : Attribute, IFilterFactory
{
    /// <summary>The longest wait in milliseconds, from 1 to 3,600,000. Default: 5,000.</summary>
    public int LimitMilliseconds { get; init; } = 5_000;

    /// <summary>
    /// The store's key; with a type of states, the projection's name or the key of its store. Null, the default: the store without a key, or the only
    /// projection with that type.
    /// </summary>
    public string? Key { get; init; }

    /// <summary>A projection of any kind, also rows in a database, by its name. Null, the default: the store itself is waited for.</summary>
    public string? Projection { get; init; }

    /// <summary>True: one filter serves all requests of an action.</summary>
    public bool IsReusable => true;

    /// <summary>Makes the filter.</summary>
    /// <param name="serviceProvider">The app's services.</param>
    /// <exception cref="ArgumentOutOfRangeException">The limit is out of range.</exception>
    public IFilterMetadata CreateInstance(IServiceProvider serviceProvider) =>
        new PositionActionFilter(new PositionGate(NewWait(), TimeSpan.FromMilliseconds(LimitMilliseconds)));

    private protected virtual PositionWait NewWait() => Projection is { } name ? new NamedProjectionWait(name, Key) : new StoreWait(Key);
}
