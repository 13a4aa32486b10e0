using System.Data.Common;

namespace Opossum.Projections.Databases;

/// <summary>The rows of a projection, in a transaction of a connection.</summary>
internal sealed class ConnectionRows(DbProjection projection, DbConnection connection, DbTransaction transaction)
    : IDbRows
{
    public Task ClearAsync(CancellationToken cancellationToken) =>
        projection.ClearAsync(connection, transaction, cancellationToken);

    public async Task ApplyAsync(IEnumerable<SequencedEvent> events, CancellationToken cancellationToken)
    {
        foreach (var e in events)
            await projection.ApplyAsync(connection, transaction, e, cancellationToken).ConfigureAwait(false);
    }
}
