using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Opossum.Reactions;

namespace Opossum;

/// <summary>An attempt to handle an event: what a handler may know of it, and the appends that count exactly once.</summary>
public sealed class ReactionContext
{
    private const int GuidLength = 16;
    /// <summary>The key of the reserved tag of a handler's appends.</summary>
    internal const string OnceKey = "$reaction";

    private readonly ReactionHost host;
    private readonly string reaction;
    private readonly Action<DateTime, Tag, NewEvent, long, Query?> schedule;
    private int calls;
    private IServiceScope? scope;
    private volatile bool hasEnded;

    internal ReactionContext(ReactionHost host, string reaction, Action<DateTime, Tag, NewEvent, long, Query?> schedule, SequencedEvent e,
        int attempt)
    {
        this.host = host;
        this.reaction = reaction;
        this.schedule = schedule;
        Event = e;
        Attempt = attempt;
    }

    /// <summary>The event: its position, timestamp, tags, metadata and data.</summary>
    public SequencedEvent Event { get; }

    /// <summary>
    /// The number of the attempt, from 1. From 2 on the event was given to a handler before, or may have been: by this process or another one, which
    /// failed, was stopped or crashed.
    /// </summary>
    public int Attempt { get; }

    /// <summary>
    /// A key for services that do a thing once per key, such as a payment provider: the same at every attempt, in every process, and another for
    /// every event and every reaction. 36 characters, the form of a UUID.
    /// </summary>
    /// <remarks>
    /// It is made of the event's id and position: two events of one store may have one id. In a store that was filled by an import, events have other
    /// positions, so an import gives other keys.
    /// </remarks>
    public string IdempotencyKey => KeyOf(NameOf(Event)).ToString();

    /// <summary>
    /// The services of this attempt, for those that are registered as scoped, such as a database context. The scope is created when this is read for
    /// the first time, and disposed when the handler has returned; if that fails, the attempt has failed.
    /// </summary>
    /// <exception cref="InvalidOperationException">The reaction was not added with <c>AddReaction</c>, so there are no services.</exception>
    /// <exception cref="ObjectDisposedException">The handler has returned.</exception>
    public IServiceProvider Services
    {
        get
        {
            ObjectDisposedException.ThrowIf(hasEnded, this);
            if (scope is { } present)
                return present.ServiceProvider;
            var created = (host.Scopes ?? throw new InvalidOperationException(
                $"The reaction {reaction} runs without a host, so its events have no services. Add it with AddOpossum(...).AddReaction<T>(), or give "
                + "the reaction what it needs when you create it.")).CreateScope();
            if (Interlocked.CompareExchange(ref scope, created, null) is not { } other)
                return created.ServiceProvider;
            created.Dispose();
            return other.ServiceProvider;
        }
    }

