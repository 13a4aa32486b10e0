using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;
using Opossum.Projections;
using Opossum.Projections.States;
using Opossum.Projections.Updating;
using Opossum.Serialization;

namespace Opossum;

/// <summary>A read model kept up to date from events, whatever its state's type; derive from <see cref="Projection{TState}"/>.</summary>
public abstract class Projection
{
    /// <summary>The longest name: 63 characters.</summary>
    public const int MaxNameLength = 63;

    private protected const string NeedsReflection = "A state may be made JSON by reflection. Use the constructor that takes a JsonTypeInfo<TState> of a source-generated JsonSerializerContext.";

    private protected Projection(string name, int version)
    {
        CheckName(name);
        ArgumentOutOfRangeException.ThrowIfLessThan(version, 1);
        Name = name;
        Version = version;
    }

    /// <summary>
    /// Its name, which names its folder too: 1 to 63 of <c>a-z</c>, <c>0-9</c> and <c>-</c>, the first no <c>-</c>, and no device name of Windows.
    /// It must not change, or the projection is built again under the new one.
    /// </summary>
    public string Name { get; }

    /// <summary>The version of what it does, from 1. Raise it when handlers or the state's shape change: the states are then built again.</summary>
    public int Version { get; }

    /// <summary>The events it is made of: those of the handled types that carry its tags. Asking for it ends the time in which handlers may be added.</summary>
    /// <exception cref="InvalidOperationException">The projection has no handler.</exception>
    public abstract Query Query { get; }

    internal abstract ProjectionWorker CreateWorker(ProjectionHost host);

    /// <summary>Name and version, for messages.</summary>
    public override string ToString() => $"{Name} (version {Version})";

    private static void CheckName(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        var isAllowed = name.Length is > 0 and <= MaxNameLength && name[0] != '-' && name.All(static each => each is (>= 'a' and <= 'z') or (>= '0' and <= '9') or '-');
        if (!isAllowed)
            throw new ArgumentException($"The projection's name {NameRules.Quote(name)} is not allowed: it is 1 to {MaxNameLength} of a-z, 0-9 and '-', and does not begin with '-', because it names a folder.", nameof(name));
        if (KeyFileName.IsDeviceName(name))
            throw new ArgumentException($"The projection's name {NameRules.Quote(name)} is the name of a device on Windows, where no folder can be called so. Choose another.", nameof(name));
    }
}

