namespace Opossum.CliTests;

/// <summary>A store "sales" with two full folders and the first event of a third one, made once for all tests of a class.</summary>
public sealed class LongStore : IAsyncLifetime
{
    /// <summary>The number of events.</summary>
    public const int Events = 20_001;

    private const int EventsPerAppend = 2_000;

    /// <summary>The folder of the store.</summary>
    public string Path => Shell.PathOf("sales");

    // Its clock stands still, so no line of progress is written, however slow the disk is.
    internal Shell Shell { get; } = new() { TimeProvider = new SettableClock(Sales.FirstDay) };

    public async ValueTask InitializeAsync()
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Path, FlushEventsImmediately = false });
        foreach (var positions in Enumerable.Range(1, Events).Chunk(EventsPerAppend))
            await store.AppendAsync([.. positions.Select(each => NewEvent.FromJson("order-placed", "{}", new Tag("order", $"o{each}")))]);
    }

    public ValueTask DisposeAsync()
    {
        Shell.Dispose();
        return ValueTask.CompletedTask;
    }
}