    /// <summary>
    /// Appends events exactly once, however often this event is handled: if an earlier attempt has stored them, nothing is stored, and the positions
    /// of that append are returned.
    /// </summary>
    /// <param name="events">The events.</param>
    /// <param name="condition">The condition that guards the append. Null, the default: it has only the condition above.</param>
    /// <param name="cancellationToken">Honoured until the append starts; after that the call reports the real outcome.</param>
    /// <remarks>
    /// A handler may append several times. The calls of an attempt are told apart by their order, so it must not depend on anything but the event and
    /// the outcome of the calls before. Handling an event again on request does not append again.
    /// </remarks>
    /// <exception cref="AppendConditionFailedException">The condition fails, and no earlier attempt has stored the events.</exception>
    /// <inheritdoc cref="IEventStore.AppendAsync" path="/exception"/>
    public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default) =>
        host.Appends.Once(events, condition, NextTag(), cancellationToken);

    /// <summary>Appends one event exactly once.</summary>
    /// <inheritdoc cref="AppendAsync(IReadOnlyList{NewEvent}, AppendCondition?, CancellationToken)"/>
    /// <param name="newEvent">The event.</param>
    /// <param name="condition">The condition that guards the append. Null, the default: it has only the condition above.</param>
    /// <param name="cancellationToken">Honoured until the append starts; after that the call reports the real outcome.</param>
    public Task<AppendResult> AppendAsync(NewEvent newEvent, AppendCondition? condition = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(newEvent);
        return AppendAsync([newEvent], condition, cancellationToken);
    }

    /// <summary>
    /// Reads, decides and appends, as <see cref="DecisionExtensions"/> do, but exactly once, however often this event is handled: if an earlier
    /// attempt has stored the decision's events, nothing is decided, and the present state and the positions of that append are returned.
    /// </summary>
    /// <param name="projection">The projection that builds the state.</param>
    /// <param name="decide">Returns the events to append for a state; an empty list appends nothing. It may be called several times.</param>
    /// <param name="retry">The number of retries and the pauses before them. Null, the default: 9 retries.</param>
    /// <param name="cancellationToken">Cancels reads and pauses; honoured by an append until the append starts.</param>
    /// <exception cref="AppendConditionFailedException">At every attempt another event was appended in between. Nothing was appended.</exception>
    public async Task<DecisionResult<TState>> ExecuteDecisionAsync<TState>(DecisionProjection<TState> projection,
        Func<TState, IReadOnlyList<NewEvent>> decide, DecisionRetry? retry = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(projection);
        ArgumentNullException.ThrowIfNull(decide);
        var tag = NextTag();
        // The decision must not see its own events: it would decide that all is done, and report nothing appended.
        if (await FindAppendAsync(tag, cancellationToken).ConfigureAwait(false) is { } earlier)
        {
            var (state, _) = await host.Store.BuildDecisionModelAsync(projection, cancellationToken).ConfigureAwait(false);
            return new DecisionResult<TState> { State = state, Appended = earlier };
        }
        return await host.Store.ExecuteDecisionAsync(projection, (state, _) => Task.FromResult(decide(state)),
            (events, condition, token) => host.Appends.Once(events, condition, tag, token), retry, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Appends an event when its time has come, exactly once, however often this event is handled, and also when the process ends meanwhile: the
    /// process that leads the reaction then appends it. If none does at that time, it is appended late.
    /// </summary>
    /// <param name="when">The time. If it has passed, the event is appended at once.</param>
    /// <param name="newEvent">The event; it is checked, and its personal data encrypted, now.</param>
    /// <param name="unless">
    /// The event is not appended if by then an event matches this that was appended after the event that is being handled. Null, the default: it is
    /// appended whatever has happened.
    /// </param>
    /// <param name="cancellationToken">Honoured until the event is being scheduled.</param>
    /// <returns>A task that completes when it is durable that the event is scheduled.</returns>
    /// <remarks>
    /// The call writes and flushes a file on the caller's thread, and returns the task when that is done.
    /// A readable file in the folder <c>due</c> of the reaction holds the event until then; deleting the file cancels it. If attempts to handle an
    /// event schedule it for different times, the earliest counts.
    /// </remarks>
    /// <exception cref="ArgumentException">The event is not allowed.</exception>
    /// <exception cref="InvalidOperationException">The reaction has 100,000 scheduled events already.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; nothing is scheduled.</exception>
    public Task ScheduleAsync(DateTimeOffset when, NewEvent newEvent, Query? unless = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(newEvent);
        var tag = NextTag();
        cancellationToken.ThrowIfCancellationRequested();
        schedule(when.UtcDateTime, tag, newEvent, Event.Position, unless);
        return Task.CompletedTask;
    }

    /// <summary>Disposes the services, if they were used.</summary>
    internal ValueTask EndAsync()
    {
        hasEnded = true;
        return scope is null ? ValueTask.CompletedTask : new AsyncServiceScope(scope).DisposeAsync();
    }

    private async Task<AppendResult?> FindAppendAsync(Tag tag, CancellationToken cancellationToken)
    {
        var (first, last) = (0L, 0L);
        await foreach (var e in host.Store.ReadAsync(Query.FromTags(tag), options: null, cancellationToken).ConfigureAwait(false))
            (first, last) = (first == 0 ? e.Position : first, e.Position);
        return first == 0 ? null : new AppendResult { FirstPosition = first, LastPosition = last };
    }

    // A number for each call, by the order in which calls start: a call that fails keeps its number.
    private Tag NextTag() =>
        new(OnceKey, string.Create(CultureInfo.InvariantCulture, $"{NameOf(Event)}/{Interlocked.Increment(ref calls)}"));

    // The position too: ids need not be unique. The id too: after a restore another event may come to the position.
    private string NameOf(SequencedEvent e) => string.Create(CultureInfo.InvariantCulture, $"{reaction}/{e.Id:n}/{e.Position}");

    private static Guid KeyOf(string name)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(Encoding.UTF8.GetBytes(name), hash);
        // A UUID of version 8, the one for values of one's own making, and of the usual variant.
        hash[6] = (byte)((hash[6] & 0x0f) | 0x80);
        hash[8] = (byte)((hash[8] & 0x3f) | 0x80);
        return new Guid(hash[..GuidLength], bigEndian: true);
    }
}
