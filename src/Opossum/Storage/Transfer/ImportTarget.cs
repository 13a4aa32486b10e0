using Microsoft.Extensions.Logging.Abstractions;
using Opossum.FileSystem;
using Opossum.Storage.Commit;
using Opossum.Storage.Index;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Transfer;

/// <summary>The store that an import adds to; nothing is added in a dry run.</summary>
internal sealed class ImportTarget : IDisposable
{
    private readonly OpenStore? store;
    private readonly KnownEvents? known;
    private readonly Committer? committer;
    // In a dry run, what would be stored by now.
    private readonly HashSet<Guid> planned = [];

    private ImportTarget(OpenStore? store, StoreSettings settings)
    {
        this.store = store;
        Refused = new RefusedLine(settings.ReadOnly);
        if (store is null)
            return;
        known = new KnownEvents(store.EventFiles, Refused);
        if (store.Writing is { } writing)
            committer = new Committer(store, writing, settings, NullLogger.Instance);
    }

    /// <summary>Refuses lines.</summary>
    public RefusedLine Refused { get; }

    public long Head => store?.Index.Published.Contents.Head ?? 0;

    public static ImportTarget Open(IFileSystem fileSystem, string root, StoreImportOptions options, TimeProvider clock)
    {
        var settings = StoreSettings.ForOneRun(clock) with { Create = options.CreateIfMissing, ReadOnly = options.DryRun };
        if (options is { DryRun: true, CreateIfMissing: true } && fileSystem.GetKind(root) == EntryKind.Missing)
        {
            fileSystem.Dispose();
            return new ImportTarget(null, settings);
        }
        return new ImportTarget(new StoreOpening(fileSystem, root, settings, NullLogger.Instance).Open(), settings);
    }

    /// <summary>The events that the store lacks.</summary>
    /// <exception cref="StoreImportException">The store has another event with the id of one.</exception>
    public List<ImportedEvent> FindNew(List<ImportedEvent> events)
    {
        events = events.FindAll(each => !planned.Contains(each.Content.Id));
        if (store is null)
            return events;
        var view = store.Index.TakeView();
        byte[] ReadRecord(long position) => PackedEvents.ReadRecord(view, position);
        known!.CatchUp(view.Contents, ReadRecord);
        return events.FindAll(each => !known.Has(each, ReadRecord));
    }

    /// <summary>Stores the appends, all or none, without events that another process has stored in the meantime.</summary>
    /// <returns>The number of events that were stored.</returns>
    /// <exception cref="StoreImportException">
    /// Another process has stored another event with the id of one. The appends before it are stored.
    /// </exception>
    public int Add(List<List<ImportedEvent>> appends)
    {
        if (committer is null)
        {
            planned.UnionWith(appends.SelectMany(static append => append.Select(static each => each.Content.Id)));
            return appends.Sum(static append => append.Count);
        }
        List<RecordedAppend> missing = [];
        StoreImportException? refused = null;
        var pending = new PendingAppend([.. appends.SelectMany(static append => append.Select(static each => each.Content))], condition: null,
            index => missing = FindMissing(appends, index, out refused));
        var group = new Group();
        group.Add(pending);
        committer.Commit(group, static _ => { });
        pending.Report();
        pending.Task.GetAwaiter().GetResult();
        if (refused is not null)
            throw refused;
        return missing.Sum(static append => append.Events.Length);
    }

    public void Dispose() => store?.Dispose();

    // Under the lock: what the index has now is all there is.
    private List<RecordedAppend> FindMissing(List<List<ImportedEvent>> appends, EventIndex index, out StoreImportException? refused)
    {
        refused = null;
        byte[] ReadRecord(long position) => index.ReadPacked(position);
        known!.CatchUp(index.Contents, ReadRecord);
        var missing = new List<RecordedAppend>(appends.Count);
        try
        {
            foreach (var append in appends)
            {
                var events = append.FindAll(each => !known.Has(each, ReadRecord));
                if (events.Count > 0)
                    missing.Add(new RecordedAppend([.. events.Select(static each => each.Content)], events[0].TimestampTicks));
            }
        }
        catch (StoreImportException e)
        {
            // The appends before it are stored, as they are when a line is refused without the lock.
            refused = e;
        }
        return missing;
    }
}
