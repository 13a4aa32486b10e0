namespace Opossum.Testing;

/// <summary>A store under <see cref="EventStoreConformance"/>, and how it is opened again. Disposing it disposes all stores that were opened.</summary>
/// <example><code>
/// new ConformanceStore(await OpenAsync(folder)) { OpenAnother = async () =&gt; await OpenAsync(folder) }
/// </code></example>
public sealed class ConformanceStore : IAsyncDisposable
{
    private readonly List<IEventStore> opened;

    /// <summary>Creates it.</summary>
    /// <param name="store">The store: empty.</param>
    public ConformanceStore(IEventStore store)
    {
        ArgumentNullException.ThrowIfNull(store);
        opened = [Store = store];
    }

    /// <summary>The store.</summary>
    public IEventStore Store { get; }

    /// <summary>
    /// Opens the same store once more, as another process does; also after <see cref="Store"/> was disposed. Null, the default: it cannot be, and the
    /// rules that need it are not checked.
    /// </summary>
    public Func<Task<IEventStore>>? OpenAnother { get; init; }

    /// <summary>
    /// Opens what a power cut at this moment would leave; several stores where it could leave one thing or another. The open stores are not
    /// affected. Null, the default: no power can be cut, and the rule that needs it is not checked.
    /// </summary>
    public Func<IAsyncEnumerable<IEventStore>>? OpenAfterPowerCut { get; init; }

    /// <summary>Disposes the stores that were opened, if they can be.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (var each in opened)
            await CloseAsync(each);
    }

    internal async Task<IEventStore> AnotherAsync()
    {
        opened.Add(await OpenAnother!());
        return opened[^1];
    }

    internal async Task<IEventStore> AnotherOrSameAsync() => OpenAnother is null ? Store : await AnotherAsync();

    /// <summary>Closes the store and opens it again.</summary>
    internal async Task<IEventStore> ReopenAsync()
    {
        await CloseAsync(Store);
        return await AnotherAsync();
    }

    internal static async ValueTask CloseAsync(IEventStore store)
    {
        if (store is IAsyncDisposable async)
            await async.DisposeAsync();
        else if (store is IDisposable disposable)
            disposable.Dispose();
    }
}
