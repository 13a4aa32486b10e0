using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using Opossum.Testing;

namespace Opossum.Tests.Contract;

/// <summary>For each rule of a store mistakes that break this rule and no other one; a second one has its own words after the rule's id.</summary>
internal static class WrongStores
{
    private const string Burnt = "burnt";

    // More than it takes another thread to read once; a store that nobody reads meanwhile goes on.
    private const int YieldsMax = 20_000;

    public static IReadOnlyDictionary<string,
        (string Mistake, Func<ConformanceStore, ConformanceStore> Make)> All
    { get; } =
        new Dictionary<string, (string, Func<ConformanceStore, ConformanceStore>)>
        {
            ["append-order"] = Appends("stores the events of an append in reverse",
                static (store, events, condition, token) =>
                    store.Inner.AppendAsync([.. events.Reverse()], condition, token)),
            ["append-result"] = Appends("returns one position, however many events there were",
                static async (store, events, condition, token) =>
            {
                var result = await store.Inner.AppendAsync(events, condition, token);
                return result with { FirstPosition = result.LastPosition };
            }),
            ["append-large"] = Appends("stores the first thousand events of an append",
                static (store, events, condition, token) =>
                    store.Inner.AppendAsync([.. events.Take(1_000)], condition, token)),
            ["append-empty"] = Appends("takes an append without events as done",
                static (store, events, condition, token) =>
                events.Count == 0 ? Task.FromResult(default(AppendResult))
                    : store.Inner.AppendAsync(events, condition, token)),
            ["append-bad-event"] = Appends("stores the events before a bad one",
                static async (store, events, condition, token) =>
            {
                List<NewEvent> good = [.. events.TakeWhile(IsGood)];
                if (good.Count > 0 && good.Count < events.Count)
                    await store.Inner.AppendAsync(good, condition, token);
                return await store.Inner.AppendAsync(events, condition, token);
            }),
            ["append-twice-one-id"] = Appends("gives a repeated id another value",
                static (store, events, condition, token) =>
            {
                var ids = new HashSet<Guid>();
                return store.Inner.AppendAsync([.. events.Select(e => ids.Add(e.Id) ? e
                    : e with { Id = Guid.CreateVersion7() })], condition, token);
            }),
            ["append-cancelled"] = Appends("does not look at the token of an append",
                static (store, events, condition, _) =>
                    store.Inner.AppendAsync(events, condition, CancellationToken.None)),
            ["positions"] = Of("leaves a gap for an append that failed", static inner => new WrongStore(inner)
            {
                Append = static async (store, events, condition, token) =>
                {
                    if (events.Count > 0 && !events.All(IsGood))
                        await store.Inner.AppendAsync([Events.New(Burnt)], cancellationToken: token);
                    return await store.Inner.AppendAsync(events, condition, token);
                },
                Give = static (_, _, _, events) => events.Where(static e => e.Type != Burnt),
            }),
            ["event-type"] = Changes("ends a type at a zero",
                static e => Copy(e, type: e.Type!.Split('\0')[0])),
            ["event-data"] = Changes("writes a number in a shorter form", static e =>
                Copy(e, json: TextOf(e).Replace("1.0", "1", StringComparison.Ordinal))),
            ["event-data-any"] = Changes("stores an object for null", static e => TextOf(e) == "null"
                ? Copy(e, json: "{}") : e),
            ["event-tags"] = Changes("cuts the value of a tag after 255 characters", static e =>
                Copy(e, tags: e.Tags.Select(static tag => tag.HasValue && tag.Value.Length > 255
                    ? new Tag(tag.Key, tag.Value[..255]) : tag))),
            ["event-tag-twice"] = Changes("drops a tag that is given twice", static e =>
                Copy(e, tags: e.Tags.GroupBy(static tag => tag).Where(static same =>
                    same.Count() == 1).Select(static same => same.Key))),
            ["event-tag-without-value"] = Changes("gives a tag without a value an empty one", static e =>
                Copy(e, tags: e.Tags.Select(static tag => tag.HasValue ? tag : new Tag(tag.Key, "")))),
            ["event-metadata"] = Changes("drops metadata without a value", static e => e with
            {
                Metadata = e.Metadata.Where(static each => each.Value.Length > 0).ToDictionary(),
            }),
            ["event-id"] = Changes("replaces an id that is not of version 7", static e => e.Id.Version == 7 ? e
                : e with { Id = Guid.CreateVersion7() }),
            ["event-version"] = Changes("forgets the version", static e => Copy(e, version: 1)),
            ["event-timestamp"] = Gives("gives events without a time", static (_, _, _, events) =>
                events.Select(static e => e.Metadata.Count > 0 ? e
                : new SequencedEvent(e.Position, e.Type, e.Version, [.. e.Tags], 0, e.Id, e.Json.ToArray(), 0, null))),

            ["condition-refuses"] = Conditions("takes a condition without a position as one after the head",
                static async (store, condition) =>
                condition with { After = condition.After ?? await store.Inner.GetHeadAsync() }),
            ["condition-holds"] = Appends("refuses a condition on all events, also in an empty store",
                static (store, events, condition, token) =>
                condition is { FailIfEventsMatch.IsAll: true, After: null }
                    ? throw new AppendConditionFailedException(condition, 1, 1)
                    : store.Inner.AppendAsync(events, condition, token)),
            ["condition-holds: after a position"] = Conditions("ignores the types in a condition after a position that has tags, too",
                static (_, condition) => Task.FromResult(condition.After > 0
                    ? condition with { FailIfEventsMatch = WithoutTypesWhereTags(condition.FailIfEventsMatch) } : condition)),
            ["condition-query"] = Conditions("ignores the types in a condition after no position that has tags, too",
                static (_, condition) => Task.FromResult(condition.After > 0 ? condition
                    : condition with { FailIfEventsMatch = WithoutTypesWhereTags(condition.FailIfEventsMatch) })),
            ["condition-after"] = Conditions("ignores the first event after the position of a condition",
                static (_, condition) =>
                Task.FromResult(condition.After is > 0 and < long.MaxValue
                    ? condition with { After = condition.After + 1 } : condition)),
            ["condition-after: by type"] = Conditions("ignores conditions on types after a position",
                static (_, condition) => Task.FromResult(IsByTypes(condition) ? condition with { After = long.MaxValue } : condition)),
            ["condition-after: by several tags"] = Conditions("ignores the first event after a position with several tags",
                static (_, condition) => Task.FromResult(IsBySeveralTags(condition) ? condition with { After = condition.After + 1 } : condition)),
            ["condition-after: by several items"] = Conditions("looks at the first item only after a position",
                static (_, condition) => Task.FromResult(IsBySeveralItems(condition)
                    ? condition with { FailIfEventsMatch = Query.FromItems(condition.FailIfEventsMatch.Items[0]) } : condition)),
            ["condition-up-to"] = Conditions("counts the event at the position of a condition", static (_, condition) =>
                Task.FromResult(condition.After > 0 ? condition with { After = condition.After - 1 } : condition)),
            ["condition-up-to: by type"] = Conditions("counts the event at the position of a condition on types",
                static (_, condition) => Task.FromResult(IsByTypes(condition) ? condition with { After = condition.After - 1 } : condition)),
            ["condition-up-to: by several tags"] = Conditions("counts the event at the position of a condition on several tags",
                static (_, condition) => Task.FromResult(IsBySeveralTags(condition) ? condition with { After = condition.After - 1 } : condition)),
            ["condition-up-to: by several items"] = Conditions("counts all events when a condition has several items",
                static (_, condition) => Task.FromResult(IsBySeveralItems(condition) ? condition with { After = 0 } : condition)),
            ["condition-beyond-head"] = Appends("refuses a position beyond the head",
                static async (store, events, condition, token) =>
                condition?.After > await store.Inner.GetHeadAsync(token)
                    ? throw new ArgumentOutOfRangeException(nameof(condition))
                    : await store.Inner.AppendAsync(events, condition, token)),
            ["condition-own-events"] = Appends("checks the condition again before each event of an append",
                static async (store, events, condition, token) =>
                condition is not null && await FindAsync(store, condition) is null
                    && events.SkipLast(1).Any(e => Matches(condition, e))
                    ? throw new AppendConditionFailedException(condition, 1, 1)
                        : await store.Inner.AppendAsync(events, condition, token)),
            ["condition-atomic"] = Refuses("stores the first event of four or more before it refuses them",
                static async (store, events, refusal) =>
            {
                if (events.Count >= 4)
                    await store.Inner.AppendAsync([events[0]]);
                throw refusal;
            }),
            ["condition-refusal"] = Refuses("names the head as the position that matches", static (_, _, refusal) =>
                throw new AppendConditionFailedException(refusal.Condition, refusal.Head, refusal.Head)),
            ["condition-head-of-read"] = Of("has the head of the store at the time of the question as that of a read",
                static inner => new WrongStore(inner)
                {
                    HeadOfRead = (head, _) => Math.Max(head(), inner.GetHeadAsync().GetAwaiter().GetResult()),
                }),

            ["retry-same-outcome"] = Appends("recognizes only retries of one event",
                static async (store, events, condition, token) =>
                condition is not null && events.Count > 1 && await FindAsync(store, condition) is { } match
                    ? throw new AppendConditionFailedException(condition, match.Position,
                        await store.Inner.GetHeadAsync(token))
                    : await store.Inner.AppendAsync(events, condition, token)),
            ["retry-other-order"] = Appends("compares retries as texts",
                static async (store, events, condition, token) =>
                condition is not null && await FindAsync(store, condition) is { } match
                    && events.Any(e => e.Id == match.Id && !e.Json.Span.SequenceEqual(match.Json.Span))
                    ? throw new AppendConditionFailedException(condition, match.Position,
                        await store.Inner.GetHeadAsync(token))
                    : await store.Inner.AppendAsync(events, condition, token)),
            ["retry-without-condition"] = Appends("takes each append of a known id as a retry",
                static async (store, events, condition, token) =>
                condition is null && events.Count == 1 && await FindAsync(store, events[0].Id) is { } stored
                    ? new AppendResult { FirstPosition = stored.Position, LastPosition = stored.Position }
                    : await store.Inner.AppendAsync(events, condition, token)),
            ["retry-differs"] = Refuses("recognizes a retry by its ids", static async (store, events, refusal) =>
            {
                var conflict = (await store.Inner.ReadAllAsync())[(int)refusal.ConflictingPosition - 1];
                return events.Any(e => e.Id == conflict.Id) ? default : throw refusal;
            }),
            ["retry-foreign-event"] = Refuses("recognizes a retry of the last event whatever is before it",
                static async (store, events, refusal) =>
                (await store.Inner.ReadAllAsync())[^1].Id == events[0].Id ? default : throw refusal),

            ["query-types"] = Queries("looks for the first type of an item only", static query =>
                ForItems(query, static item =>
                item is { Types.Count: > 1, Tags.Count: 0 } ? [new QueryItem { Types = [item.Types[0]] }] : [item])),
            ["query-tags"] = Queries("takes the tags of an item as alternatives", static query =>
                ForItems(query, static item =>
                item is { Types.Count: 0, Tags.Count: > 1 }
                    ? [.. item.Tags.Select(static tag => new QueryItem { Tags = [tag] })] : [item])),
            ["query-types-and-tags"] = Queries("ignores the types of an item that has tags, too",
                WithoutTypesWhereTags),
            ["query-items"] = Queries("looks for the first item only", static query => query.IsAll ? query
                : Query.FromItems(query.Items[0])),
            ["query-once"] = Gives("gives an event for each item that it matches", static (_, query, _, events) =>
                events.SelectMany(e =>
                    Enumerable.Repeat(e, query.IsAll ? 1
                        : query.Items.Count(item => Query.FromItems(item).Matches(e))))),
            ["query-items-together"] = Gives("applies the limit to each item", static (store, query, options, events) =>
                query.IsAll || query.Items.Count < 2 || options.Limit is null ? events
                    : query.Items.ToAsyncEnumerable().SelectMany(item =>
                        store.Inner.ReadAsync(Query.FromItems(item), options))),
            ["query-all"] = Gives("does not find events without tags", static (_, query, _, events) =>
                events.Where(e => !query.IsAll || e.Tags.Count > 0)),
            ["query-exact"] = Queries("ignores the case of a type's first letter", static query =>
                ForItems(query, static item =>
                [
                    new QueryItem
                    {
                        Types = [.. item.Types.Concat(item.Types.Select(Capitalized)).Distinct()],
                        Tags = item.Tags,
                    },
                ])),
            ["read-after"] = Reads("begins with the position after which it should", static options =>
                options is { After: > 0, UpTo: null, Limit: null, Backwards: false }
                    ? options with { After = options.After - 1 } : options),
            ["read-up-to"] = Reads("ends before the position with which it should", static options =>
                options is { After: 0, UpTo: > 0, Limit: null, Backwards: false }
                    ? options with { UpTo = options.UpTo - 1 } : options),
            ["read-limit"] = Reads("takes the limit 0 as none", static options =>
                options is { After: 0, UpTo: null, Limit: 0, Backwards: false } ? options with { Limit = null }
                    : options),
            ["read-backwards"] = Reads("reads forwards", static options =>
                options is { After: 0, UpTo: null, Limit: null, Backwards: true } ? options with { Backwards = false }
                    : options),
            ["read-options-together"] = Of("applies the limit before the direction", static inner =>
                new WrongStore(inner)
                {
                    Options = static options => options is { Limit: not null } ? options with { Backwards = false }
                        : options,
                    Give = static (_, _, options, events) => options is { Limit: not null, Backwards: true }
                        ? events.Reverse() : events,
                }),
            ["read-head"] = Of("has the last event that a read gave as its head", static inner => new WrongStore(inner)
            {
                HeadOfRead = static (head, last) => Math.Min(head(), last),
            }),
            ["read-head-unknown"] = Of("has a head before the read began", static inner => new WrongStore(inner)
            {
                HeadOfRead = static (head, last) =>
                {
                    try
                    {
                        return head();
                    }
                    catch (InvalidOperationException)
                    {
                        return last;
                    }
                },
            }),
            ["read-stable"] = Gives("reads what is appended meanwhile", static (store, query, options, events) =>
                options.UpTo is null && options.Limit is null ? WithLaterOnesAsync(store, query, (EventStream)events)
                    : events),
            ["read-cancelled"] = Of("does not look at the tokens of a read", static inner =>
                new WrongStore(inner) { IgnoresTokens = true }),
            ["head"] = Of("has the next position as its head", static inner =>
                new WrongStore(inner) { Head = static head => head + 1 }),

            ["subscription-live"] = Subscriptions("ends after the events that are there", UntilHeadAsync),
            ["subscription-query"] = Subscriptions("ignores the query", static (store, _, after, token) =>
                store.Inner.SubscribeAsync(Query.All, after, token)),
            ["subscription-after"] = Subscriptions("begins with the position after which it should", FromPositionAsync),
            ["subscription-beyond-head"] = Subscriptions("begins at the head at the latest", AtMostAfterHeadAsync),
            ["subscription-each"] = Subscriptions("has one place for all enumerations",
                static (store, query, after, token) =>
            {
                var last = new StrongBox<long>(after);
                return SharedAsync(store, query, last, token);
            }),
            ["subscription-slow"] = Subscriptions("skips to the newest event", SkippingAsync),
            ["subscription-cancelled"] = Subscriptions("does not look at its token", static (store, query, after, _) =>
                WithoutTokenAsync(store, query, after)),
            ["subscription-arguments"] = Of("takes a negative position as the beginning",
                static inner => new WrongStore(inner) { TakesNegativePositions = true }),

            ["race-one-winner"] = Races("does not check a condition while it makes another append",
                static (_, condition) => condition is not null,
                static (store, events, condition) => AppendNow(store, events, store.IsAppending ? null : condition)),
            ["race-unrelated"] = Races("refuses an append under a condition while it makes another one",
                static (_, condition) => condition is not null,
                static (store, events, condition) => store.IsAppending ? throw new AppendConditionFailedException(condition!, 1, 1)
                    : AppendNow(store, events, condition)),
            ["race-ranges"] = Races("divides an append of two events while it makes another one",
                static (events, condition) => events.Count == 2 && condition is null,
                static (store, events, condition) =>
            {
                if (!store.IsAppending)
                    return AppendNow(store, events, condition);
                AppendNow(store, [events[0]], condition);
                return AppendNow(store, [events[1]], null);
            }),
            ["race-whole-appends"] = Appends("stores the third event of an append and all later ones in an append of their own",
                static async (store, events, condition, token) =>
            {
                if (events.Count < 3 || condition is not null)
                    return await store.Inner.AppendAsync(events, condition, token);
                var first = await store.Inner.AppendAsync([.. events.Take(2)], condition, token);
                // Two: one may have begun before.
                var reads = store.ReadsEnded + 2;
                for (var yields = 0; yields < YieldsMax && store.ReadsEnded < reads; yields++)
                    await Task.Yield();
                var second = await store.Inner.AppendAsync([.. events.Skip(2)], cancellationToken: token);
                return second with { FirstPosition = first.FirstPosition };
            }),
            ["another-reads"] = Gives("reads what was there at its first read, and what it has appended itself",
                static (store, _, _, events) =>
            {
                var known = store.Known;
                return events.Where(e => e.Position <= known);
            }),
            ["another-condition"] = Appends("checks conditions on its own events",
                static async (store, events, condition, token) =>
            {
                var isForeign = condition is not null && await FindAsync(store, condition) is { } match
                    && !store.HasAppended(match.Id);
                return await store.Inner.AppendAsync(events, isForeign ? null : condition, token);
            }),
            ["another-subscription"] = Subscriptions("gives its own events only", static (store, query, after, token) =>
                store.Inner.SubscribeAsync(query, after, token).Where(e => store.HasAppended(e.Id))),
            ["reopened"] = ("loses the last event when it is closed", static stores =>
            {
                var isClosed = new StrongBox<bool>();
                return new ConformanceStore(new ClosingStore(stores.Store, isClosed))
                {
                    OpenAnother = async () => await stores.OpenAnother!() is var store && isClosed.Value ? WithoutLast(store) : store,
                    OpenAfterPowerCut = stores.OpenAfterPowerCut,
                };
            }
            ),
            ["power-cut"] = ("loses the last event in a power cut", static stores => new ConformanceStore(stores.Store)
            {
                OpenAnother = stores.OpenAnother,
                OpenAfterPowerCut = () => stores.OpenAfterPowerCut!().Select(WithoutLast),
            }),
        };

