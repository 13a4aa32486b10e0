using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;
using Opossum.Following;
using Opossum.Projections;
using Opossum.Serialization;

namespace Opossum;

/// <summary>The base class of all read models that are kept up to date from events; derive from <see cref="Projection{TState}"/>.</summary>
public abstract class Projection
{
    private protected const string NeedsReflection =
        "States may be serialized by reflection. Use the constructor that takes a JsonTypeInfo<TState> of a source-generated JsonSerializerContext.";

    private protected Projection(string name, int version)
    {
        NameRules.CheckFolderName(name, "The projection's name", nameof(name));
        ArgumentOutOfRangeException.ThrowIfLessThan(version, 1);
        Name = name;
        Version = version;
    }

    /// <summary>
    /// The projection's name, which is also its folder's name: 1 to 63 of <c>a-z</c>, <c>0-9</c> and <c>-</c>, not starting with <c>-</c>,
    /// and not a Windows
    /// device name. If the name changes, the projection is rebuilt under the new name.
    /// </summary>
    public string Name { get; }

    /// <summary>The version of the handlers and the state's shape, from 1. Raise it when they change: the states are then rebuilt.</summary>
    public int Version { get; }

    /// <summary>
    /// The query that selects the projection's events: those of the handled types that carry its tags. Reading it freezes the projection: no more
    /// handlers can be added.
    /// </summary>
    /// <exception cref="InvalidOperationException">The projection has no handler.</exception>
    public abstract Query Query { get; }

    internal abstract Follower CreateFollower(ProjectionHost host);

    /// <summary>Whether what it builds is in the store, which other processes may keep up to date for this one.</summary>
    internal virtual bool IsInStore => true;

    /// <summary>Name and version, for messages.</summary>
    public override string ToString() => $"{Name} (version {Version})";
}

