using System.Globalization;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>The events that a reaction's handlers have scheduled. The leader appends each when its time has come.</summary>
/// <remarks>Handlers add to them on their threads; the rest is used by the term's.</remarks>
internal sealed class DueEvents(ReactionHost host, string reaction, ReactionLayout layout)
{
    // A former leader's handler, or a person, may have added or removed files.
    private static readonly TimeSpan listInterval = TimeSpan.FromMinutes(1);

    // Appends that wait for the store's lock keep no event from being handled.
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(1);

    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly Lock gate = new();
    // The names' ordinal order is that of their times.
    private readonly SortedSet<string> known = new(StringComparer.Ordinal);
    private readonly HashSet<string> notRemoved = new(StringComparer.Ordinal);
    // How often the file of an event whose time has come could not be read.
    private readonly Dictionary<string, int> unread = new(StringComparer.Ordinal);
    private readonly Signal added = new();
    private readonly PausedWork work = new(host);
    private readonly PausedWork listing = new(host);
    private long lastList;
    private bool isListed;
    private bool othersCanBeAppended;
    private Task<Appended>? appending;

    /// <summary>Pulsed when a handler has scheduled an event, or appends that took long are over.</summary>
    public Signal Added => added;

    public int Count
    {
        get
        {
            lock (gate)
                return known.Count;
        }
    }

    /// <summary>The time of the next event or, where it could not be appended, of the next try; null: none is scheduled.</summary>
    /// <remarks>Null also while appends take long: <see cref="Added"/> is pulsed when they are over.</remarks>
    public DateTime? Next => appending is not null ? (appending.IsCompleted ? Now : null)
        : work.TimeLeft is var left && left > TimeSpan.Zero && IsTimeOfAny ? NextInPause(Now + left)
        : First;

    /// <summary>Whether there is something to append, or appends that took long are not noted yet.</summary>
    public bool IsAnyDue => appending is not null || Next <= Now;

    /// <summary>Why those whose time has come are not appended for now; null: they are.</summary>
    public FollowerProblem? Problem => listing.Problem ?? (IsTimeOfAny ? work.Problem : null);

    /// <summary>The time until they are listed again, where that has failed; null: it has not.</summary>
    public TimeSpan? TimeToList => listing.Problem is null ? null : listing.TimeLeft;

    private DateTime Now => host.Clock.GetUtcNow().UtcDateTime;

    private bool IsTimeOfAny => First <= Now;

    private DateTime? First
    {
        get
        {
            lock (gate)
                return known.Min is { } first ? DueFile.TimeOf(first) : null;
        }
    }

    // Files that cannot be read keep no other event from being appended.
    private DateTime NextInPause(DateTime end)
    {
        lock (gate)
        {
            return othersCanBeAppended && known.FirstOrDefault(name => !unread.ContainsKey(name)) is { } next
                && DueFile.TimeOf(next) is { } time && time < end ? time : end;
        }
    }

    /// <summary>Schedules an event durably.</summary>
    /// <param name="when">The time, in UTC.</param>
    /// <param name="once">The tag of which the store holds at most one append.</param>
    /// <param name="after">The position of the event that is being handled.</param>
    /// <param name="unless">It is not appended when an event after that position matches this; null: it is.</param>
    /// <exception cref="InvalidOperationException">Too many events are scheduled.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; nothing is scheduled.</exception>
    public void Add(DateTime when, Tag once, NewEvent newEvent, long after, Query? unless)
    {
        var (prepared, query) = host.Appends.Prepare(newEvent, unless, once);
        var due = new DueFile(when, once, prepared, after, query);
        lock (gate)
        {
            if (known.Count >= host.Sizes.ScheduledMax && !known.Contains(due.Name))
            {
                throw new InvalidOperationException(string.Create(CultureInfo.InvariantCulture, $"The reaction {reaction} has scheduled "
                    + $"{host.Sizes.ScheduledMax:N0} events that are not due yet; it cannot schedule more at a time."));
            }
        }
        try
        {
            // One that is there was made in this term, or made durable when it began.
            if (fileSystem.GetKind(layout.Due) == EntryKind.Missing)
                fileSystem.CreateOwnFolderDurably(layout.Due);
            due.Write(fileSystem, layout);
        }
        catch (FileSystemException e)
        {
            throw new StoreIOException(e.Path, $"The reaction {reaction} could not schedule an event. {e.Message}", e);
        }
        lock (gate)
            known.Add(due.Name);
        added.Pulse();
    }

    /// <summary>Learns what was scheduled before, and looks from time to time what others have added or removed.</summary>
    public void List()
    {
        if (listing.Problem is null ? isListed && host.Clock.GetElapsedTime(lastList) < listInterval : listing.TimeLeft > TimeSpan.Zero)
            return;
        var isFirst = !isListed;
        (isListed, lastList) = (true, host.Clock.GetTimestamp());
        try
        {
            List(isFirst);
            listing.Succeed();
        }
        catch (FileSystemException e)
        {
            // What is known is appended, and events are handled.
            if (listing.Fail(e, $"The scheduled events cannot be listed: {e.Message}"))
                host.LogTrouble(reaction, e);
        }
    }