    private static (string, Func<ConformanceStore, ConformanceStore>) Of(string mistake, Func<IEventStore,
        WrongStore> make) =>
        (mistake, stores => new ConformanceStore(make(stores.Store))
        {
            OpenAnother = async () => make(await stores.OpenAnother!()),
            OpenAfterPowerCut = stores.OpenAfterPowerCut,
        });

    private static (string, Func<ConformanceStore, ConformanceStore>) Appends(string mistake,
        Func<WrongStore, IReadOnlyList<NewEvent>, AppendCondition?, CancellationToken, Task<AppendResult>> append) =>
        Of(mistake, inner => new WrongStore(inner) { Append = append });

    // On the caller's thread, as of a store that is neither asynchronous nor has a lock: the call returns when it is done.
    private static (string, Func<ConformanceStore, ConformanceStore>) Races(string mistake,
        Func<IReadOnlyList<NewEvent>, AppendCondition?, bool> isMeant,
        Func<WrongStore, IReadOnlyList<NewEvent>, AppendCondition?, AppendResult> append) =>
        Appends(mistake, (store, events, condition, token) =>
        {
            if (!isMeant(events, condition))
                return store.Inner.AppendAsync(events, condition, token);
            // Of twenty appends at once, two that meet are enough.
            SpinWait.SpinUntil(() => store.IsAppending, TimeSpan.FromMilliseconds(20));
            token.ThrowIfCancellationRequested();
            return Task.FromResult(append(store, events, condition));
        });

