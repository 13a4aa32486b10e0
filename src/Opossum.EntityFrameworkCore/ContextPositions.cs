using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Opossum.Projections.Databases;
using Opossum.Projections.States;

namespace Opossum.EntityFrameworkCore;

/// <summary>The row of a projection by the app's context, of which each transaction takes one of its own.</summary>
internal sealed class ContextPositions<TContext>(DbProjection<TContext> projection, IServiceScopeFactory scopes) : Positions(projection.Name)
    where TContext : DbContext
{
    public override string Database => typeof(TContext).Name;

    protected override string TableAdvice =>
        "add a migration and apply it before the host starts: dotnet ef migrations add OpossumPositions.";

    public override async Task AddAsync(PositionRow row, CancellationToken cancellationToken)
    {
        var scope = scopes.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
        {
            var db = ContextOf(scope);
            Rows(db).Add(row);
            await db.SaveChangesAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public override async Task CommitAsync(PositionRow known, PositionRow next, Func<IDbRows, Task>? work, CancellationToken cancellationToken)
    {
        var scope = scopes.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
        {
            var db = ContextOf(scope);
            // What fails is rolled back as a whole.
            db.Database.AutoSavepointsEnabled = false;
            // A strategy that retries runs it again; had the commit succeeded, the row is no longer the known one.
            await db.Database.CreateExecutionStrategy()
                .ExecuteAsync(token => TryCommitAsync(db, known, next, work, token), cancellationToken).ConfigureAwait(false);
        }
    }

    protected override async Task<PositionRow?> ReadRowAsync(CancellationToken cancellationToken)
    {
        var scope = scopes.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
        {
            return await Rows(ContextOf(scope)).AsNoTracking().SingleOrDefaultAsync(row => row.Name == Name, cancellationToken)
                .ConfigureAwait(false);
        }
    }

    private async Task TryCommitAsync(TContext db, PositionRow known, PositionRow next, Func<IDbRows, Task>? work,
        CancellationToken cancellationToken)
    {
        db.ChangeTracker.Clear();
        var transaction = await db.Database.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            // Order matters: the row is locked from here on, or another leader could apply the events too.
            ThrowUnlessChanged(await Rows(db)
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
                .ConfigureAwait(false));
            if (work is not null)
                await work(new ContextRows<TContext>(projection, db)).ConfigureAwait(false);
            await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private static TContext ContextOf(AsyncServiceScope scope) => scope.ServiceProvider.GetRequiredService<TContext>();

    private static DbSet<PositionRow> Rows(TContext db) => db.Model.FindEntityType(typeof(PositionRow)) is not null ? db.Set<PositionRow>()
        : throw new InvalidOperationException($"The model of {typeof(TContext)} has no table {PositionRow.Table}. Call "
            + "modelBuilder.AddOpossumPositions() in its OnModelCreating, and add a migration.");
}
