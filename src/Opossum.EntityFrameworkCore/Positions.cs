using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Opossum.Following;

namespace Opossum.EntityFrameworkCore;

/// <summary>The row of a projection, and the transactions that change it together with the projection's rows.</summary>
internal sealed class Positions<TContext>(IServiceScopeFactory scopes, string name)
    where TContext : DbContext
{
    /// <summary>Reads the row; null if there is none.</summary>
    /// <exception cref="InvalidOperationException">The table is not in the model, or cannot be read.</exception>
    public async Task<PositionRow?> ReadAsync(CancellationToken cancellationToken)
    {
        var scope = scopes.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
        {
            try
            {
                return await Rows(ContextOf(scope)).AsNoTracking().SingleOrDefaultAsync(row => row.Name == name, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (DbException e)
            {
                throw new InvalidOperationException($"The table {PositionRow.Table} of {typeof(TContext).Name} cannot be read: {e.Message} If it is "
                    + "missing, add a migration and apply it before the host starts: dotnet ef migrations add OpossumPositions.", e);
            }
        }
    }

    /// <summary>Adds the row.</summary>
    public async Task AddAsync(PositionRow row, CancellationToken cancellationToken)
    {
        var scope = scopes.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
        {
            var db = ContextOf(scope);
            Rows(db).Add(row);
            await db.SaveChangesAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Changes the row, and others by some work, in one transaction.</summary>
    /// <param name="known">The row as this process has left it.</param>
    /// <param name="next">What it becomes.</param>
    /// <param name="work">Changes the projection's rows, and saves them; null: none.</param>
    /// <param name="cancellationToken">Cancels the transaction.</param>
    /// <exception cref="LeadershipLostException">The row is not as this process has left it: another process leads.</exception>
    public async Task CommitAsync(PositionRow known, PositionRow next, Func<TContext, Task>? work, CancellationToken cancellationToken)
    {
        var scope = scopes.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
        {
            var db = ContextOf(scope);
            // A strategy that retries runs it again; had the commit succeeded, the row is no longer the known one.
            await db.Database.CreateExecutionStrategy().ExecuteAsync(() => TryCommitAsync(db, known, next, work, cancellationToken))
                .ConfigureAwait(false);
        }
    }

    private async Task TryCommitAsync(TContext db, PositionRow known, PositionRow next, Func<TContext, Task>? work,
        CancellationToken cancellationToken)
    {
        db.ChangeTracker.Clear();
        var transaction = await db.Database.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            // Order matters: the row is changed first. It stays locked up to the commit, so no other term begins meanwhile.
            var changed = await Rows(db)
                .Where(row => row.Name == known.Name && row.Term == known.Term && row.Position == known.Position)
                .ExecuteUpdateAsync(set => set
                    .SetProperty(row => row.Version, next.Version)
                    .SetProperty(row => row.Term, next.Term)
                    .SetProperty(row => row.Position, next.Position)
                    .SetProperty(row => row.EventId, next.EventId)
                    .SetProperty(row => row.Target, next.Target)
                    .SetProperty(row => row.FaultPosition, next.FaultPosition)
                    .SetProperty(row => row.FaultType, next.FaultType)
                    .SetProperty(row => row.FaultError, next.FaultError)
                    .SetProperty(row => row.FaultAt, next.FaultAt), cancellationToken)
                .ConfigureAwait(false);
            if (changed != 1)
                throw new LeadershipLostException($"The row {name} of {PositionRow.Table} was changed by another process, or deleted.");
            if (work is not null)
                await work(db).ConfigureAwait(false);
            await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private static TContext ContextOf(AsyncServiceScope scope) => scope.ServiceProvider.GetRequiredService<TContext>();

    private static DbSet<PositionRow> Rows(TContext db) => db.Model.FindEntityType(typeof(PositionRow)) is not null ? db.Set<PositionRow>()
        : throw new InvalidOperationException($"The model of {typeof(TContext)} has no table {PositionRow.Table}. Call "
            + "modelBuilder.AddOpossumPositions() in its OnModelCreating, and add a migration.");
}
