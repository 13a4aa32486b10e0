using Opossum.Following;
using Opossum.Reactions;
using Opossum.Serialization;

namespace Opossum;

/// <summary>
/// What happens because something happened: its handlers send a mail, call a service or append further events for each event of their types.
/// <see cref="FileSystemEventStore.StartReactions"/> runs it; of all processes that run it, one handles the events.
/// </summary>
/// <remarks>
/// Add handlers, the key and the start in the constructor. Each event is handled at least once: after a crash or an error it is handled again, and
/// <see cref="ReactionContext.Attempt"/> says so. What a handler appends through its <see cref="ReactionContext"/> is stored exactly once.
/// </remarks>
/// <example><code>
/// public sealed class WelcomeMails : Reaction
/// {
///     public WelcomeMails(IMails mails) : base("welcome-mails")
///     {
///         StartFrom(ReactionStart.Head);
///         KeyBy("customer");
///         On&lt;CustomerJoined&gt;((e, context, cancellation) =&gt; mails.SendAsync(e.Mail, "Welcome!", context.IdempotencyKey, cancellation));
///     }
/// }
/// </code></example>
public abstract class Reaction
{
    private readonly EventHandlers<ReactionHandler> handlers;
    private Func<SequencedEvent, string>? keyOf;
    private ReactionStart? start;

    /// <summary>Creates a reaction.</summary>
    /// <param name="name">The name; see <see cref="Name"/>.</param>
    /// <exception cref="ArgumentException">The name is not allowed.</exception>
    protected Reaction(string name)
    {
        NameRules.CheckFolderName(name, "The reaction's name", nameof(name));
        Name = name;
        handlers = new EventHandlers<ReactionHandler>($"The reaction {name}");
    }

    /// <summary>
    /// The reaction's name, which is also its folder's name: 1 to 63 of <c>a-z</c>, <c>0-9</c> and <c>-</c>, not starting with <c>-</c>, and not a
    /// Windows device name. Under another name it is another reaction, which begins from its start.
    /// </summary>
    public string Name { get; }

    /// <summary>
    /// The query that selects the reaction's events: those of the handled types. Reading it freezes the reaction: nothing can be added any more.
    /// </summary>
    /// <exception cref="InvalidOperationException">The reaction has no handler, or does not say where it starts.</exception>
    public Query Query => handlers.GetQuery([], () =>
    {
        if (start is null)
        {
            throw new InvalidOperationException($"The reaction {Name} does not say where it starts. Call StartFrom(ReactionStart.Head) in "
                + "its constructor to handle only new events, or StartFrom(ReactionStart.Beginning) to handle all events of the store.");
        }
    });

    internal IReadOnlyList<string> HandledTypes => Query.Items[0].Types;

    /// <summary>Where it begins; known once <see cref="Query"/> was read.</summary>
    internal ReactionStart Start => start!;

    /// <summary>Whether it handles an event: one of its types that is not older than the time at which it starts.</summary>
    internal bool Handles(SequencedEvent e) => handlers.Contains(e.Type) && !(e.Timestamp < Start.FirstTime);

    /// <summary>Whether the further events of a key wait while one of its events is parked.</summary>
    internal bool KeyWaits { get; private set; } = true;

    /// <summary>The tag key that names the key of an event; null: a function does, or nothing.</summary>
    internal string? KeyTag { get; private set; }

    /// <summary>What names the key of an event: a tag key; empty: nothing; or a sign that a function does.</summary>
    internal string KeySource => KeyTag ?? (keyOf is null ? "" : ":");

    /// <summary>Name, for messages.</summary>
    public override string ToString() => Name;

    /// <summary>Adds a handler of an event type.</summary>
    /// <typeparam name="TEvent">A type with <see cref="EventTypeAttribute"/>, registered with the store.</typeparam>
    /// <param name="handle">
    /// Handles the event: its data, its context, and a token that is cancelled when the runner stops or the lead is lost. It is called at least once
    /// for each event; events of one key one after another.
    /// </param>
    /// <exception cref="ArgumentException">The type has no <see cref="EventTypeAttribute"/>, or already has a handler.</exception>
    /// <exception cref="InvalidOperationException">The reaction is already in use.</exception>
    protected void On<TEvent>(Func<TEvent, ReactionContext, CancellationToken, Task> handle)
        where TEvent : notnull
    {
        ArgumentNullException.ThrowIfNull(handle);
        handlers.Add(NameRules.EventTypeOf(typeof(TEvent), "handle its events by name: On(\"...\", (context, cancellation) => ...)."),
            (context, cancellation) => handle(TypedData.Of<TEvent>(context.Event, "the reaction's handler"), context, cancellation), typeof(TEvent));
    }