    private static AppendResult AppendNow(WrongStore store, IReadOnlyList<NewEvent> events, AppendCondition? condition) =>
        store.Inner.AppendAsync(events, condition).GetAwaiter().GetResult();

    private static bool IsByTypes(AppendCondition condition) =>
        condition.After > 0 && condition.FailIfEventsMatch is { IsAll: false, Items: [{ Tags.Count: 0 }] };

    private static bool IsBySeveralTags(AppendCondition condition) =>
        condition.After is > 0 and < long.MaxValue && condition.FailIfEventsMatch is { IsAll: false, Items: [{ Tags.Count: > 1 }] };

    private static bool IsBySeveralItems(AppendCondition condition) =>
        condition.After > 0 && condition.FailIfEventsMatch is { IsAll: false, Items.Count: > 1 };

    private static (string, Func<ConformanceStore, ConformanceStore>) Changes(string mistake, Func<NewEvent,
        NewEvent> change) =>
        Of(mistake, inner => new WrongStore(inner) { Change = change });

    private static (string, Func<ConformanceStore, ConformanceStore>) Conditions(string mistake,
        Func<WrongStore, AppendCondition, Task<AppendCondition>> change) =>
        Appends(mistake, async (store, events, condition, token) =>
            await store.Inner.AppendAsync(events, condition is null ? null : await change(store, condition), token));

