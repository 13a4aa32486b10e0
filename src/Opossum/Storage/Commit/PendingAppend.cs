using Opossum.Diagnostics;
using Opossum.Serialization;
using Opossum.Storage.Index;

namespace Opossum.Storage.Commit;

/// <summary>
/// An append under way: its events, its condition and its outcome. A caller that awaits it continues on a pool thread; a caller that
/// blocks is woken directly, even when the pool has no free thread.
/// </summary>
/// <param name="condition">Its condition; null: it is unconditional.</param>
/// <param name="recorded">For an import, instead of a condition: chooses, under the lock, which appends of another store are added, each as
/// an append of its own with its own time. Null for all other appends.</param>
internal sealed class PendingAppend(PreparedEvent[] events, AppendCondition? condition,
    Func<EventIndex, IReadOnlyList<RecordedAppend>>? recorded = null)
    : TaskCompletionSource<AppendResult>(TaskCreationOptions.RunContinuationsAsynchronously)
{
    private const int Waiting = 0;
    private const int Started = 1;
    private const int Cancelled = 2;

    private readonly long lineBytes = AppendSize.OfLines(events);
    private CancellationTokenRegistration registration;
    private AppendResult result;
    private Exception? error;
    private int state;

    public PreparedEvent[] Events => events;

    public AppendCondition? Condition => condition;

    public Func<EventIndex, IReadOnlyList<RecordedAppend>>? Recorded => recorded;

    /// <summary>
    /// Matches the events of this append, whichever process made it: if one is stored, the append succeeds with the positions it has, and stores
    /// nothing. Null for most appends.
    /// </summary>
    public Query? Once { get; init; }

    /// <summary>Its condition as its first event keeps it; null when the store does not.</summary>
    public KeptCondition? KeptCondition { get; init; }

    /// <summary>Its measurement; null when nobody listens.</summary>
    public MeasuredAppend? Measured { get; init; }

    /// <summary>The timestamp of the moment at which it was queued; null: it was not.</summary>
    public long? QueuedAt { get; set; }

    /// <summary>At most this many bytes are in its lines.</summary>
    public long Bytes => lineBytes + (KeptCondition?.Query.Length ?? 0);

    /// <summary>Whether its group stores its events.</summary>
    public bool IsAccepted { get; private set; }

    /// <summary>Whether its events are stored if its group is: by itself, or by the append of which it is a retry.</summary>
    public bool IsStoredWithGroup => IsAccepted || (IsDecidedByGroup && error is null);

    /// <summary>Whether an event of its group decided it: if the group is not stored, the reason is void.</summary>
    public bool IsDecidedByGroup { get; set; }

    public bool IsDecided => result != default || error is not null;

    /// <summary>Lets the token cancel the append until it is started.</summary>
    public void CancelWith(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
            registration = cancellationToken.UnsafeRegister(static (pending, token) => ((PendingAppend)pending!).Cancel(token), this);
    }

    /// <summary>Makes the append uncancellable; false when it is already cancelled.</summary>
    public bool TryStart() => Interlocked.CompareExchange(ref state, Started, Waiting) == Waiting;

    public void Succeed(AppendResult positions) => result = positions;

    /// <summary>The same for events that its group stores.</summary>
    public void Accept(AppendResult positions)
    {
        result = positions;
        IsAccepted = true;
    }

    public void Fail(Exception exception) => error = exception;

    public void Reset()
    {
        result = default;
        error = null;
        IsAccepted = IsDecidedByGroup = false;
    }

    /// <summary>Fails an append that no queue has taken, unless it was cancelled.</summary>
    public void Refuse(Exception exception)
    {
        if (!TryStart())
            return;
        Fail(exception);
        Report();
    }

    public void Report()
    {
        registration.Unregister();
        // One that was made before succeeds, and stores nothing.
        Measured?.End(error is null && !IsAccepted ? 0 : events.Length, error?.GetType());
        if (error is null)
            SetResult(result);
        else
            SetException(error);
    }

    private void Cancel(CancellationToken token)
    {
        if (Interlocked.CompareExchange(ref state, Cancelled, Waiting) != Waiting)
            return;
        Measured?.End(events.Length, typeof(OperationCanceledException));
        SetCanceled(token);
    }
}
