namespace Opossum.Storage;

/// <summary>
/// Background work of an open store: one piece at a time, and none once it is disposed. What fails is reported, and appends and reads go on.
/// </summary>
internal sealed class EndableWork(Action<Exception> report) : IDisposable
{
    private readonly Lock gate = new();
    private readonly CancellationTokenSource ending = new();

    /// <summary>Ends the piece at work.</summary>
    public CancellationToken Ending => ending.Token;

    public void Do(Action work)
    {
        lock (gate)
        {
            try
            {
                if (!ending.IsCancellationRequested)
                    work();
            }
            catch (OperationCanceledException)
            {
                // The store is being closed; the next opening continues.
            }
            catch (Exception e)
            {
                // Also what nobody expects: on a thread of its own it would end the process, and again whenever the work is due.
                report(e);
            }
        }
    }

    public void Dispose()
    {
        ending.Cancel();
        lock (gate)
            ending.Dispose();
    }
}
