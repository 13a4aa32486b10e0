using Opossum.FileSystem;
using Opossum.Leading;

namespace Opossum.Projections.Reading;

/// <summary>Runs work on the files of a projection for a caller's thread, and turns its failures into the exceptions that users see.</summary>
internal sealed class StateWork(ProjectionHost host, string projection)
{
    // A thread with a synchronization context, such as a UI thread, must not wait for the disk.
    public Task<T> DoAsync<T>(Func<T> work, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<T>(cancellationToken);
        if (host.Volume.IsNetwork || SynchronizationContext.Current is not null)
            return Task.Run(() => Do(work), cancellationToken);
        try
        {
            return Task.FromResult(Do(work));
        }
        catch (Exception e)
        {
            return Task.FromException<T>(e);
        }
    }

    /// <summary>Waits until this process has done something, or the time has come to look what others have done.</summary>
    public async Task PollAsync(Task done, CancellationToken cancellationToken)
    {
        try
        {
            await done.WaitAsync(host.Options.PollInterval, host.Clock, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // Another process may have done the work.
        }
    }

    private T Do<T>(Func<T> work)
    {
        try
        {
            return work();
        }
        catch (FileSystemException e)
        {
            var advice = e.OtherKind is not null ? "Move it away; its contents are rebuilt."
                : e.Error == FileError.InUse ? $"{FileSystemException.InUseAdvice} Read again."
                : "Check that the disk or the share can be reached. Read again.";
            throw new StoreReadException(e.Path, $"The states of the projection {projection} cannot be read. {e.Message} {advice}", e);
        }
        catch (DamagedFileException e)
        {
            throw e.Of(projection);
        }
    }
}
