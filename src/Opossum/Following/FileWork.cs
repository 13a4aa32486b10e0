using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>Runs work on the files of what is led for a caller's thread, and turns its failures into the exceptions that users see.</summary>
/// <param name="what">What is read, as the beginning of a sentence in the plural.</param>
/// <param name="whatToDo">What to do about a path at which something else lies than the file.</param>
internal sealed class FileWork(FollowerHost host, string what, string whatToDo, Func<DamagedFileException, Exception> damaged)
{
    // A thread with a synchronization context, such as a UI thread, must not wait for the disk.
    public Task<T> DoAsync<T>(Func<T> work, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<T>(cancellationToken);
        if (host.Volume.TakesRoundTrips || SynchronizationContext.Current is not null)
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
            await done.WaitAsync(host.PollInterval, host.Clock, cancellationToken).ConfigureAwait(false);
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
            var advice = e.OtherKind is not null ? whatToDo
                : e.Error == FileError.InUse ? $"{FileSystemException.InUseAdvice} Read again."
                : "Check that the disk or the share can be reached. Read again.";
            throw new StoreIOException(e.Path, $"{what} cannot be read. {e.Message} {advice}", e);
        }
        catch (DamagedFileException e)
        {
            throw damaged(e);
        }
    }
}