/// <summary>
/// A read model: its handlers say which events change which states, and how. The states are files, one per key, kept up to date by
/// <see cref="FileSystemEventStore.StartProjections"/>.
/// </summary>
/// <typeparam name="TState">
/// The type of a key's state, stored as JSON. Every reader gets its own object. A class that would lose a member in JSON is refused by the
/// constructor.
/// </typeparam>
/// <remarks>
/// Add handlers in the constructor. A handler may depend only on the state and the event: events are applied again after a crash, when states are
/// rebuilt, and by any process that leads. It returns a new state and does not change the one that it is given, which it gets again when it has
/// thrown halfway. Each event counts exactly once in a state.
/// </remarks>
/// <example><code>
/// public sealed class CourseOverviews : Projection&lt;CourseOverview&gt;
/// {
///     public CourseOverviews() : base("course-overviews")
///     {
///         On&lt;CourseDefined&gt;(e =&gt; e.CourseId, (_, e) =&gt; new CourseOverview(e.CourseId, e.Title, e.Capacity, 0));
///         On&lt;StudentSubscribed&gt;(e =&gt; e.CourseId, (course, e) =&gt; course! with { Subscribed = course.Subscribed + 1 });
///         TagBy(course =&gt; [new Tag("full", course.Subscribed &lt; course.Capacity ? "no" : "yes")]);
///     }
/// }
/// </code></example>
public abstract class Projection<TState> : Projection
    where TState : class
{
    private readonly EventHandlers<ProjectionHandler<TState>> handlers;
    private readonly Tag[] tags;
    private Func<TState, IEnumerable<Tag>>? tagBy;

    /// <summary>
    /// Creates a projection whose states are serialized by reflection: properties in camelCase, enums by name. A stored state is read only if its
    /// members match the class, as an event is: docs/getting-started.md.
    /// </summary>
    /// <param name="name">The name; see <see cref="Projection.Name"/>.</param>
    /// <param name="version">The version, from 1; see <see cref="Projection.Version"/>. Default: 1.</param>
    /// <param name="tags">The tags, all of which an event must carry to be applied. Usually none: every event of a handled type is applied.</param>
    /// <exception cref="ArgumentException">The name or the version is not allowed, or a tag is <c>default(Tag)</c>.</exception>
    /// <exception cref="InvalidOperationException">A member of the state would not be read back as it is written.</exception>
    [RequiresUnreferencedCode(NeedsReflection)]
    [RequiresDynamicCode(NeedsReflection)]
    protected Projection(string name, int version = 1, params Tag[] tags)
        : this(name, ReflectedJson.Of<TState>(), version, tags)
    {
    }

    /// <summary>
    /// Creates a projection whose states are serialized by a source-generated context, as trimming and ahead-of-time compilation require.
    /// </summary>
    /// <param name="name">The name; see <see cref="Projection.Name"/>.</param>
    /// <param name="json">The JSON metadata of the state, such as <c>ShopJson.Default.CourseOverview</c>; the options of its context apply, also to
    /// members that are unknown or missing: see <see cref="EventTypeRegistry"/>.</param>
    /// <param name="version">The version, from 1; see <see cref="Projection.Version"/>. Default: 1.</param>
    /// <param name="tags">The tags, all of which an event must carry to be applied. Usually none: every event of a handled type is applied.</param>
    /// <exception cref="ArgumentException">The name or the version is not allowed, or a tag is <c>default(Tag)</c>.</exception>
    /// <exception cref="InvalidOperationException">A member of the state would not be read back as it is written.</exception>
    protected Projection(string name, JsonTypeInfo<TState> json, int version = 1, params Tag[] tags)
        : base(name, version)
    {
        ArgumentNullException.ThrowIfNull(json);
        ArgumentNullException.ThrowIfNull(tags);
        Json = (JsonTypeInfo<TState>)WholeObjects.Of(json);
        IsVerified = RoundTripCheck.Run(Json, $"The state of the projection {name}, {typeof(TState)},");
        Content = new JsonContent(Json);
        this.tags = [.. new QueryItem { Tags = [.. tags] }.Tags];
        handlers = new EventHandlers<ProjectionHandler<TState>>($"The projection {name}");
    }

    /// <inheritdoc/>
    public sealed override Query Query => handlers.GetQuery(tags, static () => { });

    internal JsonTypeInfo<TState> Json { get; }

    /// <summary>Whether each state has to be verified when it is written, because its values decide whether it can be read back.</summary>
    internal bool IsVerified { get; }

    /// <summary>The members of a state's JSON.</summary>
    internal JsonContent Content { get; }

    internal virtual bool HasTags => tagBy is not null;

    /// <summary>Adds a handler: an event of a CLR type changes the state of one key.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="key">Returns the key: any non-empty text.</param>
    /// <param name="apply">
    /// Returns the next state from the current state, null if there is none, and the event's data. Returning null deletes the state.
    /// </param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or already has a handler.</exception>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    protected void On<TEvent>(Func<TEvent, string> key, Func<TState?, TEvent, TState?> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(apply);
        On<TEvent>(key, (state, e, _) => apply(state, e));
    }

    /// <summary>Adds the same, which also receives the envelope of the event: position, timestamp, tags, metadata.</summary>
    /// <inheritdoc cref="On{TEvent}(Func{TEvent, string}, Func{TState, TEvent, TState})"/>
    protected void On<TEvent>(Func<TEvent, string> key, Func<TState?, TEvent, SequencedEvent, TState?> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(apply);
        Add<TEvent>(new ProjectionHandler<TState>(e => key(DataOf<TEvent>(e)), null, (state, e, _) => apply(state, DataOf<TEvent>(e), e)));
    }

    /// <summary>Adds a handler: an event of a CLR type changes the states of several keys, each independently.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="keys">Returns the keys; duplicates are ignored. None: the event changes nothing.</param>
    /// <param name="apply">
    /// Returns the next state of one key from its current state, null if there is none, and the event's data. Returning null deletes the state.
    /// </param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or already has a handler.</exception>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    protected void On<TEvent>(Func<TEvent, IEnumerable<string>> keys, Func<TState?, TEvent, TState?> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(apply);
        On<TEvent>(keys, (state, e, _, _) => apply(state, e));
    }

    /// <summary>Adds the same, which also receives the envelope of the event: position, timestamp, tags, metadata.</summary>
    /// <inheritdoc cref="On{TEvent}(Func{TEvent, IEnumerable{string}}, Func{TState, TEvent, TState})"/>
    protected void On<TEvent>(Func<TEvent, IEnumerable<string>> keys, Func<TState?, TEvent, SequencedEvent, TState?> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(apply);
        On<TEvent>(keys, (state, e, envelope, _) => apply(state, e, envelope));
    }

    /// <summary>Adds the same, which also receives the envelope of the event, and the key whose state it returns.</summary>
    /// <example><code>
    /// On&lt;MoneySent&gt;(e =&gt; [e.From, e.To], (account, e, _, key) =&gt; account! with { Sum = account.Sum + (key == e.To ? e.Sum : -e.Sum) });
    /// </code></example>
    /// <inheritdoc cref="On{TEvent}(Func{TEvent, IEnumerable{string}}, Func{TState, TEvent, TState})"/>
    protected void On<TEvent>(Func<TEvent, IEnumerable<string>> keys, Func<TState?, TEvent, SequencedEvent, string, TState?> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(apply);
        Add<TEvent>(new ProjectionHandler<TState>(null, e => keys(DataOf<TEvent>(e)), (state, e, key) => apply(state, DataOf<TEvent>(e), e, key)));
    }

    /// <summary>Adds a handler by type name, without a CLR type: an event changes the state of one key.</summary>
    /// <param name="eventType">The type's name.</param>
    /// <param name="key">Returns the key: any non-empty text.</param>
    /// <param name="apply">Returns the next state from the current state, null if there is none, and the event. Returning null deletes the
    /// state.</param>
    /// <exception cref="ArgumentException">The name is not allowed, or already has a handler.</exception>
    /// <exception cref="InvalidOperationException">The projection is already in use.</exception>
    protected void On(string eventType, Func<SequencedEvent, string> key, Func<TState?, SequencedEvent, TState?> apply)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(apply);
        handlers.Add(eventType, new ProjectionHandler<TState>(key, null, (state, e, _) => apply(state, e)));
    }

    /// <summary>Adds a handler by type name, without a CLR type: an event changes the states of several keys, each independently.</summary>
    /// <param name="eventType">The type's name.</param>
    /// <param name="keys">Returns the keys; duplicates are ignored. None: the event changes nothing.</param>
    /// <param name="apply">The same as for one key.</param>
    /// <inheritdoc cref="On(string, Func{SequencedEvent, string}, Func{TState, SequencedEvent, TState})" path="/exception"/>
    protected void On(string eventType, Func<SequencedEvent, IEnumerable<string>> keys, Func<TState?, SequencedEvent, TState?> apply)
    {
        ArgumentNullException.ThrowIfNull(apply);
        On(eventType, keys, (state, e, _) => apply(state, e));
    }

    /// <summary>Adds the same, which also receives the key whose state it returns.</summary>
    /// <inheritdoc cref="On(string, Func{SequencedEvent, IEnumerable{string}}, Func{TState, SequencedEvent, TState})"/>
    protected void On(string eventType, Func<SequencedEvent, IEnumerable<string>> keys, Func<TState?, SequencedEvent, string, TState?> apply)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(apply);
        handlers.Add(eventType, new ProjectionHandler<TState>(null, keys, apply));
    }

    /// <summary>
    /// Sets the function that returns the tags of a state, by which <see cref="IProjectionStore{TState}.FindAsync"/> finds it. Called at most once.
    /// </summary>
    /// <param name="tags">Returns the tags of a state; they must depend only on the state.</param>
    /// <exception cref="InvalidOperationException">The method was called before, or the projection is already in use.</exception>
    protected void TagBy(Func<TState, IEnumerable<Tag>> tags)
    {
        ArgumentNullException.ThrowIfNull(tags);
        handlers.Change(() =>
        {
            if (tagBy is not null)
                throw new InvalidOperationException($"The projection {Name} calls TagBy twice; one function returns all tags of a state.");
            tagBy = tags;
        });
    }

    internal override Follower CreateFollower(ProjectionHost host) => host.Workers.Create(host, this);

    internal ProjectionHandler<TState> HandlerOf(string eventType) => handlers[eventType];

    /// <summary>The tags of a state, each once.</summary>
    internal Tag[] TagsOf(TState state) => tagBy is null ? [] : Checked(tagBy(state));

    /// <summary>Tags by which states are found, each once.</summary>
    /// <exception cref="ArgumentException">A tag is <c>default(Tag)</c> or a pseudonym.</exception>
    internal static Tag[] Checked(IEnumerable<Tag> tags)
    {
        Tag[] each = [.. new QueryItem { Tags = [.. tags] }.Tags];
        return !Array.Exists(each, static tag => tag.IsPseudonym) ? each
            : throw new ArgumentException("States have no pseudonyms as tags. Take the tag that an event has in Tags, which is the stored form.",
                nameof(tags));
    }

    private void Add<TEvent>(ProjectionHandler<TState> handler) =>
        handlers.Add(NameRules.EventTypeOf(typeof(TEvent), "handle its events by name: On(\"...\", e => ..., (state, e) => ...)."), handler,
            typeof(TEvent));

    private static TEvent DataOf<TEvent>(SequencedEvent e) => TypedData.Of<TEvent>(e, "the projection's handler");
}