    /// <summary>Adds a handler by type name, without a CLR type.</summary>
    /// <param name="eventType">The type's name.</param>
    /// <param name="handle">Handles the event; see <see cref="On{TEvent}"/>.</param>
    /// <exception cref="ArgumentException">The name is not allowed, or already has a handler.</exception>
    /// <exception cref="InvalidOperationException">The reaction is already in use.</exception>
    protected void On(string eventType, Func<ReactionContext, CancellationToken, Task> handle)
    {
        NameRules.CheckEventType(eventType, nameof(eventType));
        ArgumentNullException.ThrowIfNull(handle);
        handlers.Add(eventType, new ReactionHandler(handle));
    }

    /// <summary>
    /// Events that carry the same value of a tag key are handled one after another, in the order of their positions; others at the same time. Of
    /// several tags with that key the first counts; events without one count as one key. Without this call all events are one key.
    /// </summary>
    /// <param name="tagKey">The tag's key, such as <c>order</c>.</param>
    /// <exception cref="ArgumentException">The key is not allowed.</exception>
    /// <exception cref="InvalidOperationException">A key was named before, or the reaction is already in use.</exception>
    protected void KeyBy(string tagKey)
    {
        NameRules.CheckTagKey(tagKey, nameof(tagKey));
        SetKey(e => ValueOf(e, tagKey));
        KeyTag = tagKey;
    }

    /// <summary>The same by a function: events with the same text are handled one after another.</summary>
    /// <param name="key">Returns the key of an event. <c>e =&gt; e.Id.ToString()</c> says that no order matters.</param>
    /// <exception cref="InvalidOperationException">A key was named before, or the reaction is already in use.</exception>
    protected void KeyBy(Func<SequencedEvent, string> key)
    {
        ArgumentNullException.ThrowIfNull(key);
        SetKey(key);
    }

    /// <summary>Says where the reaction begins when it is started for the first time on a store. Required: no start suits all.</summary>
    /// <param name="start">The start.</param>
    /// <exception cref="InvalidOperationException">A start was named before, or the reaction is already in use.</exception>
    protected void StartFrom(ReactionStart start)
    {
        ArgumentNullException.ThrowIfNull(start);
        handlers.Change(() =>
        {
            if (this.start is not null)
                throw new InvalidOperationException($"The reaction {Name} calls StartFrom twice; it has one start.");
            this.start = start;
        });
    }

    /// <summary>
    /// Handles the further events of a key while one of its events is parked: their order does not matter. Without this call they wait until the
    /// parked event is retried successfully or skipped, and are handled in order then. Events of other keys are handled always.
    /// </summary>
    /// <exception cref="InvalidOperationException">The reaction is already in use.</exception>
    protected void ContinueWhenParked() => handlers.Change(() => KeyWaits = false);

    /// <summary>
    /// Whether no retry can mend an error, so that the event is parked at once. Default: false; every event is retried up to
    /// <see cref="ReactionOptions.MaxRetryAttempts"/> times.
    /// </summary>
    /// <param name="exception">What a handler has thrown.</param>
    protected virtual bool IsPermanent(Exception exception) => false;

    internal bool Judge(Exception error)
    {
        try
        {
            return IsPermanent(error);
        }
        catch (Exception)
        {
            // It has not said so.
            return false;
        }
    }

    /// <summary>The query that selects the reaction's events with a tag.</summary>
    internal Query QueryOf(Tag tag) => Query.FromItems(
    [
        .. Query.Items.Select(item => new QueryItem { Types = item.Types, ClrTypes = item.ClrTypes, Tags = [tag] }),
    ]);

    internal string KeyOf(SequencedEvent e) => keyOf is null ? ""
        : keyOf(e) ?? throw new InvalidOperationException($"The key of the event at position {e.Position}, by the reaction {Name}, is null.");

    internal Task HandleAsync(ReactionContext context, CancellationToken cancellationToken) =>
        handlers[context.Event.Type](context, cancellationToken);

    private static string ValueOf(SequencedEvent e, string tagKey)
    {
        foreach (var tag in e.Tags)
        {
            if (tag.Key == tagKey)
                return tag.Value;
        }
        return "";
    }

    private void SetKey(Func<SequencedEvent, string> key) => handlers.Change(() =>
    {
        if (keyOf is not null)
            throw new InvalidOperationException($"The reaction {Name} calls KeyBy twice; an event has one key.");
        keyOf = key;
    });
}
