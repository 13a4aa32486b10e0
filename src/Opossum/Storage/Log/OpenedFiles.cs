namespace Opossum.Storage.Log;

/// <summary>
/// What a store has open for its readers, which may go on using what was replaced: closed with the store. The garbage collector closes what nobody
/// uses before.
/// </summary>
internal sealed class OpenedFiles<T> : IDisposable
    where T : class, IDisposable
{
    private readonly List<WeakReference<T>> opened = [];
    private bool isDisposed;

    /// <exception cref="ObjectDisposedException">The store is closed, and so is the file now.</exception>
    public T Add(T file)
    {
        lock (opened)
        {
            opened.RemoveAll(static each => !each.TryGetTarget(out _));
            opened.Add(new WeakReference<T>(file));
            if (!isDisposed)
                return file;
        }
        Dispose();
        throw new ObjectDisposedException(nameof(IEventStore));
    }

    public void Dispose()
    {
        lock (opened)
        {
            isDisposed = true;
            foreach (var each in opened)
            {
                if (each.TryGetTarget(out var file))
                    file.Dispose();
            }
            opened.Clear();
        }
    }
}