    private static (string, Func<ConformanceStore, ConformanceStore>) Refuses(string mistake,
        Func<WrongStore, IReadOnlyList<NewEvent>, AppendConditionFailedException, Task<AppendResult>> refuse) =>
        Appends(mistake, async (store, events, condition, token) =>
        {
            try
            {
                return await store.Inner.AppendAsync(events, condition, token);
            }
            catch (AppendConditionFailedException e)
            {
                return await refuse(store, events, e);
            }
        });

    private static (string, Func<ConformanceStore, ConformanceStore>) Queries(string mistake, Func<Query,
        Query> change) =>
        Of(mistake, inner => new WrongStore(inner) { Query = change });

    private static (string, Func<ConformanceStore, ConformanceStore>) Reads(string mistake, Func<ReadOptions,
        ReadOptions> change) =>
        Of(mistake, inner => new WrongStore(inner) { Options = change });

    private static (string, Func<ConformanceStore, ConformanceStore>) Gives(string mistake,
        Func<WrongStore, Query, ReadOptions, IAsyncEnumerable<SequencedEvent>,
            IAsyncEnumerable<SequencedEvent>> give) =>
        Of(mistake, inner => new WrongStore(inner) { Give = give });

    private static (string, Func<ConformanceStore, ConformanceStore>) Subscriptions(string mistake,
        Func<WrongStore, Query, long, CancellationToken, IAsyncEnumerable<SequencedEvent>> subscribe) =>
        Of(mistake, inner => new WrongStore(inner) { Subscribe = subscribe });

