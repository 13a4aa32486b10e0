namespace Opossum.Storage;

/// <summary>Has the lock file's handle closed when nothing was appended for a while; for volumes that <see cref="FileSystem.Volume.SharesHandles">share handles</see>.</summary>
internal sealed class IdleLock : IDisposable
{
    private static readonly TimeSpan Delay = TimeSpan.FromSeconds(10);

    private readonly ITimer timer;

    public IdleLock(StoreLock storeLock, TimeProvider clock) =>
        timer = clock.CreateTimer(static storeLock => ((StoreLock)storeLock!).CloseIfIdle(), storeLock, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    /// <summary>The lock was used; the while begins anew.</summary>
    public void NoteUse() => timer.Change(Delay, Timeout.InfiniteTimeSpan);

    public void Dispose() => timer.Dispose();
}
