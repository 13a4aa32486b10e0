using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum;

/// <summary>Adds projections into a database to a store of a host.</summary>
public static class OpossumDbProjectionExtensions
{
    /// <summary>
    /// Adds a projection into a database to the store, where it runs while the store is open. Of all processes that run it, one applies the events.
    /// <see cref="IFileSystemEventStore.Projections"/> has its status, waits for it, rebuilds it, and retries or skips an event that fails.
    /// </summary>
    /// <typeparam name="TContext">The app's context, as <c>AddDbContext</c> registers it.</typeparam>
    /// <param name="builder">The builder of the store.</param>
    /// <param name="name">The name; see <see cref="Projection.Name"/>. It is also that of its row in <c>opossum_positions</c>.</param>
    /// <param name="configure">Adds the handlers.</param>
    /// <param name="version">The version, from 1. Raise it when handlers or tables change: the rows are then built again. Default: 1.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="NotSupportedException">The builder is that of all stores on demand.</exception>
    /// <example><code>
    /// services
    ///     .AddDbContext&lt;SalesContext&gt;(options =&gt; options.UseSqlite("Data Source=sales.db"))
    ///     .AddOpossum(options =&gt;
    ///     {
    ///         options.Path = "store";
    ///         options.EventTypes.Add&lt;OrderPlaced&gt;();
    ///     })
    ///     .AddDbProjection&lt;SalesContext&gt;("orders", p =&gt; p
    ///         .On&lt;OrderPlaced&gt;(async (db, e, cancellation) =&gt; await db.Orders.AddAsync(new OrderRow(e.OrderId, e.Total), cancellation))
    ///         .Clear((db, cancellation) =&gt; db.Orders.ExecuteDeleteAsync(cancellation)));
    /// </code></example>
    public static OpossumBuilder AddDbProjection<TContext>(this OpossumBuilder builder, string name, Action<DbProjection<TContext>> configure,
        int version = 1)
        where TContext : DbContext
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        return builder.AddProjection(services =>
        {
            var projection = new DbProjection<TContext>(name, version, services.GetRequiredService<IServiceScopeFactory>());
            configure(projection);
            return projection;
        });
    }
}
