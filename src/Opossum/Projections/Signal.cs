namespace Opossum.Projections;

/// <summary>Wakes all who wait for it, each time anew.</summary>
internal sealed class Signal
{
    private TaskCompletionSource source = NewSource();

    /// <summary>Completes at the next pulse. Take it before looking whether there is a reason to wait.</summary>
    public Task Next => Volatile.Read(ref source).Task;

    public void Pulse() => Interlocked.Exchange(ref source, NewSource()).SetResult();

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