    private static bool IsGood(NewEvent e)
    {
        try
        {
            using var json = JsonDocument.Parse(e.Json);
            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }

    private static string Capitalized(string name) => char.ToUpperInvariant(name[0]) + name[1..];

    private static string TextOf(NewEvent e) => Encoding.UTF8.GetString(e.Json.Span);

    private static NewEvent Copy(NewEvent e, string? type = null, string? json = null, int? version = null,
        IEnumerable<Tag>? tags = null) =>
        NewEvent.FromJson(type ?? e.Type!, json ?? TextOf(e), version ?? e.Version,
            [.. tags ?? e.Tags]) with
        { Id = e.Id, Metadata = e.Metadata };

    private static bool Matches(AppendCondition condition, NewEvent e) => condition.FailIfEventsMatch.Matches(
        new SequencedEvent(1, e.Type!, e.Version, [.. e.Tags], 0, e.Id, e.Json.ToArray(), 0, null));

    private static async Task<SequencedEvent?> FindAsync(WrongStore store, AppendCondition condition) =>
        (await store.Inner.ReadAllAsync(condition.FailIfEventsMatch,
            new ReadOptions { After = condition.After ?? 0, Limit = 1 })).FirstOrDefault();

    private static async Task<SequencedEvent?> FindAsync(WrongStore store, Guid id) =>
        (await store.Inner.ReadAllAsync()).Find(e => e.Id == id);

    // Another query only where the mistake is made: a refusal has the condition as it was given.
    private static Query WithoutTypesWhereTags(Query query) =>
        query.IsAll || query.Items.All(static item => item.Tags.Count == 0 || item.Types.Count == 0) ? query
            : ForItems(query, static item => [item.Tags.Count > 0 ? new QueryItem { Tags = item.Tags } : item]);

    private static Query ForItems(Query query, Func<QueryItem, IEnumerable<QueryItem>> change) =>
        query.IsAll ? query : Query.FromItems([.. query.Items.SelectMany(change)]);

    private static async IAsyncEnumerable<SequencedEvent> WithLaterOnesAsync(WrongStore store, Query query,
        EventStream events,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var head = 0L;
        await foreach (var e in events.WithCancellation(cancellationToken))
        {
            head = events.Head;
            yield return e;
        }
        await foreach (var e in store.Inner.ReadAsync(query, new ReadOptions { After = head }, cancellationToken))
        {
            if (head > 0)
                yield return e;
        }
    }

    private static async IAsyncEnumerable<SequencedEvent> UntilHeadAsync(WrongStore store, Query query, long after,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var head = await store.Inner.GetHeadAsync(cancellationToken);
        await foreach (var e in after < head
            ? store.Inner.ReadAsync(query, new ReadOptions { After = after }, cancellationToken)
            : store.Inner.SubscribeAsync(query, after, cancellationToken))
        {
            yield return e;
        }
    }

    private static async IAsyncEnumerable<SequencedEvent> FromPositionAsync(WrongStore store, Query query, long after,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var head = await store.Inner.GetHeadAsync(cancellationToken);
        var from = after > 0 && after < head ? after - 1 : after;
        await foreach (var e in store.Inner.SubscribeAsync(query, from, cancellationToken))
            yield return e;
    }

    private static async IAsyncEnumerable<SequencedEvent> AtMostAfterHeadAsync(WrongStore store, Query query,
        long after,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var head = await store.Inner.GetHeadAsync(cancellationToken);
        await foreach (var e in store.Inner.SubscribeAsync(query, Math.Min(after, head), cancellationToken))
            yield return e;
    }

    private static async IAsyncEnumerable<SequencedEvent> SharedAsync(WrongStore store, Query query,
        StrongBox<long> last,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (var e in store.Inner.SubscribeAsync(query, last.Value, cancellationToken))
        {
            last.Value = e.Position;
            yield return e;
        }
    }

    private static async IAsyncEnumerable<SequencedEvent> WithoutTokenAsync(WrongStore store, Query query, long after)
    {
        await foreach (var e in store.Inner.SubscribeAsync(query, after))
            yield return e;
    }

    private static async IAsyncEnumerable<SequencedEvent> SkippingAsync(WrongStore store, Query query, long after,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var skips = await store.Inner.GetHeadAsync(cancellationToken) == 0;
        var last = after;
        while (true)
        {
            await using var next = store.Inner.SubscribeAsync(query, last,
                cancellationToken).GetAsyncEnumerator(cancellationToken);
            if (!await next.MoveNextAsync())
                yield break;
            last = next.Current.Position;
            yield return next.Current;
            var head = await store.Inner.GetHeadAsync(cancellationToken);
            if (skips && head > last + 1)
                last = head - 1;
        }
    }

    private static WrongStore WithoutLast(IEventStore store)
    {
        var head = store.GetHeadAsync().GetAwaiter().GetResult();
        return new WrongStore(store) { Give = (_, _, _, events) => events.Where(e => e.Position != head) };
    }

    /// <summary>A store that says when it was closed.</summary>
    private sealed class ClosingStore(IEventStore store, StrongBox<bool> isClosed) : ForwardingStore(store),
        IAsyncDisposable
    {
        private readonly IEventStore store = store;

        public ValueTask DisposeAsync()
        {
            isClosed.Value = true;
            return ((IAsyncDisposable)store).DisposeAsync();
        }
    }
}
