using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>Reads what a store tells of itself.</summary>
/// <param name="store">The store.</param>
/// <param name="flushesAtOnce">Whether an append returns only when it is on the disk.</param>
/// <param name="isInMemory">Whether the store lives in this process alone.</param>
internal sealed class StatusReader(OpenStore store, bool flushesAtOnce, bool isInMemory)
{
    private const int ListedMax = 100;

    /// <param name="contents">The index.</param>
    /// <param name="withCounts">Whether types and tag keys are counted, which goes over all tags.</param>
    /// <param name="withSizes">Whether the files are measured, which opens every one.</param>
    /// <exception cref="FileSystemException">A folder or a file cannot be read.</exception>
    public StoreStatus Read(IndexContents contents, bool withCounts, bool withSizes)
    {
        var head = contents.Head;
        var (types, typesTotal) = withCounts ? contents.CountTypes(head, ListedMax) : ([], 0);
        var (keys, keysTotal) = withCounts ? contents.CountTagKeys(head, ListedMax) : ([], 0);
        return new StoreStatus
        {
            Id = store.Id,
            Path = store.Layout.Root,
            Head = head,
            EventTypes = types,
            EventTypesTotal = typesTotal,
            TagKeys = keys,
            TagKeysTotal = keysTotal,
            Sizes = withSizes ? Measure() : null,
            Fault = store.FindTrouble()?.Message,
            IsReadOnly = store.Committer is null,
            FileSystem = isInMemory ? "memory" : store.Volume.Name,
            IsNetwork = store.Volume.IsNetwork,
            Flush = Flush,
        };
    }

    // As EventFileCreator does it.
    private StoreFlush Flush => store.Volume switch
    {
        _ when isInMemory || store.Committer is null => StoreFlush.None,
        _ when !flushesAtOnce => StoreFlush.Background,
        { CanFlushRange: true } => StoreFlush.LastFile,
        { CanFlushWhole: true } => StoreFlush.WholeFileSystem,
        { FileFlushCoversName: true } => StoreFlush.EachFile,
        _ => StoreFlush.EachFileAndFolder,
    };

    private StoreSizes Measure()
    {
        var size = new FolderSize(store.FileSystem);
        var (eventFiles, eventBytes) = size.Of(store.Layout.Events);
        return new StoreSizes(eventFiles, eventBytes, size.Of(store.Layout.Index).Bytes, size.Of(store.Layout.Projections).Bytes, size.Of(store.Layout.Quarantine).Bytes);
    }
}