    private void List(bool isFirst)
    {
        // A file that is added meanwhile may be missing in the list.
        var names = fileSystem.ListIfThere(layout.Due).ToHashSet(StringComparer.Ordinal);
        lock (gate)
        {
            known.RemoveWhere(each => !names.Contains(each) && fileSystem.GetKind(FilePath.Join(layout.Due, each)) == EntryKind.Missing);
            foreach (var name in names)
            {
                if (DueFile.TimeOf(name) is not null)
                {
                    if (!notRemoved.Contains(name))
                        known.Add(name);
                }
                else if (!name.EndsWith(LedFolder.StagingOf(""), StringComparison.Ordinal))
                {
                    PassOver(name, "is not the file of a scheduled event");
                }
                else if (isFirst)
                {
                    TryRemove(name);
                }
            }
        }
    }

    /// <summary>
    /// Appends events whose time has come, those of the earliest times first, in as few groups as possible. What cannot be appended for now is tried
    /// again after a pause. Appends that take long continue; a later call notes what has become of them.
    /// </summary>
    public async ValueTask AppendAsync(CancellationToken cancellationToken)
    {
        if (appending is not { } running)
        {
            appending = running = AppendDueAsync(cancellationToken);
            await ((Task)running).WaitAsync(patience, host.Clock, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!running.IsCompleted)
                _ = running.ContinueWith(_ => added.Pulse(), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        }
        if (!running.IsCompleted)
            return;
        appending = null;
        var (first, refusals) = await running.ConfigureAwait(false);
        lock (gate)
            known.ExceptWith(first.Where((_, at) => refusals[at] is null));
        Note(Array.Find(refusals, static each => each is not null));
        othersCanBeAppended = !first.Where((name, at) => refusals[at] is not null && !unread.ContainsKey(name)).Any();
    }

    /// <summary>Waits for appends that take long. What could not be appended, the next leader appends.</summary>
    public async ValueTask EndAsync()
    {
        if (appending is Task running)
            await running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task<Appended> AppendDueAsync(CancellationToken cancellationToken)
    {
        var now = Now;
        List<string> first;
        lock (gate)
        {
            var come = known.TakeWhile(each => DueFile.TimeOf(each) <= now);
            // Files that cannot be read do not hold up later ones, however many they are.
            first = [.. (unread.Count == 0 ? come : come.OrderBy(unread.GetValueOrDefault)).Take(host.Sizes.DueAtOnce)];
        }
        var appends = new List<Task<EventStoreException?>>(first.Count);
        foreach (var name in first.TakeWhile(_ => !cancellationToken.IsCancellationRequested))
            appends.Add(AppendAsync(name));
        var refusals = await Task.WhenAll(appends).ConfigureAwait(false);
        return new Appended(first[..refusals.Length], refusals);
    }

    private void Note(EventStoreException? refusal)
    {
        if (refusal is null)
            work.Succeed();
        else if (work.Fail(refusal, $"A scheduled event is not appended yet: {refusal.Message}"))
            ReactionLog.NotAppendedYet(host.Logger, reaction, refusal);
    }

    /// <returns>Why it cannot be appended for now; null: it is appended, or need not be.</returns>
    private Task<EventStoreException?> AppendAsync(string name)
    {
        try
        {
            var due = Read(name);
            unread.Remove(name);
            return due is null ? Task.FromResult<EventStoreException?>(null) : TryAppendAsync(due, name);
        }
        catch (FileSystemException e)
        {
            unread[name] = unread.GetValueOrDefault(name) + 1;
            return Task.FromResult<EventStoreException?>(new StoreIOException(e.Path, e.Message, e));
        }
    }

    /// <inheritdoc cref="AppendAsync(string)"/>
    private async Task<EventStoreException?> TryAppendAsync(DueFile due, string name)
    {
        var condition = due.Unless is { } unless ? new AppendCondition(unless, due.After) : null;
        try
        {
            await host.Appends.Prepared(due.Event, condition, due.Once).ConfigureAwait(false);
        }
        catch (AppendConditionFailedException e)
        {
            ReactionLog.NotDueAnyMore(host.Logger, reaction, due.Event.Type, e.Message);
        }
        catch (EventStoreException e) when (e.IsTransient)
        {
            return e;
        }
        catch (ArgumentException e)
        {
            // The others can be appended.
            PassOver(name, $"cannot be appended: {e.Message}");
            return null;
        }
        // Undone by a power cut, it is found again, and the append counts once.
        if (TryRemove(name))
            return null;
        lock (gate)
            notRemoved.Add(name);
        return null;
    }

    private bool TryRemove(string name)
    {
        try
        {
            fileSystem.Delete(FilePath.Join(layout.Due, name));
            return true;
        }
        catch (FileSystemException e)
        {
            PassOver(name, $"is done and cannot be removed: {e.Message} Remove the file");
            return false;
        }
    }

    private DueFile? Read(string name)
    {
        try
        {
            return DueFile.Read(fileSystem, layout, name);
        }
        catch (DamagedFileException e)
        {
            PassOver(name, e.Problem);
            return null;
        }
    }

    private void PassOver(string name, string problem) => host.LogFile(reaction, $"{FilePath.Join(layout.Due, name)} {problem}.");

    /// <param name="Refusals">Why each cannot be appended for now; null: it is appended, or need not be.</param>
    private sealed record Appended(List<string> First, EventStoreException?[] Refusals);
}
