namespace Opossum.Tests.Contract;

/// <summary>
/// What every store promises, wherever it lies: each sentence of the DCB specification (https://dcb.events/specification), and what
/// IEventStore adds to it.
/// </summary>
/// <remarks>The clock is the system's, so that whoever waits for the lock gets it when it is free.</remarks>
public abstract partial class EventStoreContract : IDisposable
{
    private readonly StorePlace place;
    private readonly bool flush;
    private readonly bool useJournal;
    private readonly FileSystemEventStore store;

    private protected EventStoreContract(StorePlace place, bool flush = true, bool useJournal = false)
    {
        this.useJournal = useJournal;
        this.place = place;
        this.flush = flush;
        store = Open();
    }

    public void Dispose()
    {
        try
        {
            place.CloseStores();
            place.AssertClean();
        }
        finally
        {
            place.Dispose();
        }
        GC.SuppressFinalize(this);
    }

    private FileSystemEventStore Open(Action<OpossumOptions>? configure = null) => place.Open(options =>
    {
        options.FlushEventsImmediately = flush;
        options.UseJournal = useJournal;
        options.EventTypes.Add<Noted>("noted").Add<Remarked>("remarked");
        configure?.Invoke(options);
    });

    // While another process holds the lock, appends queue: when it lets go, they are one group.
    private async Task InOneGroupAsync(Func<Task> enqueue)
    {
        Task appends;
        using (var other = place.OtherLock())
        using (other.Acquire(TimeSpan.FromMinutes(1)))
            appends = enqueue();
        await appends;
    }

    private static async Task<AppendConditionFailedException> RefusalAsync(Task<AppendResult> append) =>
        await Assert.ThrowsAsync<AppendConditionFailedException>(async () => await append);
}
