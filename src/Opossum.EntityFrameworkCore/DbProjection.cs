using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Opossum.EntityFrameworkCore;
using Opossum.Following;
using Opossum.Projections;
using Opossum.Projections.Databases;
using Opossum.Serialization;

namespace Opossum;

/// <summary>
/// A read model in a database: its handlers say which events change which rows. What they change is committed in one transaction with the position
/// of the last event, so each event counts exactly once.
/// </summary>
/// <typeparam name="TContext">
/// The app's context, registered with its services; its model calls <see cref="OpossumModelBuilderExtensions.AddOpossumPositions"/>.
/// </typeparam>
/// <remarks>
/// A handler changes rows through the context that it is given, and nothing else: it is called again when its transaction was rolled back. It
/// saves nothing itself, and begins and commits no transaction.
/// </remarks>
public sealed class DbProjection<TContext> : Projection
    where TContext : DbContext
{
    private readonly EventHandlers<ContextHandler<TContext>> handlers;
    private readonly IServiceScopeFactory scopes;
    private Func<TContext, CancellationToken, Task>? clear;
    private bool rebuildsInOneTransaction;

    internal DbProjection(string name, int version, IServiceScopeFactory scopes)
        : base(name, version)
    {
        this.scopes = scopes;
        handlers = new EventHandlers<ContextHandler<TContext>>($"The projection {name}");
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The projection has no handler, or no <see cref="Clear"/>.</exception>
    public override Query Query => handlers.GetQuery([], () =>
    {
        if (clear is null)
        {
            throw new InvalidOperationException($"The projection {Name} does not say how its rows are deleted before it is built again. Call "
                + "Clear((db, cancellation) => ...) with what deletes them.");
        }
    });

    /// <summary>Whether the changes of a batch are saved at once, and not after each event.</summary>
    internal bool SavesOnce { get; private set; }

    /// <summary>Adds a handler of an event type.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="apply">Changes rows, from the context, the event's data, and a token that is cancelled when the host stops.</param>
    /// <returns>This projection.</returns>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or already has a handler.</exception>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    public DbProjection<TContext> On<TEvent>(Func<TContext, TEvent, CancellationToken, Task> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(apply);
        return On<TEvent>((db, data, _, cancellation) => apply(db, data, cancellation));
    }

    /// <summary>Adds the same, which also receives the envelope of the event: position, timestamp, tags, metadata.</summary>
    /// <inheritdoc cref="On{TEvent}(Func{TContext, TEvent, CancellationToken, Task})"/>
    public DbProjection<TContext> On<TEvent>(Func<TContext, TEvent, SequencedEvent, CancellationToken, Task> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(apply);
        handlers.Add(NameRules.EventTypeOf(typeof(TEvent), "handle its events by name: On(\"...\", (db, e, cancellation) => ...)."),
            (db, e, cancellation) => apply(db, TypedData.Of<TEvent>(e, "the projection's handler"), e, cancellation), typeof(TEvent));
        return this;
    }

    /// <summary>Adds a handler by type name, without a CLR type.</summary>
    /// <param name="eventType">The type's name.</param>
    /// <param name="apply">Changes rows, from the context, the event, and a token that is cancelled when the host stops.</param>
    /// <returns>This projection.</returns>
    /// <exception cref="ArgumentException">The name is not allowed, or already has a handler.</exception>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    public DbProjection<TContext> On(string eventType, Func<TContext, SequencedEvent, CancellationToken, Task> apply)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        ArgumentNullException.ThrowIfNull(apply);
        handlers.Add(eventType, new ContextHandler<TContext>(apply));
        return this;
    }

    /// <summary>
    /// Says how the projection's rows are deleted, before they are built for the first time or again: because of a higher version, a request, or a
    /// store with other events. Required. It is committed with position 0; readers then see the rows come back, batch by batch.
    /// </summary>
    /// <param name="clear">Deletes all rows of the projection, such as by <c>db.Orders.ExecuteDeleteAsync(cancellation)</c>.</param>
    /// <returns>This projection.</returns>
    /// <exception cref="InvalidOperationException">The method was called before, or the projection is already in use.</exception>
    public DbProjection<TContext> Clear(Func<TContext, CancellationToken, Task> clear)
    {
        ArgumentNullException.ThrowIfNull(clear);
        handlers.Change(() =>
        {
            if (this.clear is not null)
                throw new InvalidOperationException($"The projection {Name} calls Clear twice; one function deletes all of its rows.");
            this.clear = clear;
        });
        return this;
    }

    /// <summary>
    /// Saves the changes of up to 512 events at once, which takes a fraction of the time. Handlers must then find rows by
    /// <c>FindAsync</c>, which sees those that were not saved yet; a LINQ query, <c>ExecuteUpdateAsync</c> or SQL would not see them. Without this
    /// call the changes are saved after each event.
    /// </summary>
    /// <returns>This projection.</returns>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    public DbProjection<TContext> SaveOncePerBatch()
    {
        handlers.Change(() => SavesOnce = true);
        return this;
    }

    /// <summary>
    /// Builds the rows again in one transaction: readers see the old rows until it is committed, and then the new ones.
    /// Until then it locks what it writes: on SQLite the database for all other writers, and on SQL Server without row
    /// versions also readers. A process that ends meanwhile has built nothing. If it fails, the rows are built in place,
    /// as they always are without this call.
    /// </summary>
    /// <returns>This projection.</returns>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    public DbProjection<TContext> RebuildInOneTransaction()
    {
        handlers.Change(() => rebuildsInOneTransaction = true);
        return this;
    }

    internal override bool IsInStore => false;

    internal override Follower CreateFollower(ProjectionHost host) => new DbFollower(host, this,
        new ContextPositions<TContext>(this, scopes) { RebuildsInOneTransaction = rebuildsInOneTransaction });

    internal Task ApplyAsync(TContext db, SequencedEvent e, CancellationToken cancellationToken) => handlers[e.Type](db, e, cancellationToken);

    internal Task ClearAsync(TContext db, CancellationToken cancellationToken) => clear!(db, cancellationToken);
}
