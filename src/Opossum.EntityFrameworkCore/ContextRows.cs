using Microsoft.EntityFrameworkCore;
using Opossum.Projections.Databases;

namespace Opossum.EntityFrameworkCore;

/// <summary>The rows of a projection, in a transaction of a context.</summary>
internal sealed class ContextRows<TContext>(DbProjection<TContext> projection, TContext db) : IDbRows
    where TContext : DbContext
{
    public async Task ClearAsync(CancellationToken cancellationToken)
    {
        await projection.ClearAsync(db, cancellationToken).ConfigureAwait(false);
        await SaveAsync(cancellationToken).ConfigureAwait(false);
    }

    public async Task ApplyAsync(IEnumerable<SequencedEvent> events, CancellationToken cancellationToken)
    {
        foreach (var e in events)
        {
            await projection.ApplyAsync(db, e, cancellationToken).ConfigureAwait(false);
            if (!projection.SavesOnce)
                await SaveAsync(cancellationToken).ConfigureAwait(false);
        }
        if (projection.SavesOnce)
            await SaveAsync(cancellationToken).ConfigureAwait(false);
    }

    private async Task SaveAsync(CancellationToken cancellationToken)
    {
        await db.SaveChangesAsync(cancellationToken).ConfigureAwait(false);
        // Each save looks through all rows that the context knows.
        db.ChangeTracker.Clear();
    }
}
