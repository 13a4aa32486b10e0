using System.Diagnostics;
using System.Globalization;
using Opossum.Serialization;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Storage.Commit;

/// <summary>Appends that are decided and made durable together: one lock, one flush, an outcome for each.</summary>
internal sealed class Group
{
    /// <summary>A group with this many events takes no further append.</summary>
    public const int EventsMax = 1_000;

    /// <summary>A group has at most this many bytes of lines, unless it has one append.</summary>
    public const int BytesMax = 16 * 1024 * 1024;

    private readonly List<PendingAppend> appends = [];
    private readonly GroupEvents events = new();
    private int eventCount;
    private long byteCount;
    private bool isStarted;

    public IReadOnlyList<PendingAppend> Appends => appends;

    /// <summary>The events of the accepted appends, ordered by position.</summary>
    public IReadOnlyList<StoredEvent> Events => events.All;

    /// <summary>At most this many bytes are in the lines of its appends.</summary>
    public long Bytes => byteCount;

    /// <summary>The timestamp of the moment at which its last append was queued; null: it was not.</summary>
    public long? QueuedAt => appends is [.., var last] ? last.QueuedAt : null;

    /// <summary>A group of one append that has been started already.</summary>
    public static Group Of(PendingAppend append)
    {
        // Order matters: otherwise an append that fails undecided would count as stored, by the other group's decision.
        append.Reset();
        var group = new Group { isStarted = true };
        group.Add(append);
        return group;
    }

    public bool HasRoomFor(PendingAppend append) =>
        appends.Count == 0 || (eventCount < EventsMax && byteCount + append.Bytes <= BytesMax);

    public void Add(PendingAppend append)
    {
        appends.Add(append);
        eventCount += append.Events.Length;
        byteCount += append.Bytes;
    }

    /// <summary>Makes the appends uncancellable and drops those already cancelled; false when none is left.</summary>
    public bool TryStart()
    {
        if (!isStarted)
            appends.RemoveAll(static append => !append.TryStart());
        isStarted = true;
        return appends.Count > 0;
    }

    /// <summary>Decides each append. It can run again after the index has advanced.</summary>
    /// <param name="index">The index, caught up.</param>
    /// <param name="eventFiles">The event files, for an event whose line is damaged.</param>
    /// <param name="after">The last position known to be durable.</param>
    // Invariant: an append is accepted only if neither the index nor an append accepted before it in this group has an
    // event that its condition forbids, and positions follow the head without a gap. So the appends are decided one
    // after the other, in the order of the queue, and the decisions of an earlier run are withdrawn first.
    public void Decide(EventIndex index, EventFiles eventFiles, long after, long timestampTicks)
    {
        Withdraw();
        events.Rules = index.Rules;
        var next = index.Head + 1;
        foreach (var append in appends)
        {
            if (append.Recorded is { } recorded)
            {
                next = Accept(append, recorded(index), next, after);
                continue;
            }
            if (append.Once is { } once && FirstMatch(once, 0, index) is var earlier && earlier != PositionCursor.None)
            {
                if (EventAt(earlier, index, eventFiles) is { } made)
                    append.Succeed(ResultOf(made.Commit.First, made.Commit.Last));
                else
                    append.Fail(Unreadable(earlier, eventFiles, "this append was made before,"));
                append.IsDecidedByGroup = earlier > index.Head;
                continue;
            }
            var conflict = append.Condition is { } condition
                ? FirstMatch(condition.FailIfEventsMatch, condition.After ?? 0, index)
                : PositionCursor.None;
            if (conflict == PositionCursor.None)
                next = Accept(append, next, after, timestampTicks);
            else if (WhereStored(append, conflict, index, eventFiles, out var unreadable) is { } original)
                append.Succeed(original);
            else if (unreadable > 0 && MayBeRetry(append, index))
                append.Fail(Unreadable(unreadable, eventFiles, "it may have been made before,"));
            else
                append.Fail(new AppendConditionFailedException(append.Condition!, conflict, HeadAt(conflict, index.Head, next)));
            append.IsDecidedByGroup = conflict > index.Head;
        }
    }

    /// <summary>Discards the decisions, because nothing of the group is stored: it must be decided again.</summary>
    public void Withdraw()
    {
        events.Clear();
        appends.ForEach(static append => append.Reset());
    }

    /// <summary>Gives each append its outcome.</summary>
    public void Report() => appends.ForEach(static append => append.Report());

    /// <summary>Makes an empty group of one that has reported.</summary>
    public void Clear()
    {
        appends.Clear();
        events.Clear();
        (eventCount, byteCount, isStarted) = (0, 0, false);
    }

