using System.Data.Common;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace Opossum.EntityFrameworkCoreTests;

/// <summary>Fails once at a step between the handlers and the end of a commit.</summary>
internal sealed class FailingOnce(FailingStep step) : DbTransactionInterceptor, ISaveChangesInterceptor
{
    private bool isArmed;

    public bool HasFailed { get; private set; }

    /// <summary>From now on.</summary>
    public void Arm() => isArmed = true;

    public void At(FailingStep reached)
    {
        if (!isArmed || HasFailed || reached != step)
            return;
        HasFailed = true;
        throw new InvalidOperationException($"The test fails {reached}.");
    }

    public ValueTask<InterceptionResult<int>> SavingChangesAsync(DbContextEventData eventData, InterceptionResult<int> result,
        CancellationToken cancellationToken = default)
    {
        At(FailingStep.Saving);
        return ValueTask.FromResult(result);
    }

    public ValueTask<int> SavedChangesAsync(SaveChangesCompletedEventData eventData, int result, CancellationToken cancellationToken = default)
    {
        At(FailingStep.Saved);
        return ValueTask.FromResult(result);
    }

    public override ValueTask<InterceptionResult> TransactionCommittingAsync(DbTransaction transaction, TransactionEventData eventData,
        InterceptionResult result, CancellationToken cancellationToken = default)
    {
        At(FailingStep.Committing);
        return ValueTask.FromResult(result);
    }

    public override Task TransactionCommittedAsync(DbTransaction transaction, TransactionEndEventData eventData,
        CancellationToken cancellationToken = default)
    {
        At(FailingStep.Committed);
        return Task.CompletedTask;
    }
}
