using Opossum.Diagnostics;
using Opossum.Personal;
using Opossum.Serialization;
using Opossum.Storage.Commit;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Opening;
using Opossum.Storage.Reading;

namespace Opossum.Running;

/// <summary>
/// The appends of an open store: checked and prepared on the caller's thread, then committed by the queue's thread. A store that is open for reading
/// only refuses them.
/// </summary>
/// <param name="committer">Commits; null: the store is open for reading only.</param>
/// <param name="committed">Called after each group's commit, before its callers get their results. It must not block.</param>
/// <param name="personal">Encrypts personal data, and resolves tags of persons.</param>
/// <param name="unknownTypes">Logs type names in conditions that no event has.</param>
/// <param name="forgottenTags">Logs events that the decision which appends them does not read.</param>
/// <param name="enrichesMetadata">Whether the append's trace and cause go into the metadata.</param>
/// <param name="user">Names who appends, for the metadata; null: nobody is named.</param>
internal sealed class StoreAppends(OpenStore store, Committer? committer, Action<Group> committed, EventSerializer serializer,
    StorePersonalData personal, EventTypeRegistry types, StoreSchemas schemas, UnknownEventTypes unknownTypes, ForgottenTags forgottenTags,
    bool enrichesMetadata, Func<string?>? user, bool keepsConditions)
{
    private readonly CommitQueue? queue = committer is null ? null : new CommitQueue(committer, committed);

    /// <summary>Whether the store is open for reading only.</summary>
    public bool AreRefused => queue is null;

    /// <summary>Appends events. Those with a tag to be stored once carry it besides their own.</summary>
    /// <param name="condition">The condition; null: none.</param>
    /// <param name="once">
    /// A reserved tag; if an event with it is stored, the append stores nothing, and returns the positions of the earlier append. Null: none.
    /// </param>
    /// <param name="cancellationToken">Cancels an append whose commit has not begun.</param>
    public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition, Tag? once,
        CancellationToken cancellationToken)
    {
        if (AreRefused)
            return Task.FromException<AppendResult>(ReadOnly("append"));
        var measured = MeasuredAppend.Begin(store.Folder.Root);
        PreparedEvent[] prepared;
        try
        {
            prepared = serializer.Prepare(events, ContextOf(measured));
            if (once is { } tag)
                prepared = With(tag, prepared);
            if (condition is not null)
                types.ThrowIfUnknown(condition.FailIfEventsMatch, nameof(condition));
        }
        catch (Exception e)
        {
            measured?.End(0, e.GetType());
            throw;
        }
        return Array.Exists(prepared, static each => each.NeedsKeys) || schemas.AreMissing(prepared)
            ? EnqueueOnPool(prepared, condition, once, measured, cancellationToken)
            : Enqueue(prepared, condition, once, measured, cancellationToken);
    }

    /// <summary>Checks and prepares an event that is appended later, and resolves a query.</summary>
    public (PreparedEvent Event, Query? Unless) PrepareForLater(NewEvent newEvent, Query? unless, Tag once)
    {
        var prepared = serializer.Prepare([newEvent], ContextOf(measured: null));
        schemas.Write(prepared);
        personal.Seal(prepared);
        // As it is appended then.
        var later = With(once, prepared);
        IndexFrame.ThrowIfTooLong(later);
        AppendSize.ThrowIfTooLarge(later);
        if (unless is not null)
            types.ThrowIfUnknown(unless, nameof(unless));
        return (prepared[0], unless is null ? null : personal.ResolveForAppend(unless));
    }

    /// <summary>Appends, once, what <see cref="PrepareForLater"/> has prepared.</summary>
    public Task<AppendResult> AppendPreparedAsync(PreparedEvent prepared, AppendCondition? condition, Tag once) =>
        Enqueue(Pending(With(once, prepared), condition, once, measured: null));

    /// <summary>New events as they would be read after an append, except that pseudonyms are as they are given; nothing is appended.</summary>
    public IReadOnlyList<SequencedEvent> Preview(IReadOnlyList<NewEvent> events) => [.. serializer.Prepare(events).Index().Select(
        static each => new SequencedEvent(each.Index + 1, each.Item.Type, each.Item.Version, each.Item.Tags, timestampTicks: 0, each.Item.Id,
            each.Item.Json, metadataLength: 0, decoder: null))];

    /// <summary>
    /// Appends and commits on the caller's thread, for a test that is the store's only user and whose calls follow each other without another
    /// thread.
    /// </summary>
    public Task<AppendResult> AppendOnThisThread(IReadOnlyList<NewEvent> events, AppendCondition? condition)
    {
        var append = Prepare(serializer.Prepare(events), condition, once: null, measured: null);
        CommitOnThisThread([append]);
        return append.Task;
    }

    /// <summary>Refuses further appends and waits until the accepted ones are finished.</summary>
    public void Close() => queue?.Close();

    /// <summary>The error for what a store that is open for reading only cannot do.</summary>
    public NotSupportedException ReadOnly(string task) => new($"The store in {store.Folder.Root} is open for reading only. To {task}, open it "
        + $"with {nameof(OpossumOptions)}.{nameof(OpossumOptions.ReadOnly)} = false.");

    private static PreparedEvent[] With(Tag tag, params PreparedEvent[] prepared) =>
        Array.ConvertAll(prepared, each => each with { Tags = [.. each.Tags, tag] });

    // A key may have to be read, or made and written to the disk, or a schema.
    private Task<AppendResult> EnqueueOnPool(PreparedEvent[] prepared, AppendCondition? condition, Tag? once, MeasuredAppend? measured,
        CancellationToken cancellationToken) =>
        Task.Run(() => Enqueue(prepared, condition, once, measured, cancellationToken), CancellationToken.None);

    private Task<AppendResult> Enqueue(PreparedEvent[] prepared, AppendCondition? condition, Tag? once, MeasuredAppend? measured,
        CancellationToken cancellationToken)
    {
        // Before a file is written, of which one may have a person in its name.
        if (cancellationToken.IsCancellationRequested)
        {
            measured?.End(prepared.Length, typeof(OperationCanceledException));
            return Task.FromCanceled<AppendResult>(cancellationToken);
        }
        try
        {
            var append = Prepare(prepared, condition, once, measured, cancellationToken);
            append.CancelWith(cancellationToken);
            return append.Task.IsCompleted ? append.Task : Enqueue(append);
        }
        catch (Exception e)
        {
            measured?.End(0, e.GetType());
            throw;
        }
    }

    private Task<AppendResult> Enqueue(PendingAppend append)
    {
        if (!queue!.TryEnqueue(append))
            append.Refuse(new ObjectDisposedException(typeof(IEventStore).FullName));
        return append.Task;
    }

    private PendingAppend Prepare(PreparedEvent[] prepared, AppendCondition? condition, Tag? once, MeasuredAppend? measured,
        CancellationToken cancellationToken = default)
    {
        // Order matters: without the schema, another process would take the event's personal members for plain ones.
        schemas.Write(prepared, cancellationToken);
        personal.Seal(prepared, cancellationToken);
        condition = personal.Resolve(condition);
        IndexFrame.ThrowIfTooLong(prepared);
        AppendSize.ThrowIfTooLarge(prepared);
        if (condition is not null)
        {
            unknownTypes.Note(condition.FailIfEventsMatch, store.Index.Published.Contents, prepared);
            forgottenTags.Note(condition, prepared, store.Index.Published.Rules);
        }
        return Pending(prepared, condition, once, measured);
    }

    private PendingAppend Pending(PreparedEvent[] prepared, AppendCondition? condition, Tag? once, MeasuredAppend? measured) =>
        new(prepared, condition)
        {
            Measured = measured,
            Once = once is { } tag ? Query.FromTags(tag) : null,
            KeptCondition = keepsConditions && condition is not null ? KeptCondition.Of(condition) : null,
        };

    private List<KeyValuePair<string, string>>? ContextOf(MeasuredAppend? measured)
    {
        var context = enrichesMetadata ? EventContext.Of(measured?.Activity) : null;
        if (user?.Invoke() is { Length: > 0 } name)
            (context ??= new(1)).Add(new(MetadataNames.User, name));
        return context;
    }

    private void CommitOnThisThread(PendingAppend[] appends)
    {
        var group = new Group();
        Array.ForEach(appends, group.Add);
        committer!.Commit(group, static _ => { });
        committed(group);
        Array.ForEach(appends, static append => append.Report());
    }
}
