namespace Opossum;

/// <summary>Placeholder that only compiles; the engine replaces it.</summary>
public sealed class FileSystemEventStore : IEventStore, IAsyncDisposable, IDisposable
{
    private readonly OpossumOptions options;
    private bool disposed;

    private FileSystemEventStore(OpossumOptions options) => this.options = options;

    /// <summary>Placeholder.</summary>
    /// <param name="options">Options.</param>
    /// <param name="cancellationToken">Token.</param>
    public static ValueTask<FileSystemEventStore> OpenAsync(OpossumOptions options, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        OpossumOptionsValidator.ThrowIfInvalid(options);
        return ValueTask.FromResult(new FileSystemEventStore(options));
    }

    /// <summary>Placeholder.</summary>
    /// <param name="options">Options.</param>
    public static FileSystemEventStore OpenInMemory(OpossumOptions? options = null) => new(options ?? new OpossumOptions());

    /// <inheritdoc/>
    public ValueTask<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <inheritdoc/>
    public EventStream ReadAsync(Query query, ReadOptions? options = null) => throw new NotImplementedException();

    /// <inheritdoc/>
    public ValueTask<long> GetHeadAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(disposed, this);
        return ValueTask.FromResult(options.Path.Length * 0L);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public void Dispose() => disposed = true;
}
