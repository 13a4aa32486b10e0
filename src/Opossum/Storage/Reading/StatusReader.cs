using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Reading;

/// <summary>Reads the status of a store.</summary>
/// <param name="isReadOnly">Whether the store is open for reading only.</param>
/// <param name="flushesAtOnce">Whether an append returns only after its events are on disk.</param>
/// <param name="usesJournal">Whether an append returns when its events are in the journal.</param>
/// <param name="isInMemory">Whether the store exists only in this process's memory.</param>
/// <param name="findTrouble">Finds the failure that keeps the store from being used; null when there is none.</param>
/// <param name="findKeysProblem">Finds what is wrong with the keys of personal data; null when nothing is.</param>
/// <param name="findRulesProblem">Finds what is wrong with the files of tag rules; null when nothing is.</param>
internal sealed class StatusReader(StoreFolder folder, EventFiles eventFiles, bool isReadOnly, bool flushesAtOnce, bool usesJournal,
    bool isInMemory, Func<Exception?> findTrouble, Func<string?> findKeysProblem, Func<string?> findRulesProblem)
{
    private const int ListedMax = 100;

    /// <param name="withCounts">Whether to count types and tag keys, which visits all tags.</param>
    /// <param name="withSizes">Whether to measure the files, which opens every one.</param>
    /// <exception cref="FileSystemException">A folder or a file cannot be read.</exception>
    public StoreStatus Read(IndexContents contents, bool withCounts, bool withSizes)
    {
        var head = contents.Head;
        var (types, typesTotal) = withCounts ? contents.CountTypes(head, ListedMax) : ([], 0);
        var (keys, keysTotal) = withCounts ? contents.CountTagKeys(head, ListedMax) : ([], 0);
        return new StoreStatus
        {
            Id = folder.Id,
            Path = folder.Root,
            Head = head,
            EventTypes = types,
            EventTypesTotal = typesTotal,
            TagKeys = keys,
            TagKeysTotal = keysTotal,
            Sizes = withSizes ? Measure() : null,
            Fault = findTrouble()?.Message,
            KeysProblem = findKeysProblem(),
            TagRulesProblem = findRulesProblem(),
            IsReadOnly = isReadOnly,
            FileSystem = isInMemory ? "memory" : folder.Volume.Name,
            IsNetwork = folder.Volume.IsNetwork,
            Flush = Flush,
            SealedFolders = CountSealedFolders(),
            Index = contents.Status(head),
            Replica = isReadOnly ? FolderTerm.Read(folder.FileSystem, folder.Layout).Status : null,
            EventsInJournal = Math.Max(0, head - (eventFiles.Ahead.After() ?? head)),
        };
    }

    // As GroupFlush chooses it.
    private FlushMethod Flush => folder.Volume switch
    {
        _ when isInMemory || isReadOnly => FlushMethod.None,
        _ when !flushesAtOnce => FlushMethod.Background,
        _ when usesJournal => FlushMethod.Journal,
        { CanFlushRange: true } => FlushMethod.LastFile,
        { CanFlushWhole: true } => FlushMethod.WholeFileSystem,
        { FileFlushCoversName: true } => FlushMethod.EachFile,
        _ => FlushMethod.EachFileAndFolder,
    };

    // A store that was moved or deleted has none, and the status says that.
    private long CountSealedFolders() =>
        folder.FileSystem.ListIfThere(folder.Layout.Events).Count(name => folder.Layout.TryParseSealedFileName(name, out _));

    private StoreSizes Measure()
    {
        var size = new FolderSize(folder.FileSystem);
        var (eventFiles, eventBytes) = size.Of(folder.Layout.Events);
        return new StoreSizes
        {
            EventFiles = eventFiles,
            EventBytes = eventBytes,
            IndexBytes = size.Of(folder.Layout.Index).Bytes + size.Of(folder.Layout.Log).Bytes,
            ProjectionBytes = size.Of(folder.Layout.Projections).Bytes,
            QuarantineBytes = size.Of(folder.Layout.Quarantine).Bytes,
        };
    }
}
