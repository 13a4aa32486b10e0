using System.Threading.Tasks.Sources;
using Opossum.Serialization;

namespace Opossum.Storage;

/// <summary>An append on its way: what is to be written under which condition, and its outcome, on which its caller waits.</summary>
internal sealed class PendingAppend(PreparedEvent[] events, AppendCondition? condition) : IValueTaskSource<AppendResult>, IThreadPoolWorkItem
{
    private const int Waiting = 0;
    private const int Started = 1;
    private const int Cancelled = 2;

    private ManualResetValueTaskSourceCore<AppendResult> source;
    private CancellationTokenRegistration registration;
    private AppendResult result;
    private Exception? error;
    private int state;

    public PreparedEvent[] Events => events;

    public AppendCondition? Condition => condition;

    /// <summary>How many bytes of JSON it has.</summary>
    public long Bytes { get; } = BytesOf(events);

    public bool IsDecided => result != default || error is not null;

    /// <summary>What a caller's <see cref="ValueTask{T}"/> is made with.</summary>
    public short Version => source.Version;

    /// <exception cref="ArgumentException">The append is larger than one may be.</exception>
    public void CheckSize(string parameter)
    {
        if (Bytes > StoreLayout.AppendBytesMax)
            throw new ArgumentException($"The append has {Bytes} bytes of JSON; at most {StoreLayout.AppendBytesMax} are allowed in one. Append the events in several.", parameter);
    }

    /// <summary>Lets the token end the wait for as long as the append has not been started.</summary>
    public void CancelWith(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
            registration = cancellationToken.UnsafeRegister(static (pending, token) => ((PendingAppend)pending!).Cancel(token), this);
    }

    /// <summary>Takes the append out of reach of its token; false when it was cancelled before.</summary>
    public bool TryStart() => Interlocked.CompareExchange(ref state, Started, Waiting) == Waiting;

    public void Succeed(AppendResult positions) => result = positions;

    public void Fail(Exception exception) => error = exception;

    public void Reset()
    {
        result = default;
        error = null;
    }

    /// <summary>Tells the caller the outcome. The caller goes on in here: nothing may be held.</summary>
    public void Execute()
    {
        registration.Dispose();
        if (error is null)
            source.SetResult(result);
        else
            source.SetException(error);
    }

    AppendResult IValueTaskSource<AppendResult>.GetResult(short token) => source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<AppendResult>.GetStatus(short token) => source.GetStatus(token);

    void IValueTaskSource<AppendResult>.OnCompleted(Action<object?> continuation, object? continuationState, short token, ValueTaskSourceOnCompletedFlags flags) =>
        source.OnCompleted(continuation, continuationState, token, flags);

    private static long BytesOf(PreparedEvent[] events)
    {
        var bytes = 0L;
        foreach (var each in events)
            bytes += each.Bytes;
        return bytes;
    }

    private void Cancel(CancellationToken token)
    {
        if (Interlocked.CompareExchange(ref state, Cancelled, Waiting) != Waiting)
            return;
        error = new OperationCanceledException(token);
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