/// <summary>
/// A read model: which events it is made of, whose state each of them changes, and how. The states are files, one a key, kept up to date by
/// <see cref="FileSystemEventStore.StartProjections"/>.
/// </summary>
/// <typeparam name="TState">The state of one key; it is stored as JSON. Immutable or not: readers get objects of their own.</typeparam>
/// <remarks>
/// Handlers are added in the constructor. They must depend on state and event alone: events are applied again after a crash, when states are
/// built again, and by whichever process leads. Each event counts exactly once in a state.
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
    private readonly Lock gate = new();
    private readonly Dictionary<string, ProjectionHandler<TState>> handlers = new(StringComparer.Ordinal);
    private readonly List<Type> clrTypes = [];
    private readonly Tag[] tags;
    private Func<TState, IEnumerable<Tag>>? tagBy;
    private Query? query;

    /// <summary>Begins a projection whose states are made JSON by reflection: properties in camelCase, enums by name.</summary>
    /// <param name="name">Its name; see <see cref="Projection.Name"/>.</param>
    /// <param name="version">The version of what it does, from 1; see <see cref="Projection.Version"/>. Default: 1.</param>
    /// <param name="tags">The tags that an event must carry, all of them, to count. Usually none: any event of a handled type counts.</param>
    /// <exception cref="ArgumentException">The name or the version is not allowed, or a tag is <c>default(Tag)</c>.</exception>
    [RequiresUnreferencedCode(NeedsReflection)]
    [RequiresDynamicCode(NeedsReflection)]
    protected Projection(string name, int version = 1, params IEnumerable<Tag> tags)
        : this(name, ReflectedJson.Of<TState>(), version, tags)
    {
    }

    /// <summary>Begins a projection whose states are made JSON by a source-generated context, as trimming and compiling ahead of time demand.</summary>
    /// <param name="name">Its name; see <see cref="Projection.Name"/>.</param>
    /// <param name="json">How a state is written as JSON, such as <c>ShopJson.Default.CourseOverview</c>; its context's options count.</param>
    /// <param name="version">The version of what it does, from 1; see <see cref="Projection.Version"/>. Default: 1.</param>
    /// <param name="tags">The tags that an event must carry, all of them, to count. Usually none: any event of a handled type counts.</param>
    /// <exception cref="ArgumentException">The name or the version is not allowed, or a tag is <c>default(Tag)</c>.</exception>
    protected Projection(string name, JsonTypeInfo<TState> json, int version = 1, params IEnumerable<Tag> tags)
        : base(name, version)
    {
        ArgumentNullException.ThrowIfNull(json);
        ArgumentNullException.ThrowIfNull(tags);
        Json = json;
        this.tags = [.. new QueryItem { Tags = [.. tags] }.Tags];
    }

    /// <inheritdoc/>
    public sealed override Query Query
    {
        get
        {
            lock (gate)
            {
                if (handlers.Count == 0)
                    throw new InvalidOperationException($"The projection {Name} has no handler; say with On<TEvent>(...) in its constructor which events change its states.");
                return query ??= Query.FromItems(new QueryItem { EventTypes = [.. handlers.Keys.Order(StringComparer.Ordinal)], Tags = tags, ClrTypes = [.. clrTypes] });
            }
        }
    }

    internal JsonTypeInfo<TState> Json { get; }

    /// <summary>Whether states have tags of their own.</summary>
    internal bool HasTags => tagBy is not null;

    /// <summary>An event of a CLR type changes the state of one key.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="key">The key: any text but the empty one.</param>
    /// <param name="apply">Gives the next state of the state, which is null when there is none, and the event's data. Null deletes the state.</param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or a handler already.</exception>
    /// <exception cref="InvalidOperationException">The projection is in use already.</exception>
    protected void On<TEvent>(Func<TEvent, string> key, Func<TState?, TEvent, TState?> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(apply);
        Add<TEvent>(new ProjectionHandler<TState>(e => key(DataOf<TEvent>(e)), null, (state, e) => apply(state, DataOf<TEvent>(e))));
    }

    /// <summary>An event of a CLR type changes the state of one key, and its envelope matters: position, timestamp, tags, metadata.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="key">The key: any text but the empty one.</param>
    /// <param name="apply">Gives the next state of the state, which is null when there is none, the event's data, and the event. Null deletes the state.</param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or a handler already.</exception>
    /// <exception cref="InvalidOperationException">The projection is in use already.</exception>
    protected void On<TEvent>(Func<TEvent, string> key, Func<TState?, TEvent, SequencedEvent, TState?> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(apply);
        Add<TEvent>(new ProjectionHandler<TState>(e => key(DataOf<TEvent>(e)), null, (state, e) => apply(state, DataOf<TEvent>(e), e)));
    }

    /// <summary>An event of a CLR type changes the states of several keys, each for itself.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="keys">The keys, of which one given twice counts once; none: the event changes nothing.</param>
    /// <param name="apply">Gives the next state of one of the states, which is null when there is none, and the event's data. Null deletes the state.</param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or a handler already.</exception>
    /// <exception cref="InvalidOperationException">The projection is in use already.</exception>
    protected void On<TEvent>(Func<TEvent, IEnumerable<string>> keys, Func<TState?, TEvent, TState?> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(apply);
        Add<TEvent>(new ProjectionHandler<TState>(null, e => keys(DataOf<TEvent>(e)), (state, e) => apply(state, DataOf<TEvent>(e))));
    }

    /// <summary>An event of a CLR type changes the states of several keys, each for itself, and its envelope matters: position, timestamp, tags, metadata.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="keys">The keys, of which one given twice counts once; none: the event changes nothing.</param>
    /// <param name="apply">Gives the next state of one of the states, which is null when there is none, the event's data, and the event. Null deletes the state.</param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or a handler already.</exception>
    /// <exception cref="InvalidOperationException">The projection is in use already.</exception>
    protected void On<TEvent>(Func<TEvent, IEnumerable<string>> keys, Func<TState?, TEvent, SequencedEvent, TState?> apply)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(apply);
        Add<TEvent>(new ProjectionHandler<TState>(null, e => keys(DataOf<TEvent>(e)), (state, e) => apply(state, DataOf<TEvent>(e), e)));
    }

    /// <summary>An event of a type, by its name and without a CLR type, changes the state of one key.</summary>
    /// <param name="eventType">The type's name.</param>
    /// <param name="key">The key: any text but the empty one.</param>
    /// <param name="apply">Gives the next state of the state, which is null when there is none, and the event. Null deletes the state.</param>
    /// <exception cref="ArgumentException">The name is not allowed, or has a handler already.</exception>
    /// <exception cref="InvalidOperationException">The projection is in use already.</exception>
    protected void On(string eventType, Func<SequencedEvent, string> key, Func<TState?, SequencedEvent, TState?> apply)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(apply);
        Add(eventType, new ProjectionHandler<TState>(key, null, apply));
    }

    /// <summary>An event of a type, by its name and without a CLR type, changes the states of several keys, each for itself.</summary>
    /// <param name="eventType">The type's name.</param>
    /// <param name="keys">The keys, of which one given twice counts once; none: the event changes nothing.</param>
    /// <param name="apply">Gives the next state of one of the states, which is null when there is none, and the event. Null deletes the state.</param>
    /// <exception cref="ArgumentException">The name is not allowed, or has a handler already.</exception>
    /// <exception cref="InvalidOperationException">The projection is in use already.</exception>
    protected void On(string eventType, Func<SequencedEvent, IEnumerable<string>> keys, Func<TState?, SequencedEvent, TState?> apply)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(apply);
        Add(eventType, new ProjectionHandler<TState>(null, keys, apply));
    }

    /// <summary>Gives each state tags of its own, by which <see cref="IProjectionStore{TState}.FindAsync"/> finds it. Called at most once.</summary>
    /// <param name="tags">The tags of a state; they must follow from the state alone.</param>
    /// <exception cref="InvalidOperationException">It was called before, or the projection is in use already.</exception>
    protected void TagBy(Func<TState, IEnumerable<Tag>> tags)
    {
        ArgumentNullException.ThrowIfNull(tags);
        lock (gate)
        {
            RefuseWhenInUse();
            if (tagBy is not null)
                throw new InvalidOperationException($"The projection {Name} calls TagBy twice; one function gives all tags of a state.");
            tagBy = tags;
        }
    }

    internal override ProjectionWorker CreateWorker(ProjectionHost host) => new ProjectionWorker<TState>(host, this);

    internal ProjectionHandler<TState> HandlerOf(string eventType) => handlers[eventType];

    /// <summary>The tags of a state, each once.</summary>
    internal Tag[] TagsOf(TState state) => tagBy is null ? [] : [.. new QueryItem { Tags = [.. tagBy(state)] }.Tags];

    private void Add<TEvent>(ProjectionHandler<TState> handler) =>
        Add(NameRules.EventTypeOf(typeof(TEvent), "handle its events by their name: On(\"...\", e => ..., (state, e) => ...)."), handler, typeof(TEvent));

    private void Add(string eventType, ProjectionHandler<TState> handler, Type? clrType = null)
    {
        lock (gate)
        {
            RefuseWhenInUse();
            if (handlers.TryAdd(eventType, handler))
                clrTypes.AddRange(clrType is null ? [] : [clrType]);
            else
                throw new ArgumentException($"The projection {Name} has two handlers of {NameRules.Quote(eventType)}; an event type has one, which may give several keys.", nameof(eventType));
        }
    }

    private void RefuseWhenInUse()
    {
        if (query is not null)
            throw new InvalidOperationException($"The projection {Name} is in use already; add handlers in its constructor.");
    }

    private static TEvent DataOf<TEvent>(SequencedEvent e) => e.Data switch
    {
        TEvent data => data,
        null => throw new EventDataException(e.Type, e.Position, $"The data of the event at position {e.Position}, of type {NameRules.Quote(e.Type)}, is JSON null, of which {typeof(TEvent)} cannot be made."),
        var other => throw new EventDataException(e.Type, e.Position, $"The event type {NameRules.Quote(e.Type)} is registered as {other.GetType()}, but the projection's handler wants {typeof(TEvent)}."),
    };
}