    /// <summary>Fails all appends that are undecided, or whose outcome depended on writing this group.</summary>
    public void Fail(Func<AppendOutcome, Exception> error, AppendOutcome outcomeOfAccepted)
    {
        foreach (var append in appends)
        {
            if (append.IsStoredWithGroup)
                append.Fail(error(outcomeOfAccepted));
            else if (!append.IsDecided || append.IsDecidedByGroup)
                append.Fail(error(AppendOutcome.NothingWritten));
        }
    }

    private long Accept(PendingAppend append, long next, long after, long timestampTicks)
    {
        if (FailIfFull(append, next, append.Events.Length))
            return next;
        Add(append.Events, next, after, timestampTicks, append.KeptCondition?.At(next));
        return Accept(append, next);
    }

    private long Accept(PendingAppend append, IReadOnlyList<RecordedAppend> recorded, long next, long after)
    {
        if (recorded.Count == 0 || FailIfFull(append, next, recorded.Sum(static each => each.Events.Length)))
            return next;
        foreach (var each in recorded)
        {
            var first = events.All.Count > 0 ? events.All[^1].Position + 1 : next;
            Add(each.Events, first, after, each.TimestampTicks, each.Condition?.MovedBy(first - each.First));
        }
        return Accept(append, next);
    }

    private long Accept(PendingAppend append, long first)
    {
        append.Accept(ResultOf(first, events.All[^1].Position));
        return events.All[^1].Position + 1;
    }

    private void Add(PreparedEvent[] contents, long first, long after, long timestampTicks, KeptCondition? condition)
    {
        var commit = new CommitRange(first, first + contents.Length - 1, after);
        for (var at = 0; at < contents.Length; at++)
            events.Add(new StoredEvent(contents[at], first + at, commit, timestampTicks) { Condition = at == 0 ? condition : null });
        Debug.Assert(events.All[^1].Position == commit.Last, "The positions of an append are not contiguous.");
    }

    private static bool FailIfFull(PendingAppend append, long next, int count)
    {
        if (next + count - 1 <= StoreLayout.PositionMax)
            return false;
        append.Fail(new StoreIOException(null,
            $"Nothing was appended: the store is full. It holds {next - 1} events, and positions end at {StoreLayout.PositionMax}.",
            isTransient: false));
        return true;
    }

    private long FirstMatch(Query query, long after, EventIndex index)
    {
        var found = index.Contents.FirstMatch(query, after);
        return found != PositionCursor.None ? found : events.FirstMatch(query, after);
    }

    // A refusal by a stored event stands even if the group is not stored: then the events before it in the group were never there.
    private static long HeadAt(long conflict, long stored, long next) => conflict <= stored ? stored : next - 1;

    private static StoreDamagedException Unreadable(long position, EventFiles eventFiles, string why) => new(eventFiles.PathOf(position), position,
        string.Create(CultureInfo.InvariantCulture, $"Nothing was appended, because {why} at position {position}, and the event there cannot be "
            + $"read to report where the append ends. Run a check of the store and repair {eventFiles.PathOf(position)}."));

    // The conflicting event of a retry is one of its own.
    private static bool MayBeRetry(PendingAppend append, EventIndex index) =>
        Array.Exists(append.Events, each => append.Condition!.FailIfEventsMatch.Matches(each.Type, index.Rules.TagsOf(each)));

    // A safe retry: the conflicting events are these very events, stored as a whole by an earlier attempt.
    private AppendResult? WhereStored(PendingAppend append, long conflict, EventIndex index, EventFiles eventFiles, out long unreadable)
    {
        unreadable = 0;
        if (EventAt(conflict, index, eventFiles) is not { } first)
        {
            unreadable = conflict;
            return null;
        }
        var place = Array.FindIndex(append.Events, each => each.Id == first.Content.Id);
        if (place < 0)
            return null;
        for (var at = 0; at < append.Events.Length; at++)
        {
            var position = conflict - place + at;
            if (EventAt(position, index, eventFiles) is not { } stored)
            {
                unreadable = position >= 1 && position <= index.Head ? position : 0;
                return null;
            }
            if (stored.Commit.Count != append.Events.Length || stored.Commit.First != conflict - place
                || !stored.Content.IsStoredAttemptOf(append.Events[at]))
            {
                return null;
            }
        }
        return ResultOf(conflict - place, conflict - place + append.Events.Length - 1);
    }

    private static AppendResult ResultOf(long first, long last) => new() { FirstPosition = first, LastPosition = last };

    private StoredEvent? EventAt(long position, EventIndex index, EventFiles eventFiles)
    {
        if (position < 1)
            return null;
        if (position > index.Head)
            return events.At(position);
        return EventLine.ReadStored(index.ReadLine(position), position) ?? eventFiles.Read(position, out _);
    }
}
