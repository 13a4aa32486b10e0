using System.Transactions;
using Opossum.Following;
using Opossum.Projections.States;

namespace Opossum.Projections.Databases;

/// <summary>The row of a projection, and the transactions that change it together with the projection's rows.</summary>
/// <param name="name">The projection's name.</param>
internal abstract class Positions(string name)
{
    /// <summary>What the database is called in messages.</summary>
    public abstract string Database { get; }

    /// <summary>
    /// Whether rows are cleared and built again in one transaction, which readers do not see until it is committed.
    /// </summary>
    public bool RebuildsInOneTransaction { get; init; }

    /// <summary>The projection's name.</summary>
    protected string Name => name;

    /// <summary>How the table is made, as a sentence.</summary>
    protected abstract string TableAdvice { get; }

    /// <summary>Reads the row; null if there is none.</summary>
    /// <exception cref="InvalidOperationException">The table cannot be read.</exception>
    public async Task<PositionRow?> ReadAsync(CancellationToken cancellationToken)
    {
        // In a caller's transaction it would see the same row for ever.
        using var alone = new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled);
        try
        {
            return await ReadRowAsync(cancellationToken).ConfigureAwait(false);
        }
        // A strategy of the context that has retried in vain throws an exception of its own.
        catch (Exception e) when (e is not OperationCanceledException and not InvalidOperationException)
        {
            throw new InvalidOperationException(
                $"The table {PositionRow.Table} of {Database} cannot be read: {e.Message} If it is missing, {TableAdvice}", e);
        }
    }

    public abstract Task AddAsync(PositionRow row, CancellationToken cancellationToken);

    /// <summary>Changes the row, and others by some work, in one transaction.</summary>
    /// <param name="known">The row as this process left it.</param>
    /// <param name="next">What it becomes.</param>
    /// <param name="work">Changes the projection's rows; null: nothing does.</param>
    /// <param name="cancellationToken">Cancels the transaction.</param>
    /// <exception cref="LeadershipLostException">
    /// The row is not as this process left it: another process leads.
    /// </exception>
    public abstract Task CommitAsync(PositionRow known, PositionRow next, Func<IDbRows, Task>? work,
        CancellationToken cancellationToken);

    protected abstract Task<PositionRow?> ReadRowAsync(CancellationToken cancellationToken);

    /// <summary>Ends a term whose row's change has found another row than the known one.</summary>
    /// <exception cref="LeadershipLostException">It has.</exception>
    protected void ThrowUnlessChanged(int rows)
    {
        if (rows != 1)
        {
            throw new LeadershipLostException($"The row {name} of {PositionRow.Table} was changed by another process, "
                + "or deleted.");
        }
    }
}
