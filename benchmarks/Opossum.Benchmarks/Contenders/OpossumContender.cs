using Opossum.FileSystem.Real;
using Opossum.Storage;
using Opossum.Storage.Folders;

namespace Opossum.Benchmarks.Contenders;

/// <summary>The store itself, through its public API.</summary>
/// <param name="path">Its folder.</param>
/// <param name="flush">Whether an append returns only after its events are on disk.</param>
/// <param name="useJournal">Whether an append returns when its events are in the journal.</param>
/// <param name="clock">Its clock; null for the system's.</param>
internal sealed class OpossumContender(string path, bool flush = true, bool useJournal = false, TimeProvider? clock = null) : IStoreContender
{
    private FileSystemEventStore? store;
    private long last;

    /// <summary>Whether the store makes runs of its index in the background.</summary>
    public bool MakesRuns { get; init; } = true;

    /// <summary>The number of newest folders that the store leaves unsealed; null: it seals none.</summary>
    public int? SealsAllButNewest { get; init; }

    public string Name => useJournal ? ContenderName.OpossumWithJournal : ContenderName.Opossum;

    public FileSystemEventStore Store => store ?? throw new InvalidOperationException("The store is not open.");

    public async Task OpenAsync()
    {
        var options = new OpossumOptions
        {
            Path = path,
            FlushEventsImmediately = flush,
            UseJournal = useJournal,
            TimeProvider = clock ?? TimeProvider.System,
            SealAllButNewestFolders = SealsAllButNewest,
        };
        options.EventTypes.Add(PayloadJson.Default.PartMoved);
        store = MakesRuns
            ? await FileSystemEventStore.OpenAsync(options)
            : FileSystemEventStore.Open(options, RealFileSystem.Create(), path, runs: new RunSettings { InBackground = false });
        last = await store.GetHeadAsync();
    }

    public async Task CloseAsync()
    {
        if (store is not null)
            await store.DisposeAsync();
        store = null;
    }

    /// <summary>Deletes the index, so that the next opening derives it from the event files.</summary>
    public void DeleteIndex() => Directory.Delete(new StoreLayout(path).Index, recursive: true);

    public async Task AppendAloneAsync(IReadOnlyList<NewEvent> events) => last = await AppendEachAsync(events, underCondition: false);

    public async Task AppendAloneUnderConditionAsync(IReadOnlyList<NewEvent> events) => last = await AppendEachAsync(events, underCondition: true);

    public async Task AppendTogetherAsync(IReadOnlyList<NewEvent> events) => last = (await Store.AppendAsync(events)).LastPosition;

    public Task AppendOneAsync(NewEvent newEvent) => Store.AppendAsync(newEvent);

    public Task AppendConcurrentlyAsync(IReadOnlyList<NewEvent[]> writers) => AppendByAllAsync(writers, underCondition: false);

    public Task AppendConcurrentlyUnderConditionAsync(IReadOnlyList<NewEvent[]> writers) => AppendByAllAsync(writers, underCondition: true);

    public async Task<ReadTotals> ReadAsync(Wanted? wanted, PayloadAs payload, bool backwards = false)
    {
        var totals = default(ReadTotals);
        var events = wanted switch
        {
            { Tag: { } tag } => Store.ReadAsync(Query.FromTags(tag)),
            { Type: { } type } => Store.ReadAsync(Query.FromEventTypes(type)),
            { At: { } position } => Store.ReadAsync(Query.All, new ReadOptions { After = position - 1, Limit = 1 }),
            _ => Store.ReadAsync(Query.All, backwards ? new ReadOptions { Backwards = true } : null),
        };
        await foreach (var each in events)
            totals = totals.With(each.Position, payload == PayloadAs.Bytes ? each.Json.Length : ((PartMoved)each.Data!).Quantity);
        return totals;
    }

    public async Task<Digest> ReadBackAsync()
    {
        var digest = default(Digest);
        await foreach (var each in Store.ReadAsync(Query.All))
            digest = digest.With(each.Json.Span);
        return digest;
    }

    public ValueTask DisposeAsync() => new(CloseAsync());

    private async Task AppendByAllAsync(IReadOnlyList<NewEvent[]> writers, bool underCondition) =>
        last = (await Task.WhenAll(writers.Select(events => AppendEachAsync(events, underCondition)))).Max();

    private async Task<long> AppendEachAsync(IReadOnlyList<NewEvent> events, bool underCondition)
    {
        var known = last;
        foreach (var each in events)
        {
            var condition = underCondition ? new AppendCondition(Query.FromTags(each.Tags[0]), known) : null;
            known = (await Store.AppendAsync(each, condition)).LastPosition;
        }
        return known;
    }
}
