using System.Data.Common;
using Opossum.Following;
using Opossum.Projections;
using Opossum.Projections.Databases;
using Opossum.Serialization;

namespace Opossum;

/// <summary>
/// A read model in a database, by ADO.NET, Dapper or what else takes a <see cref="DbConnection"/>: its handlers say
/// which events change which rows. What they change is committed in one transaction with the position of the last
/// event, so each event counts exactly once.
/// </summary>
/// <remarks>
/// The database has the table <c>opossum_positions</c>; docs/read-models.md has its SQL. A handler changes rows through
/// the connection and the transaction that it is given, and nothing else: it is called again when its transaction was
/// rolled back. It does not commit. With Entity Framework Core use the package Opossum.EntityFrameworkCore.
/// </remarks>
/// <example><code>
/// services
///     .AddOpossum(options =&gt;
///     {
///         options.Path = "store";
///         options.EventTypes.Add&lt;OrderPlaced&gt;();
///     })
///     .AddDbProjection("orders", _ =&gt; new SqliteConnection("Data Source=sales.db"), p =&gt; p
///         .On&lt;OrderPlaced&gt;((connection, transaction, e, cancellation) =&gt; connection.ExecuteAsync(
///             "insert into orders (id, total) values (@OrderId, @Total)", e, transaction))
///         .Clear((connection, transaction, cancellation) =&gt;
///             connection.ExecuteAsync("delete from orders", transaction: transaction)));
/// </code></example>
public sealed class DbProjection : Projection
{
    private readonly Func<DbConnection> connect;
    private readonly EventHandlers<DbHandler> handlers;
    private Func<DbConnection, DbTransaction, CancellationToken, Task>? clear;
    private bool rebuildsInOneTransaction;

    /// <summary>Creates a projection; add its handlers by <c>On</c> and <see cref="Clear"/>.</summary>
    /// <param name="name">
    /// The name; see <see cref="Projection.Name"/>. It is also that of its row in <c>opossum_positions</c>.
    /// </param>
    /// <param name="connect">
    /// Makes a connection that is not open; each transaction takes one and disposes of it.
    /// </param>
    /// <param name="version">The version, from 1; see <see cref="Projection.Version"/>. Default: 1.</param>
    /// <exception cref="ArgumentException">The name is not allowed.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The version is less than 1.</exception>
    public DbProjection(string name, Func<DbConnection> connect, int version = 1)
        : base(name, version)
    {
        ArgumentNullException.ThrowIfNull(connect);
        this.connect = connect;
        handlers = new EventHandlers<DbHandler>($"The projection {name}");
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">
    /// The projection has no handler, or no <see cref="Clear"/>.
    /// </exception>
    public override Query Query => handlers.GetQuery([], () =>
    {
        if (clear is null)
        {
            throw new InvalidOperationException($"The projection {Name} does not say how its rows are deleted before it is built again. Call "
                + "Clear((connection, transaction, cancellation) => ...) with what deletes them.");
        }
    });

    /// <summary>Adds a handler of an event type.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="apply">
    /// Changes rows, from the connection, the transaction, the data and a token that is cancelled when the host stops.
    /// </param>
    /// <returns>This projection.</returns>
    /// <exception cref="ArgumentException">
    /// The type has no <see cref="EventTypeAttribute"/>, or already has a handler.
    /// </exception>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    public DbProjection On<TEvent>(Func<DbConnection, DbTransaction, TEvent, CancellationToken, Task> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(apply);
        return On<TEvent>((connection, transaction, data, _, cancellation) => apply(connection, transaction, data, cancellation));
    }

    /// <summary>
    /// Adds the same, which also receives the envelope of the event: position, timestamp, tags, metadata.
    /// </summary>
    /// <inheritdoc cref="On{TEvent}(Func{DbConnection, DbTransaction, TEvent, CancellationToken, Task})"/>
    public DbProjection On<TEvent>(
        Func<DbConnection, DbTransaction, TEvent, SequencedEvent, CancellationToken, Task> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(apply);
        var name = NameRules.EventTypeOf(typeof(TEvent),
            "handle its events by name: On(\"...\", (connection, transaction, e, cancellation) => ...).");
        handlers.Add(name, (connection, transaction, e, cancellation) =>
            apply(connection, transaction, TypedData.Of<TEvent>(e, "the projection's handler"), e, cancellation), typeof(TEvent));
        return this;
    }

    /// <summary>Adds a handler by type name, without a CLR type.</summary>
    /// <param name="eventType">The type's name.</param>
    /// <param name="apply">
    /// Changes rows, from the connection, the transaction, the event and a token that is cancelled when the host stops.
    /// </param>
    /// <returns>This projection.</returns>
    /// <exception cref="ArgumentException">The name is not allowed, or already has a handler.</exception>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    public DbProjection On(string eventType, Func<DbConnection, DbTransaction, SequencedEvent, CancellationToken, Task> apply)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        ArgumentNullException.ThrowIfNull(apply);
        handlers.Add(eventType, new DbHandler(apply));
        return this;
    }

    /// <summary>
    /// Says how the projection's rows are deleted, before they are built for the first time or again: because of a
    /// higher version, a request, or a store with other events. Required. It is committed with position 0; readers then
    /// see the rows come back, batch by batch.
    /// </summary>
    /// <param name="clear">Deletes all rows of the projection.</param>
    /// <returns>This projection.</returns>
    /// <exception cref="InvalidOperationException">
    /// The method was called before, or the projection is already in use.
    /// </exception>
    public DbProjection Clear(Func<DbConnection, DbTransaction, CancellationToken, Task> clear)
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
    /// Builds the rows again in one transaction: readers see the old rows until it is committed, and then the new ones.
    /// Until then it locks what it writes: on SQLite the database for all other writers, and on SQL Server without row
    /// versions also readers. A process that ends meanwhile has built nothing. If it fails, the rows are built in place,
    /// as they always are without this call.
    /// </summary>
    /// <returns>This projection.</returns>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    public DbProjection RebuildInOneTransaction()
    {
        handlers.Change(() => rebuildsInOneTransaction = true);
        return this;
    }

    internal override bool IsInStore => false;

    internal override Follower CreateFollower(ProjectionHost host) => new DbFollower(host, this,
        new ConnectionPositions(this, connect) { RebuildsInOneTransaction = rebuildsInOneTransaction });

    internal Task ApplyAsync(DbConnection connection, DbTransaction transaction, SequencedEvent e,
        CancellationToken cancellationToken) => handlers[e.Type](connection, transaction, e, cancellationToken);

    internal Task ClearAsync(DbConnection connection, DbTransaction transaction,
        CancellationToken cancellationToken) => clear!(connection, transaction, cancellationToken);
}
