using Opossum.ProcessTests.Worker;
using Opossum.Storage.Folders;

namespace Opossum.ProcessTests;

/// <summary>A temporary folder for a store; <see cref="CheckAsync"/> ends each test.</summary>
internal sealed class StoreFolder : IDisposable
{
    private readonly string folder = TestFolders.CreateOnDisk();

    public StoreFolder(int shardPositions = StoreLayout.ShardPositionsDefault) =>
        Layout = new StoreLayout(System.IO.Path.Combine(folder, "store"), shardPositions);

    public string Path => Layout.Root;

    public StoreLayout Layout { get; }

    public Task<FileSystemEventStore> OpenAsync() => Task.Run(() => Stores.Open(Layout));

    /// <summary>The arguments of a worker that has a role in the store.</summary>
    public string[] Role(string role, params string[] others) => [Stores.FolderLength, $"{Layout.ShardPositions}", role, Path, .. others];

    /// <summary>Every event, read by a store that is opened for it.</summary>
    public async Task<List<SequencedEvent>> ReadAllAsync()
    {
        await using var store = await OpenAsync();
        return await store.ReadAsync(Query.All).ToListAsync();
    }

    public async Task CheckAsync()
    {
        var report = await Task.Run(() => Stores.Check(Layout));
        Assert.True(report.IsClean, report.ToString());
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);
}
