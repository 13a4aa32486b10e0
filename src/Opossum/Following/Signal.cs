namespace Opossum.Following;

/// <summary>Wakes all its waiters at each pulse.</summary>
internal sealed class Signal
{
    private TaskCompletionSource source = NewSource();

    /// <summary>Completes at the next pulse. Take it before checking whether there is a reason to wait.</summary>
    public Task Next => Volatile.Read(ref source).Task;

    public void Pulse() => Interlocked.Exchange(ref source, NewSource()).SetResult();

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
