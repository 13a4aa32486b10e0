using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Following;
using Opossum.Maintenance;
using Opossum.Personal;
using Opossum.Projections;
using Opossum.Projections.Reading;
using Opossum.Projections.Updating;
using Opossum.Reactions;
using Opossum.Reactions.Reading;
using Opossum.Reactions.Running;
using Opossum.Running;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Commit;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Opening;
using Opossum.Storage.Reading;
using Opossum.Storage.Rules;
using Opossum.Subscriptions;

namespace Opossum;

/// <summary>An event store in a folder: one readable JSON file per event, safe for several processes, durable when an append returns.</summary>
/// <example><code>
/// await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = "shop" });
/// await store.AppendAsync([NewEvent.FromJson("order-placed", """{ "total": 12 }""", new Tag("order", "o1"))]);
/// await foreach (var e in store.ReadAsync(Query.FromTags(new Tag("order", "o1"))))
///     Console.WriteLine($"{e.Position} {e.Type}");
/// </code></example>
public sealed class FileSystemEventStore : IFileSystemEventStore, IPersonalData, IIdSearch, ISchemaSource, IAsyncDisposable,
    IDisposable
{
    private readonly OpenStore store;
    private readonly StorePersonalData personal;
    private readonly EventReader reader;
    private readonly StatusReader status;
    private readonly EventTypeRegistry types;
    private readonly StoreSchemas schemas;
    private readonly UnknownEventTypes unknownTypes;
    private readonly HeadWatch headWatch;
    private readonly Committer? committer;
    private readonly StoreAppends appends;
    private readonly BackgroundWork? background;
    private readonly StoreRunners runners = new();
    private readonly TimeProvider clock;
    private readonly StoreSettings settings;
    private readonly ILogger logger;
    private readonly Lock disposing = new();
    private readonly TaskCompletionSource faulted = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task? disposal;

    private FileSystemEventStore(OpenStore store, OpossumOptions options, EventSerializer serializer, StorePersonalData personal,
        StoreSettings settings, bool isInMemory, ILogger logger)
    {
        this.store = store;
        this.personal = personal;
        types = options.EventTypes;
        this.logger = logger;
        this.settings = settings;
        schemas = new StoreSchemas(store.Folder, types,
            isInMemory || store.Writing is not { } parts ? null : parts.Lock, settings.LockTimeout, logger);
        unknownTypes = new UnknownEventTypes(types, store.Folder.Layout.Root, logger);
        clock = settings.TimeProvider;
        reader = new EventReader(store.Folder, store.Index, store.EventFiles, personal.Decoder);
        status = new StatusReader(store.Folder, store.EventFiles, isReadOnly: store.Writing is null, settings.Flush, settings.UseJournal, isInMemory,
            FindTrouble, personal.FindKeysProblem, FindRulesProblem);
        headWatch = new HeadWatch(this, () => store.Index.Published.Contents.Head, options.Advanced.SubscriptionPollInterval, QuietClock.Of(clock),
            hint => store.Folder.Volume.IsNetwork ? null : store.Folder.FileSystem.Watch(store.Folder.Layout.IndexFile, hint));
        if (Telemetry.HasMetrics)
            Instruments.Observe(this, ReadFigures);
        if (store.Writing is { } writing)
        {
            committer = new Committer(store, writing, settings, logger, () => faulted.TrySetResult());
            background = new BackgroundWork(store, committer, options, settings, logger);
        }
        appends = new StoreAppends(store, committer, NoteCommit, serializer, personal, types, schemas, unknownTypes,
            new ForgottenTags(store.Folder.Layout.Root, logger), options.EnrichMetadata, options.User, options.KeepConditions);
    }

    /// <summary>Whether this opening created the store: of several processes that open a new one at the same time, one has created it.</summary>
    public bool IsNew => store.IsNew;

    /// <summary>The store's id; null if its file is missing.</summary>
    internal Guid? Id => store.Folder.Id;

    /// <summary>How many events each folder lacks at a head that a host lets follow the store; null: none follows.</summary>
    internal Func<long, IReadOnlyList<ReplicaFigures>>? FindReplicas { get; set; }

    /// <summary>Throws if a host was to run the reaction of a name, and will not; null: no host runs any.</summary>
    internal Action<string>? ThrowIfGivenUp { get; set; }

    /// <summary>The time of the store's clock.</summary>
    internal DateTimeOffset Now => clock.GetUtcNow();

    /// <summary>The head that this process knows, without reading the files.</summary>
    internal long KnownHead => store.Index.Published.Contents.Head;

    /// <summary>The index as this process knows it, for measurements.</summary>
    internal IndexContents KnownContents => store.Index.Published.Contents;

    /// <summary>Completes when the store accepts no appends until it is opened again.</summary>
    internal Task Faulted => faulted.Task;

    /// <summary>The error that stops the store, even if no call has met it yet; null: no error is known.</summary>
    internal Exception? FindTrouble() => committer?.Outcomes.FaultedBy ?? store.FindTrouble();

    private string? FindRulesProblem() => TagRuleFiles.FindProblem(store.Folder, store.Index.Published.Rules) ?? FindPersonalRule();

    // The registered types alone: a program without them can remove the rule.
    private string? FindPersonalRule() =>
        store.Index.Published.Rules.Rules is { Count: > 0 } rules && new DeclaredPersonal(types, []).FindPersonal(rules) is { } problem
            ? $"{problem} The store has this tag rule, and events that are appended now do not get the tag. Remove the rule "
                + "(opossum tags remove), or register a class whose member is not personal."
            : null;

    /// <summary>Opens the store in a folder, and creates the store if the folder is missing or empty.</summary>
    /// <param name="options">The options; <see cref="OpossumOptions.Path"/> is required. Read once: later changes have no effect.</param>
    /// <param name="cancellationToken">Cancels the wait. An opening that has started runs to its end, and the store is then closed.</param>
    /// <exception cref="ArgumentException">An option is not allowed; the message names it.</exception>
    /// <exception cref="StoreOpenException">
    /// The path is a file, is not writable, contains other files or a store of a newer format, or the file system's locks are not reliable.
    /// </exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other in a way that no crash can cause.</exception>
    /// <exception cref="PersonalDataException">The master key is missing, cannot be read, or is another one than the store's.</exception>
    /// <exception cref="InvalidOperationException">An event type is refused, or the event types contradict each other.</exception>
    /// <exception cref="StoreMaintenanceException">
    /// The store lacks a rule of <see cref="OpossumOptions.TagRules"/>, and <see cref="AddTagRuleAsync"/> refuses it; or the member of a rule that it
    /// has is personal data by the registered types.
    /// </exception>
    /// <exception cref="StoreIOException">The store lacks a rule of <see cref="OpossumOptions.TagRules"/>, and a file cannot be read or
    /// written.</exception>
    /// <exception cref="StoreLockTimeoutException">
    /// Recovery was needed, and another process held the lock longer than <see cref="OpossumOptions.LockTimeout"/>.
    /// </exception>
    public static Task<FileSystemEventStore> OpenAsync(OpossumOptions options, CancellationToken cancellationToken = default) =>
        OpenAsync(options, create: null, cancellationToken);

    /// <summary>Opens a store that was open before; a folder that no longer contains a store is an error.</summary>
    internal static Task<FileSystemEventStore> ReopenAsync(OpossumOptions options, CancellationToken cancellationToken) =>
        OpenAsync(options, create: false, cancellationToken);

    // Not an asynchronous method: the runtime would compile it when a program starts.
    private static Task<FileSystemEventStore> OpenAsync(OpossumOptions options, bool? create, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<FileSystemEventStore>(cancellationToken);
        ArgumentNullException.ThrowIfNull(options);
        // Here, or what the caller sets after the call would count or not, by chance.
        options = options.Copy();
        var opening = Task.Run(
            () =>
            {
                options.Check().ThrowIfAny(nameof(options));
                return Open(options, RealFileSystem.Create(), Path.GetFullPath(options.Path), create);
            },
            CancellationToken.None);
        var waiting = opening.WaitAsync(cancellationToken);
        if (cancellationToken.CanBeCanceled)
            waiting.ContinueWith(CloseLater, opening, CancellationToken.None, TaskContinuationOptions.OnlyOnCanceled, TaskScheduler.Default);
        return waiting;

        static void CloseLater(Task cancelled, object? opening) => ((Task<FileSystemEventStore>)opening!).ContinueWith(
            static opened => opened.Result.Dispose(), CancellationToken.None, TaskContinuationOptions.OnlyOnRanToCompletion, TaskScheduler.Default);
    }

    /// <inheritdoc/>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default) =>
        AppendAsync(events, condition, once: null, cancellationToken);

    /// <summary>
    /// Appends events that carry a reserved tag besides their own, unless an event with that tag is stored: then it stores nothing, and returns the
    /// positions of the earlier append. Both are judged in the append.
    /// </summary>
    internal Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition, Tag? once,
        CancellationToken cancellationToken) =>
        appends.AppendAsync(events, condition, once, cancellationToken);

    /// <inheritdoc/>
    public Task<ForgetResult> ForgetAsync(Tag subject, string reason, CancellationToken cancellationToken = default) =>
        personal.ForgetAsync(subject, reason, (e, condition) => AppendAsync([e], condition, CancellationToken.None), MakeDurable, cancellationToken);

    /// <inheritdoc/>
    public Task<PersonalDataSearchReport> FindInPlainAsync(Tag subject, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => personal.FindInPlain(subject, CarefulProgress.Of(progress, logger), cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public Task<string> MakeStoreKeyAsync(CancellationToken cancellationToken = default) =>
        appends.AreRefused ? throw appends.ReadOnly("make its key") : Task.Run(personal.MakeStoreKey, cancellationToken);

    /// <inheritdoc/>
    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(query);
        types.ThrowIfUnknown(query, nameof(query));
        // Refused at once; and again for the head of each read, as another process may have made the key by then.
        var resolve = ReferenceEquals(personal.Resolve(query), query) ? (Func<Query, Query>?)null : personal.Resolve;
        return new StoreEventStream(reader, unknownTypes, query, resolve, options ?? ReadOptions.Default,
            store.Folder.Volume.TakesRoundTrips, cancellationToken);
    }

    /// <inheritdoc/>
    public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) =>
        ReadHereAsync(() => Task.FromResult((long)reader.TakeView().Contents.Head), cancellationToken);

    /// <inheritdoc/>
    Task<SequencedEvent?> IIdSearch.FindByIdAsync(Guid id, CancellationToken cancellationToken) => ReadHereAsync(() =>
    {
        var search = new IdSearch(reader, reader.TakeView(), id);
        // A search of all events is not made on the caller's thread.
        return search.FindNear() is { } found ? Task.FromResult<SequencedEvent?>(found)
            : Task.Run(() => search.FindAnywhere(cancellationToken), cancellationToken);
    }, cancellationToken);

    // On the caller's thread, unless it would wait for a server or has other work to do.
    private Task<T> ReadHereAsync<T>(Func<Task<T>> read, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<T>(cancellationToken);
        if (store.Folder.Volume.TakesRoundTrips || SynchronizationContext.Current is not null)
            return Task.Run(read, cancellationToken);
        try
        {
            return read();
        }
        catch (Exception e)
        {
            return Task.FromException<T>(e);
        }
    }

    /// <inheritdoc/>
    public Task<StoreStatus> GetStatusAsync(bool withSizes = false, CancellationToken cancellationToken = default) =>
        ReadStatusAsync(withCounts: true, withSizes, cancellationToken);

    /// <inheritdoc/>
    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(query);
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        types.ThrowIfUnknown(query, nameof(query));
        return Subscription.FollowAsync(this, headWatch, query, after, cancellationToken);
    }

    /// <summary>
    /// Gives events tags by their JSON, as the rule says: also those that are stored already, and those that any process appends later. It makes the
    /// index again beside the one in use while others append and read, and returns when every process finds events by these tags. Until then
    /// none does.
    /// </summary>
    /// <param name="rule">The rule.</param>
    /// <param name="progress">Receives how far it is.</param>
    /// <param name="cancellationToken">Stops the work; the rule is then not added.</param>
    /// <returns>False: the store has the rule already.</returns>
    /// <exception cref="ArgumentException">There are too many rules.</exception>
    /// <exception cref="NotSupportedException">The store was opened for reading only.</exception>
    /// <exception cref="StoreMaintenanceException">
    /// The member is personal data by the registered types or a schema, or encrypted in an event; it gives the events of an append too many tags
    /// (64 MiB); or the file system is of a kind where rules are not possible.
    /// </exception>
    /// <exception cref="StoreDamagedException">An event cannot be read.</exception>
    /// <exception cref="StoreOpenException">A file in <c>Rules/</c> is no rule.</exception>
    /// <exception cref="StoreIOException">A file cannot be read or written.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process changes rules, or has the store's lock.</exception>
    /// <exception cref="StoreFaultedException">The store accepts no appends until it is opened again; nothing was changed.</exception>
    public Task<bool> AddTagRuleAsync(TagRule rule, IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default) =>
        ChangeTagRulesAsync([rule ?? throw new ArgumentNullException(nameof(rule))], [], progress, cancellationToken);

    /// <summary>Removes a rule, and with it the tags that it gave: it does to the index what <see cref="AddTagRuleAsync"/> does.</summary>
    /// <param name="rule">The rule.</param>
    /// <param name="progress">Receives how far it is.</param>
    /// <param name="cancellationToken">Stops the work; the rule then stays.</param>
    /// <returns>False: the store does not have the rule.</returns>
    /// <inheritdoc cref="AddTagRuleAsync" path="/exception"/>
    public Task<bool> RemoveTagRuleAsync(TagRule rule, IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default) =>
        ChangeTagRulesAsync([], [rule ?? throw new ArgumentNullException(nameof(rule))], progress, cancellationToken);

    /// <summary>The rules that give tags, in the order of type, member and key.</summary>
    /// <param name="cancellationToken">Keeps it from beginning.</param>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    public Task<IReadOnlyList<TagRule>> GetTagRulesAsync(CancellationToken cancellationToken = default) =>
        Task.Run(() => reader.TakeView().Rules.Rules, cancellationToken);

    /// <summary>
    /// What the JSON of event types looks like, and which members are personal: for programs that do not have the classes. An app that registers a
    /// class writes it before the first such event.
    /// </summary>
    /// <param name="cancellationToken">Keeps it from beginning.</param>
    /// <returns>The schemas by type and version. Those of types that were only appended as JSON are missing.</returns>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    public Task<IReadOnlyList<EventTypeSchema>> GetSchemasAsync(CancellationToken cancellationToken = default) =>
        Task.Run<IReadOnlyList<EventTypeSchema>>(
            () => [.. ((ISchemaSource)this).ReadSchemas().Select(static schema => schema.ToPublic())], cancellationToken);

    /// <summary>Reads stored events as objects of the registered types, and reports which cannot be read: a dry run of changed classes.</summary>
    /// <param name="query">The events to read. Null, the default: all events.</param>
    /// <param name="cancellationToken">Cancels the check.</param>
    /// <remarks>
    /// It changes nothing. Open a copy of the store, or the store itself with <see cref="OpossumOptions.ReadOnly"/>, with the event types and
    /// upcasters that are to be released: docs/changing-events.md.
    /// </remarks>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    /// <exception cref="StoreDamagedException">An event's file cannot be read.</exception>
    /// <exception cref="PersonalDataException">The query has a pseudonym, and a key or the master key is missing.</exception>
    public Task<EventTypeCheckReport> CheckEventTypesAsync(Query? query = null, CancellationToken cancellationToken = default)
    {
        var events = ReadAsync(query ?? Query.All, options: null, cancellationToken);
        return Task.Run(
            async () =>
            {
                var checker = new EventTypeChecker(types);
                await foreach (var e in events.WithCancellation(cancellationToken).ConfigureAwait(false))
                    checker.Count(e);
                return checker.Report(events.Head);
            },
            cancellationToken);
    }

    /// <summary>
    /// Starts projections and keeps them up to date until the result or the store is disposed. The call checks the projections and returns; the
    /// work runs in the background.
    /// </summary>
    /// <param name="projections">The projections: at least one, each with its own name.</param>
    /// <param name="options">The options. Null, the default: all defaults. Read once: later changes have no effect.</param>
    /// <remarks>
    /// With <see cref="OpossumOptions.ReadOnly"/> this process writes nothing: it reads the states that other processes keep up to date.
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// There is no projection, two projections have the same name, a projection handles a CLR type that is not registered, or an option is
    /// not allowed.
    /// </exception>
    /// <exception cref="InvalidOperationException">A projection has no handler.</exception>
    /// <exception cref="NotSupportedException">
    /// The store was opened with <see cref="OpossumOptions.ReadOnly"/>, and a projection writes to a database.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The store is disposed.</exception>
    public IAsyncDisposable StartProjections(IEnumerable<Projection> projections, ProjectionOptions? options = null) =>
        RunProjections(projections, options);

    /// <inheritdoc cref="StartProjections"/>
    internal FollowerRunner RunProjections(IEnumerable<Projection> projections, ProjectionOptions? options)
    {
        ArgumentNullException.ThrowIfNull(projections);
        options = options?.Copy() ?? new ProjectionOptions();
        options.Check().ThrowIfAny(nameof(options));
        options.RebuildProgress = CarefulProgress.Of(options.RebuildProgress, logger);
        var host = ProjectionHost(options);
        var all = Check(projections, types, host.CanWrite);
        if (!host.CanWrite && all.Find(static each => !each.IsInStore) is { } outside)
            throw appends.ReadOnly($"run the projection {outside.Name}, which writes to a database");
        return runners.Start(host, "projections", [.. all.Select(each => each.CreateFollower(host))]);
    }

    /// <summary>
    /// Starts reactions and runs them until the result or the store is disposed. The call checks the reactions and returns; the work runs in the
    /// background. A reaction that starts at the head handles every event that is appended after this call.
    /// </summary>
    /// <param name="reactions">The reactions: at least one, each with its own name.</param>
    /// <param name="options">The options. Null, the default: all defaults. Read once: later changes have no effect.</param>
    /// <exception cref="ArgumentException">
    /// There is no reaction, two reactions have the same name, a reaction handles a CLR type that is not registered, or an option is not allowed.
    /// </exception>
    /// <exception cref="InvalidOperationException">A reaction has no handler, or does not say where it starts.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    /// <exception cref="ObjectDisposedException">The store is disposed.</exception>
    public IAsyncDisposable StartReactions(IEnumerable<Reaction> reactions, ReactionOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(reactions);
        return RunReactions(reactions, options ?? new ReactionOptions(), KnownHead, scopes: null);
    }

    /// <summary>Starts reactions in a host.</summary>
    /// <param name="reactions">The reactions.</param>
    /// <param name="options">The options.</param>
    /// <param name="head">The position after which a reaction handles events that starts at the head for the first time.</param>
    /// <param name="scopes">Creates the scopes of events; null: there are none.</param>
    internal FollowerRunner RunReactions(IEnumerable<Reaction> reactions, ReactionOptions options, long head, IServiceScopeFactory? scopes)
    {
        options = options.Copy();
        options.Check().ThrowIfAny(nameof(options));
        var host = ReactionHost(options) with { Head = head, Scopes = scopes };
        return runners.Start(host, StoreRunners.Reactions, [.. CheckReactions(reactions).Select(each => new ReactionWorker(host, each))]);
    }

    /// <summary>Throws what starting reactions would throw, and starts none.</summary>
    internal List<Reaction> CheckReactions(IEnumerable<Reaction> reactions)
    {
        ThrowIfReactionsCannotRun();
        return Check(reactions, types);
    }

    /// <summary>Throws what starting projections would throw in any store with these event types.</summary>
    internal static List<Projection> Check(IEnumerable<Projection> projections, EventTypeRegistry types, bool canWrite)
    {
        // A process that does not write applies no events, and reading states needs no event types.
        Func<Query, string?>? findUnknown = canWrite ? types.FindUnknown : null;
        return FollowerRunner.Check(projections, "projection", static each => each.Name, static each => each.Query, findUnknown, nameof(projections));
    }

    /// <summary>The same for reactions.</summary>
    internal static List<Reaction> Check(IEnumerable<Reaction> reactions, EventTypeRegistry types) => FollowerRunner.Check(reactions, "reaction",
        static each => each.Name, static each => each.Query, types.FindUnknown, nameof(reactions));

    /// <inheritdoc/>
    public ProjectionCollection Projections => field ??= new ProjectionCollection(new(() => (OpenProjections, static () => { })));

    /// <inheritdoc/>
    public ReactionCollection Reactions => field ??= new ReactionCollection(new(() => (OpenReactions, static () => { })));

    /// <summary>The projections, for callers who ask about them.</summary>
    internal Opening<ProjectionReader> OpenProjections =>
        field ??= ProjectionReader.Open(ProjectionHost(new ProjectionOptions()), runners.ReadersOf<ProjectionReader>);

    /// <summary>The reactions, for callers who ask about them.</summary>
    internal Opening<ReactionReader> OpenReactions =>
        field ??= ReactionReader.Open(ReactionHost(new ReactionOptions()), runners.ReadersOf<ReactionReader>);

    /// <summary>Refuses further appends, ends subscriptions, completes the appends accepted before, and closes the files.</summary>
    /// <exception cref="InvalidOperationException">The caller is a handler of a projection or a reaction, for which it would wait.</exception>
    /// <exception cref="StoreFaultedException">Events that were appended without flushing may not be durable.</exception>
    public ValueTask DisposeAsync()
    {
        ThrowIfInsideHandler();
        return EndAsync();
    }

    /// <inheritdoc cref="DisposeAsync"/>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <summary>The projections and reactions that have not stopped yet.</summary>
    internal IEnumerable<string> Unfinished => runners.Unfinished;

    /// <summary>Throws inside of a handler of the store's projections or reactions.</summary>
    internal void ThrowIfInsideHandler() => runners.ThrowIfInsideHandler();

    /// <summary>The same as <see cref="DisposeAsync"/> for a caller that no handler waits for.</summary>
    internal ValueTask EndAsync()
    {
        runners.Close();
        lock (disposing)
            return new ValueTask(disposal ??= Task.Run(CloseAsync));
    }

    /// <summary>Reads the status; without counts it costs no more than the head.</summary>
    internal Task<StoreStatus> ReadStatusAsync(bool withCounts, bool withSizes, CancellationToken cancellationToken) =>
        Task.Run(() => reader.ReadStatus(status, withCounts, withSizes) with
        {
            ProofStatus = background?.ReadProofStatus(),
            SchemaFindings = schemas.Look(),
        }, cancellationToken);

    /// <summary>The names of the folders in a folder that are stores; none if the folder is missing.</summary>
    /// <exception cref="StoreIOException">The folder cannot be read.</exception>
    internal static IReadOnlyList<string> FindStores(string root)
    {
        using var fileSystem = RealFileSystem.Create();
        try
        {
            return fileSystem.GetKind(root) == EntryKind.Missing ? [] : [.. fileSystem.List(root).Where(IsStore)];
        }
        catch (FileSystemException e)
        {
            throw new StoreIOException(e.Path, $"The stores in {root} cannot be listed. {e.Message} Check that the folder can be read.", e);
        }

        bool IsStore(string name) => fileSystem.GetKind(new StoreLayout(FilePath.Join(root, name)).StoreFile) == EntryKind.File;
    }

    /// <summary>Whether there is no store at a path, nor one that has lost its file: an opening that must not create it will fail.</summary>
    internal static bool IsMissing(string path)
    {
        using var fileSystem = RealFileSystem.Create();
        var layout = new StoreLayout(path);
        try
        {
            return fileSystem.GetKind(path) != EntryKind.File && fileSystem.GetKind(layout.StoreFile) == EntryKind.Missing
                && fileSystem.GetKind(layout.Events) == EntryKind.Missing;
        }
        catch (FileSystemException)
        {
            // The opening meets it too, and says what can be done.
            return false;
        }
    }

    /// <inheritdoc cref="StoreAppends.Preview"/>
    internal IReadOnlyList<SequencedEvent> Preview(IReadOnlyList<NewEvent> events) => appends.Preview(events);

    /// <inheritdoc cref="StoreAppends.AppendOnThisThread"/>
    internal Task<AppendResult> AppendOnThisThread(IReadOnlyList<NewEvent> events, AppendCondition? condition) =>
        appends.AppendOnThisThread(events, condition);

    /// <summary>Makes the runs of the index that are due, for a test in which nothing else does.</summary>
    internal void MakeRuns() => store.Writing!.RunBuilder.Run();

    /// <summary>Writes the event files of events in the journal, for a test in which nothing else does.</summary>
    /// <returns>Whether all events have their files.</returns>
    internal bool BringFilesUp() => committer!.Writeback.Run() == FilesProgress.AllThere;

    /// <summary>
    /// Waits until the projections started here and the subscriptions that have begun have handled every event, also those that were appended
    /// in the meantime.
    /// </summary>
    /// <param name="needsSubscription">Whether a subscription must be active.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    internal async Task WaitForReadersAsync(bool needsSubscription, CancellationToken cancellationToken)
    {
        for (var head = -1L; await GetHeadAsync(cancellationToken).ConfigureAwait(false) is var current && current > head; head = current)
        {
            await runners.WaitForAsync(current, cancellationToken).ConfigureAwait(false);
            await headWatch.Followers.WaitForAllAsync(current, needsSubscription, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <inheritdoc cref="BackgroundWork.SealFolders"/>
    internal void SealFolders() => background?.SealFolders();

    internal ProjectionHost ProjectionHost(ProjectionOptions options) =>
        new(FollowerHost(store.Folder.Layout.Projections), options, personal.States, new ProjectionWorkers());

    internal ReactionHost ReactionHost(ReactionOptions options)
    {
        var appended = new ReactionAppends((events, condition, once, cancellation) => AppendAsync(events, condition, once, cancellation),
            appends.PrepareForLater, appends.AppendPreparedAsync);
        return new ReactionHost(FollowerHost(store.Folder.Layout.Reactions), options, appended, KnownHead)
        {
            ThrowIfFaulted = () => committer?.Outcomes.ThrowIfFaulted(),
            ThrowIfGivenUp = name => ThrowIfGivenUp?.Invoke(name),
        };
    }

    private FollowerHost FollowerHost(string folder) =>
        new(this, store.Folder.FileSystem, store.Folder.Volume, store.Folder.Layout.Root, folder, clock, logger, store.ThrowIfMoved,
            CanWrite: !appends.AreRefused)
        {
            StoreId = Id,
            MakeDurable = MakeDurable,
            KnownHead = () => KnownHead,
            CatchUp = () => reader.TakeView(pastCache: true),
            HasForgottenAfter = position => reader.TakeView().Contents.HasForgottenAfter(position),
            ThrowIfKeysAreMissing = personal.ThrowIfKeysAreMissing,
            ThrowIfClosed = runners.ThrowIfClosed,
        };

    internal static FileSystemEventStore Open(OpossumOptions options, IFileSystem fileSystem, StoreLayout layout, bool? create = null,
        bool isInMemory = false, RunSettings? runs = null, FilesBehindSettings? filesBehind = null,
        int keysKeptMax = KeyRing.KeptMaxDefault)
    {
        var serializer = new EventSerializer(options.EventTypes, options.Advanced.MaxPayloadBytes);
        var logger = new CarefulLogger(options.LoggerFactory?.CreateLogger("Opossum") ?? NullLogger.Instance);
        var progress = CarefulProgress.Of(options.Advanced.RebuildProgress, logger);
        var settings = new StoreSettings(create ?? options.CreateIfMissing, options.FlushEventsImmediately, options.UseJournal,
            options.LockTimeout, options.Advanced.RecoveryPatience, options.TimeProvider, progress,
            (runs ?? new RunSettings()) with { CacheBytes = options.Advanced.IndexCacheBytes }, options.ReadOnly)
        {
            FilesBehind = filesBehind ?? new FilesBehindSettings(),
        };
        // First: a store is not created where its master key is missing.
        var masterKey = StorePersonalData.FindMasterKey(options.PersonalData, fileSystem, layout);
        var store = new StoreOpening(fileSystem, layout, settings, logger).Open();
        FileSystemEventStore? opened = null;
        try
        {
            var events = new EncryptedEvents(query => opened!.reader.Has(query), (query, from) => opened!.ReadNow(query, from),
                () => ReadDeclared().NamingTypes);
            var personal = StorePersonalData.Open(options, masterKey, store.Folder, store.Index, events, serializer, ReadDeclared,
                store.Writing is { } writing ? () => writing.Lock(settings.LockTimeout) : null, keysKeptMax, logger);
            opened = new FileSystemEventStore(store, options, serializer, personal, settings, isInMemory, logger);
            if (store.HasOtherRules)
                StoreLog.TakingRulesIn(logger, store.Folder.Layout.Rules);
            if (store.HasOtherRules || (!options.ReadOnly && options.TagRules.Except(store.Index.Published.Rules.Rules).Any()))
                opened.AddTagRulesAtOpening([.. options.TagRules], progress);
            if (options.TagRules.Count > 0)
            {
                opened.unknownTypes.Note(Query.FromEventTypes([.. options.TagRules.Select(static rule => rule.EventType)]),
                    store.Index.Published.Contents);
            }
            if (opened.FindPersonalRule() is { } personalRule)
            {
                // After the files were taken in, which may end the rule.
                if (!options.ReadOnly)
                    throw new StoreMaintenanceException(layout.Root, $"The store in {layout.Root} was not opened: {personalRule}");
                StoreLog.RulesNotTakenIn(logger, layout.Root, personalRule);
            }
            return opened;
        }
        catch
        {
            if (opened is null)
                store.Dispose();
            else
                opened.Dispose();
            throw;
        }

        DeclaredPersonal ReadDeclared() => new(options.EventTypes, ((ISchemaSource)opened!).ReadSchemas());
    }

    private void AddTagRulesAtOpening(TagRule[] added, IProgress<StoreProgress>? progress)
    {
        try
        {
            try
            {
                ChangeTagRules(added, [], progress, settings.LockTimeout, CancellationToken.None);
            }
            catch (StoreLockTimeoutException e) when (e.Path == store.Folder.Layout.RunsLockFile)
            {
                // Who has the duty makes progress, for longer than an append waits for a lock, and the duty of a process that has ended is free.
                StoreLog.WaitingForRules(logger, store.Folder.Layout.Rules, e.Message, e);
                ChangeTagRules(added, [], progress, TimeSpan.MaxValue, CancellationToken.None);
            }
        }
        catch (StoreMaintenanceException e) when (store.HasOtherRules)
        {
            var rules = store.Folder.Layout.Rules;
            throw new StoreOpenException(rules, $"The store in {store.Folder.Root} was not opened: the files in {rules} were changed by hand. "
                + $"{e.Message} Correct or delete the file of the rule.", e);
        }
    }

    private Task<bool> ChangeTagRulesAsync(TagRule[] added, TagRule[] removed, IProgress<StoreProgress>? progress,
        CancellationToken cancellationToken) =>
        appends.AreRefused ? throw appends.ReadOnly("change its tag rules")
            : Task.Run(() => ChangeTagRules(added, removed, CarefulProgress.Of(progress, logger), settings.LockTimeout, cancellationToken),
                cancellationToken);

    private bool ChangeTagRules(TagRule[] added, TagRule[] removed, IProgress<StoreProgress>? progress, TimeSpan dutyTimeout,
        CancellationToken cancellationToken)
    {
        runners.ThrowIfClosed();
        committer!.Outcomes.ThrowIfFaulted();
        return new TagRuleChange(store, settings, personal.FindPersonal, progress, cancellationToken) { DutyTimeout = dutyTimeout }
            .Run(added, removed);
    }

    IReadOnlyList<EventSchema> ISchemaSource.ReadSchemas()
    {
        runners.ThrowIfClosed();
        try
        {
            return [.. SchemaFiles.ReadAll(store.Folder.FileSystem, store.Folder.Layout)
                .OrderBy(static schema => schema.EventType, StringComparer.Ordinal).ThenBy(static schema => schema.Version)];
        }
        catch (FileSystemException e)
        {
            throw new StoreIOException(e.Path, $"The schemas of {store.Folder.Root} cannot be read. {e.Message}", e);
        }
    }

    // On the caller's thread, as the core works.
    private IEnumerable<SequencedEvent> ReadNow(Query query, long from)
    {
        var events = new StoreEventStream(reader, unknownTypes, query, resolve: null, new ReadOptions { After = from - 1 },
            store.Folder.Volume.TakesRoundTrips, CancellationToken.None).GetAsyncEnumerator();
        while (events.MoveNextAsync().AsTask().GetAwaiter().GetResult())
            yield return events.Current;
    }

    private void MakeDurable(long position) => committer?.Writeback.MakeDurable(position);

    private StoreFigures? ReadFigures()
    {
        try
        {
            var contents = store.Index.Published.Contents;
            var bytes = contents.Head > 0 ? contents.LineEnd(contents.Head) : 0;
            return new StoreFigures(store.Folder.Root, contents.Head, bytes, committer?.Writeback.Files.Waiting ?? 0,
                [.. runners.LagsAt(contents.Head, ofReactions: false).Select(static each => (each.Name, each.Lag))],
                [.. runners.LagsAt(contents.Head, ofReactions: true)])
            {
                Replicas = FindReplicas?.Invoke(contents.Head) ?? [],
            };
        }
        catch (ObjectDisposedException)
        {
            // The store was closed while a listener was reading all figures.
            return null;
        }
    }

    private void NoteCommit(Group group)
    {
        if (group.Appends.Count > 0)
            Instruments.GroupSize.Record(group.Appends.Count, store.Folder.Root);
        headWatch.WakeIfMoved();
        background!.NoteCommit(KnownHead);
    }

    private void ThrowIfReactionsCannotRun()
    {
        if (appends.AreRefused)
            throw appends.ReadOnly("run reactions");
    }

    private Task CloseAsync()
    {
        if (Telemetry.HasMetrics)
            Instruments.Forget(this);
        var stopped = runners.DisposeAsync();
        if (!stopped.IsCompletedSuccessfully)
            return CloseAfterAsync(stopped);
        CloseFiles();
        return Task.CompletedTask;
    }

    // The runners write what they have applied, and need the open store for it.
    private async Task CloseAfterAsync(Task stopped)
    {
        await stopped.ConfigureAwait(false);
        CloseFiles();
    }

    private void CloseFiles()
    {
        headWatch.Dispose();
        appends.Close();
        personal.Dispose();
        try
        {
            background?.Dispose();
        }
        finally
        {
            store.Dispose();
        }
    }
}
