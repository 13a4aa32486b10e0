using System.Data.Common;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;

namespace Opossum.Projections.Databases;

/// <summary>
/// One process's term as the leader of a projection: it applies batches of events, each in a transaction with its position. A batch that fails is
/// applied event by event, so that the event that fails is known; that one is retried, and the projection stops at it if it keeps failing.
/// </summary>
/// <remarks>Used by one thread at a time. What is known of the row changes only after a commit, so a failed one changes nothing here.</remarks>
internal sealed class DbTerm : IFollowerTerm
{
    private const int EventsABatch = 512;
    private const long BytesABatch = 8 * 1024 * 1024;

    // Each time costs two flushes.
    private static readonly TimeSpan tellInterval = TimeSpan.FromSeconds(1);

    // Busy, an error of the disk, full; locked (6) is a conflict within the connection. Its driver calls no error transient, and without the driver
    // only the text has the code.
    private static readonly string[] passingOnSqlite = ["SQLite Error 5:", "SQLite Error 10:", "SQLite Error 13:"];

    private readonly ProjectionHost host;
    private readonly Projection projection;
    private readonly Positions positions;
    private readonly Leadership leadership;
    private readonly Skips skips;
    private readonly OpenRequests requests;
    private readonly PausedWork rebuilding;
    private readonly ProjectionLayout layout;
    private readonly StrongBox<ExceptionDispatchInfo?> newer;
    private PositionRow row;
    private PositionRow? told;
    private long faultHead;
    private long lastTold;
    private bool isCaughtUp;
    private long oneByOneUpTo;
    private bool hasReachedRows;
    private int failures;
    private long lastFailure;
    private long lastCommit;

    private DbTerm(ProjectionHost host, Projection projection, Positions positions, ProjectionLayout layout,
        StrongBox<ExceptionDispatchInfo?> newer, Leadership leadership, PositionRow row)
    {
        this.host = host;
        this.projection = projection;
        this.positions = positions;
        this.layout = layout;
        this.newer = newer;
        this.leadership = leadership;
        this.row = row;
        Covered = row.Position;
        // The event at which it had stopped, or at which a term has ended, is tried again alone.
        oneByOneUpTo = row.FaultPosition ?? row.Position + 1;
        lastCommit = host.Clock.GetTimestamp();
        skips = new Skips(host.FileSystem, layout, projection.Version, e => host.LogFile(projection.Name, e));
        requests = new OpenRequests(host, layout, Log, LogTrouble);
        rebuilding = new PausedWork(host);
    }

    /// <summary>The position up to which every event is applied, or concerns other projections only.</summary>
    public long Covered { get; private set; }

    /// <summary>The event at which it has stopped.</summary>
    public ProjectionFault? Fault { get; private set; }

    public bool IsOver => false;

    public FollowerProblem? Problem => rebuilding.Problem ?? requests.Problem;

    public long? WakesAfter => Fault is null && failures == 0 && isCaughtUp ? Covered : null;

    /// <summary>Takes the lead; null if another process has it, or if the projection's version in this process is a former one.</summary>
    /// <param name="newer">What this process cannot read, unlike one of a newer version, where a rebuild in one transaction has met it.</param>
    public static ValueTask<DbTerm?> TryBeginAsync(ProjectionHost host, Projection projection,
        Positions positions, ProjectionLayout layout, StrongBox<ExceptionDispatchInfo?> newer, Action<int> superseded,
        CancellationToken cancellationToken) =>
        Leadership.BeginAsync<DbTerm>(host, layout, async leadership =>
        {
            var store = host.StoreId!.Value;
            var row = await positions.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (row is null)
            {
                row = new PositionRow { Name = projection.Name, Store = store };
                await positions.AddAsync(row, cancellationToken).ConfigureAwait(false);
            }
            if (row.Store != store)
            {
                throw new InvalidOperationException($"The rows of the projection {projection.Name} are those of the store {row.Store}, and this is "
                    + $"the store {store}. Give one of the projections another name and tables; or, if the rows are to be built from this store, "
                    + $"delete the row {projection.Name} of {PositionRow.Table}.");
            }
            if (row.Version > projection.Version)
            {
                superseded(row.Version);
                return null;
            }
            var term = new DbTerm(host, projection, positions, layout, newer, leadership, row);
            await term.TakeOverAsync(cancellationToken).ConfigureAwait(false);
            return term;
        });

    /// <summary>Carries out the open requests.</summary>
    /// <param name="tell">Lets callers in this process know how far the term is, before a request is done.</param>
    /// <param name="cancellationToken">Cancels what is not done yet.</param>
    public async ValueTask CarryOutAsync(Action tell, CancellationToken cancellationToken)
    {
        var open = requests.Read();
        // The requests may belong to another leader by now.
        if (open.Count > 0)
            leadership.ThrowIfLost();
        if (!open.Exists(static each => each.Kind == RequestKind.Rebuild))
            rebuilding.Succeed();
        var isBegun = false;
        foreach (var request in open)
        {
            switch (request.Kind)
            {
                // One build serves all requests. From here on the row says how far it is, also to the next leader.
                case RequestKind.Rebuild when isBegun
                    || await rebuilding.TryAsync(() => RebuildAsync(cancellationToken), LogTrouble).ConfigureAwait(false):
                    isBegun = true;
                    break;
                case RequestKind.Retry:
                    await RetryAsync(cancellationToken).ConfigureAwait(false);
                    break;
                case RequestKind.Skip when await TrySkipAsync(request, cancellationToken).ConfigureAwait(false):
                    break;
                default:
                    continue;
            }
            requests.Close(request.Id, () =>
            {
                leadership.ThrowIfLost();
                tell();
            });
        }
    }

    /// <summary>One step: applies some events, and says in the projection's folder how far it is when it is time.</summary>
    /// <param name="wanted">The position that a caller waits for; a position that covers it is committed at once.</param>
    /// <param name="cancellationToken">Cancels the step; what it has not committed is rolled back.</param>
    /// <returns>The time until the next step, unless something happens before.</returns>
    public async ValueTask<TimeSpan> FollowAsync(long wanted, CancellationToken cancellationToken)
    {
        var wasBuilding = row.IsBuilding;
        var wait = await StepAsync(wanted, cancellationToken).ConfigureAwait(false);
        if (wasBuilding && Fault is null)
            ReportBuild(Math.Min(Covered, row.Target), row.Target);
        if (wasBuilding && !row.IsBuilding)
            ProjectionLog.Rebuilt(host.Logger, projection.Name, projection.Version, row.Position);
        if (row == told)
            return wait;
        var left = HasTurned ? TimeSpan.Zero : Left(lastTold, tellInterval);
        if (left > TimeSpan.Zero)
            return wait == Timeout.InfiniteTimeSpan || left < wait ? left : wait;
        Tell();
        return wait;
    }

    // What is not committed is rolled back; other events than the projection's are read again.
    public ValueTask StopAsync()
    {
        if (row != told)
            Tell();
        return ValueTask.CompletedTask;
    }

    public void ThrowIfLost() => leadership.ThrowIfLost();

    public string? FindGone() => host.FileSystem.GetKind(layout.Root) == EntryKind.Missing ? layout.Root : null;

    public ValueTask DisposeAsync()
    {
        leadership.Dispose();
        return ValueTask.CompletedTask;
    }

    private async ValueTask<TimeSpan> StepAsync(long wanted, CancellationToken cancellationToken)
    {
        if (Fault is not null)
            return Timeout.InfiniteTimeSpan;
        if (PauseLeft is var pause && pause > TimeSpan.Zero)
            return pause;
        var limit = Covered < oneByOneUpTo ? 1 : EventsABatch;
        var stream = host.Store.ReadAsync(projection.Query, new ReadOptions { After = Covered, Limit = limit }, cancellationToken);
        var events = new List<SequencedEvent>();
        var (bytes, isCut) = (0L, false);
        try
        {
            await foreach (var e in stream.ConfigureAwait(false))
            {
                events.Add(e);
                bytes += e.StoredJson.Length;
                isCut = bytes >= BytesABatch;
                if (isCut)
                    break;
            }
        }
        catch (Exception) when (events.Count > 0 && !cancellationToken.IsCancellationRequested)
        {
            // The events before are applied first; the next read meets the failure alone.
            isCut = true;
        }
        if (events.Count > 0 && !await TryApplyAsync(events, cancellationToken).ConfigureAwait(false))
            return Fault is null ? PauseLeft : Timeout.InfiniteTimeSpan;
        isCaughtUp = events.Count < limit && !isCut;
        if (!isCaughtUp)
            return TimeSpan.Zero;
        Covered = Math.Max(Covered, stream.Head);
        if (Covered > row.Position && (wanted > row.Position || row.IsBuilding || TimeToCommit == TimeSpan.Zero))
            await AdvanceAsync(cancellationToken).ConfigureAwait(false);
        return Covered > row.Position ? TimeToCommit : Timeout.InfiniteTimeSpan;
    }

    private TimeSpan PauseLeft => failures == 0 ? TimeSpan.Zero
        : Left(lastFailure, Backoff.After(failures, host.Options.RetryDelay, Backoff.Longest));

    private TimeSpan TimeToCommit => Left(lastCommit, host.Options.WriteInterval);

    // A turn is told at once.
    private bool HasTurned =>
        (row.Version, row.Term, row.Fault, row.IsBuilding) != (told?.Version, told?.Term, told?.Fault, told?.IsBuilding);

    // Higher than the terms of every database that a leader of this store has led, not only of this one.
    private long NextTerm() => Math.Max(row.Term + 1, leadership.TakeNumber());

    private void ReportBuild(long done, long total) => host.Options.RebuildProgress?.Report(new StoreProgress
    {
        Operation = StoreOperation.ProjectionRebuild,
        Done = done,
        Total = total,
        Projection = projection.Name,
    });

    private void Tell()
    {
        leadership.ThrowIfLost();
        host.WriteTexts(faultHead, keepsTexts => RowFile.Write(host.FileSystem, layout,
            keepsTexts || row.Fault is not { } fault ? row : row.With(fault with { Error = FollowerHost.NotKept })));
        told = row;
        lastTold = host.Clock.GetTimestamp();
    }

    private async ValueTask TakeOverAsync(CancellationToken cancellationToken)
    {
        var request = row.Version > 0 && MayHaveMissedRebuild() ? RequestRebuild() : null;
        if (row.Version != projection.Version)
        {
            if (row.Version > 0)
                ProjectionLog.VersionChanged(host.Logger, projection.Name, row.Version, projection.Version);
            await RebuildAsync(cancellationToken).ConfigureAwait(false);
        }
        else if (request is not null
            || !await StoreEvents.HasAsync(host, new EventAt(row.Position, row.EventId), cancellationToken).ConfigureAwait(false))
        {
            ProjectionLog.DoesNotFit(host.Logger, projection.Name, positions.Database);
            await RebuildAsync(cancellationToken).ConfigureAwait(false);
        }
        else
        {
            var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
            // The end of the store may have been cut off since, with the event at which it had stopped, or during a build.
            var next = row with { Term = NextTerm(), Target = Math.Min(row.Target, head) };
            await CommitAsync(next.With(fault: null), null, cancellationToken).ConfigureAwait(false);
        }
        if (request is not null)
            requests.Close(request.Id, leadership.ThrowIfLost);
        RemoveStates(cancellationToken);
        ProjectionLog.Leads(host.Logger, projection.Name, projection.Version, row.Position);
    }

    // Then its rows may have what was redacted. A restored backup of the store has no file, and a redaction of it has found no rows to be built
    // again; a database that was restored, or is another machine's, may be older than the last term.
    private bool MayHaveMissedRebuild() => ReadTold() is not { } last || last.Term > row.Term;

    private LeaderRequest RequestRebuild()
    {
        var request = new LeaderRequest(Guid.NewGuid(), RequestKind.Rebuild);
        request.Write(host.FileSystem, layout);
        // Its error may have the text of a person who was forgotten since; the event is tried again.
        row = row.With(fault: null);
        // Order matters: without a durable request, a leader that ends now would leave rows with redacted text. The
        // file is there before the events are read, so that a redaction during the build finds it.
        Tell();
        return request;
    }

    // The rows of a name have been states before.
    private void RemoveStates(CancellationToken cancellationToken)
    {
        var old = new OldGenerations(host.FileSystem, layout);
        foreach (var each in Generations.List(host.FileSystem, layout).Where(static each => each.Kind != GenerationKind.Old))
            old.Add(each);
        while (old.RemoveSome())
            cancellationToken.ThrowIfCancellationRequested();
    }

    private async ValueTask RebuildAsync(CancellationToken cancellationToken)
    {
        ProjectionLog.Rebuilding(host.Logger, projection.Name, projection.Version);
        // Nobody reads rows that were never built, and a build in place continues where a process has ended.
        if (row.Version == 0 || !positions.RebuildsInOneTransaction || !await TryRebuildAtOnceAsync(cancellationToken).ConfigureAwait(false))
            await ClearAsync(cancellationToken).ConfigureAwait(false);
        // If it fails, the term may continue.
        await RetryAsync(cancellationToken).ConfigureAwait(false);
    }

    // False: it cannot be done at once. An event that fails is found, and retried, where the rows are built in place.
    private async Task<bool> TryRebuildAtOnceAsync(CancellationToken cancellationToken)
    {
        // The events before it would be applied again in vain.
        if (newer.Value is { SourceException: EventDataException { Position: var at } } known
            && await StoreEvents.FindIdAsync(host.Store, at, cancellationToken).ConfigureAwait(false) is { } its
            && !skips.Contains(new EventAt(at, its)))
        {
            known.Throw();
        }
        var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        if (await StoreEvents.FindIdAsync(host.Store, head, cancellationToken).ConfigureAwait(false) is not { } id)
            return false;
        try
        {
            await BeginAgainAsync(new EventAt(head, id), head, rows => RebuildAsync(rows, head, cancellationToken), cancellationToken)
                .ConfigureAwait(false);
        }
        catch (Exception e) when (FollowerHost.FindNewer(e) is { } found)
        {
            newer.Value = ExceptionDispatchInfo.Capture(found);
            throw;
        }
        catch (Exception e) when (MayBeOfAnEvent(e, cancellationToken) && !MayPass(e))
        {
            await ThrowUnlessKnownAsync(e, cancellationToken).ConfigureAwait(false);
            ProjectionLog.RebuiltInPlace(host.Logger, projection.Name, e);
            return false;
        }
        ProjectionLog.Rebuilt(host.Logger, projection.Name, projection.Version, head);
        return true;
    }

    private async Task RebuildAsync(IDbRows rows, long head, CancellationToken cancellationToken)
    {
        await rows.ClearAsync(cancellationToken).ConfigureAwait(false);
        // The store is read in between: what fails there is no fault of an event.
        hasReachedRows = false;
        var events = new List<SequencedEvent>();
        var bytes = 0L;
        await foreach (var e in host.Store.ReadAsync(projection.Query, new ReadOptions { UpTo = head }, cancellationToken).ConfigureAwait(false))
        {
            events.Add(e);
            bytes += e.StoredJson.Length;
            if (events.Count < EventsABatch && bytes < BytesABatch)
                continue;
            await ApplyAsync(rows, events, cancellationToken).ConfigureAwait(false);
            ReportBuild(e.Position, head);
            (hasReachedRows, bytes) = (false, 0);
        }
        await ApplyAsync(rows, events, cancellationToken).ConfigureAwait(false);
        ReportBuild(head, head);
    }

    private async Task ApplyAsync(IDbRows rows, List<SequencedEvent> events, CancellationToken cancellationToken)
    {
        hasReachedRows = true;
        await rows.ApplyAsync(WithoutSkipped(events), cancellationToken).ConfigureAwait(false);
        events.Clear();
    }

    private IEnumerable<SequencedEvent> WithoutSkipped(List<SequencedEvent> events)
    {
        foreach (var e in events)
        {
            if (skips.Contains(new EventAt(e.Position, e.Id)))
                continue;
            // Before its handler, which would make rows that keep nulls.
            host.ThrowIfKeysAreMissing(e);
            yield return e;
        }
    }

    private async Task ClearAsync(CancellationToken cancellationToken)
    {
        var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        await BeginAgainAsync(default, head, rows => rows.ClearAsync(cancellationToken), cancellationToken).ConfigureAwait(false);
    }

    // A term of its own: a transaction of the position before cannot be taken for one of the rows that are built now.
    private async Task BeginAgainAsync(EventAt last, long target, Func<IDbRows, Task> work, CancellationToken cancellationToken)
    {
        var next = (row with
        {
            Version = projection.Version,
            Term = NextTerm(),
            Position = last.Position,
            EventId = last.Id,
            Target = target,
        }).With(fault: null);
        await CommitAsync(next, work, cancellationToken).ConfigureAwait(false);
        (Covered, oneByOneUpTo, isCaughtUp) = (last.Position, 0, false);
    }

    private async Task<bool> TryApplyAsync(List<SequencedEvent> events, CancellationToken cancellationToken)
    {
        var last = events[^1];
        var next = (row with { Position = last.Position, EventId = last.Id }).With(fault: null);
        var head = host.KnownHead();
        try
        {
            await CommitAsync(next, rows => rows.ApplyAsync(WithoutSkipped(events), cancellationToken), cancellationToken)
                .ConfigureAwait(false);
        }
        // Of several events, those before the one at which it fails are to be committed.
        catch (Exception e) when (MayBeOfAnEvent(e, cancellationToken) && (events.Count > 1 || !MayPass(e)))
        {
            await FailAsync(events, e, head, cancellationToken).ConfigureAwait(false);
            return false;
        }
        failures = 0;
        Covered = last.Position;
        return true;
    }

    // A database that is locked or takes no writes, and a store that cannot be flushed, fail before a handler is called.
    private bool MayBeOfAnEvent(Exception error, CancellationToken cancellationToken) => hasReachedRows
        && error is not (FileSystemException or StoreIOException or LeadershipLostException)
        && !cancellationToken.IsCancellationRequested;

    // In a handler the database's driver says that the same may succeed later; keys of personal data may come back.
    private static bool MayPass(Exception error)
    {
        for (var cause = error; cause is not null; cause = cause.InnerException)
        {
            if (cause is DbException { IsTransient: true } or PersonalDataException { IsTransient: true }
                || (cause is DbException { Message: var message } && passingOnSqlite.Any(each => message.StartsWith(each, StringComparison.Ordinal))))
            {
                return true;
            }
        }
        return FollowerHost.IsOfThisProcess(error);
    }

    private async Task FailAsync(List<SequencedEvent> events, Exception error, long head, CancellationToken cancellationToken)
    {
        await ThrowUnlessKnownAsync(error, cancellationToken).ConfigureAwait(false);
        if (events.Count > 1)
        {
            oneByOneUpTo = events[^1].Position;
            return;
        }
        var failed = events[0];
        failures++;
        lastFailure = host.Clock.GetTimestamp();
        ProjectionLog.EventFailed(host.Logger, projection.Name, failed.Position, failed.Type, failures - 1, host.Options.MaxRetryAttempts, error);
        if (failures <= host.Options.MaxRetryAttempts)
            return;
        var fault = new ProjectionFault
        {
            Position = failed.Position,
            EventType = failed.Type,
            Error = host.MustForgetSince(head) ? FollowerHost.NotKept : TextOf(error),
            At = host.Clock.GetUtcNow(),
            EventId = failed.Id,
        };
        var stopped = await BeforeAsync(failed.Position, cancellationToken).ConfigureAwait(false);
        await CommitAsync(stopped.With(fault), null, cancellationToken).ConfigureAwait(false);
        (Fault, faultHead) = (fault, head);
        ProjectionLog.Faulted(host.Logger, projection.Name, failed.Position, failed.Type, error);
    }

    // The event was applied alone, so that the rows have all before it, whatever the projection handles of that.
    private async Task<PositionRow> BeforeAsync(long position, CancellationToken cancellationToken)
    {
        var before = position - 1;
        if (before <= row.Position || await StoreEvents.FindIdAsync(host.Store, before, cancellationToken).ConfigureAwait(false) is not { } id)
            return row;
        Covered = Math.Max(Covered, before);
        return row with { Position = before, EventId = id };
    }

    // A database that is away is nobody's fault: this read throws, and the term ends. A commit that has succeeded all the same shows, too.
    private async Task ThrowUnlessKnownAsync(Exception error, CancellationToken cancellationToken)
    {
        if (await positions.ReadAsync(cancellationToken).ConfigureAwait(false) is not { } found
            || (found.Term, found.Position) != (row.Term, row.Position))
        {
            throw new LeadershipLostException($"The row {projection.Name} of {PositionRow.Table} is not as this process left it: "
                + error.Message);
        }
    }

    private async Task AdvanceAsync(CancellationToken cancellationToken)
    {
        if (await StoreEvents.FindIdAsync(host.Store, Covered, cancellationToken).ConfigureAwait(false) is { } id)
            await CommitAsync(row with { Position = Covered, EventId = id }, null, cancellationToken).ConfigureAwait(false);
    }

    private async Task CommitAsync(PositionRow next, Func<IDbRows, Task>? work, CancellationToken cancellationToken)
    {
        hasReachedRows = false;
        // Order matters: a power cut could otherwise leave rows that count events which the store has lost.
        host.MakeDurable(next.Position);
        Func<IDbRows, Task>? reaching = work is null ? null : rows =>
        {
            hasReachedRows = true;
            return work(rows);
        };
        await positions.CommitAsync(row, next, reaching, cancellationToken).ConfigureAwait(false);
        row = next;
        lastCommit = host.Clock.GetTimestamp();
    }

    private async Task RetryAsync(CancellationToken cancellationToken)
    {
        // In this order, a caller that waits after its request does not find the former stop, here or in the file.
        if (row.Fault is not null)
            await CommitAsync(row.With(fault: null), null, cancellationToken).ConfigureAwait(false);
        if (HasTurned)
            Tell();
        Fault = null;
        failures = 0;
    }

    // False: the request stays open. A leader that has just begun tries the event again before it stops there.
    private async Task<bool> TrySkipAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        if (Fault is not { } fault || fault.Position != request.Position)
            return Covered >= request.Position;
        // Forgetting a person takes the person's texts out of the file.
        var error = ReadTold()?.Fault is { } told && told.Position == fault.Position ? told.Error : "";
        skips.Add(host, request, fault with { Error = error });
        ProjectionLog.Skipped(host.Logger, projection.Name, fault.Position, fault.EventType, request.Reason);
        await RetryAsync(cancellationToken).ConfigureAwait(false);
        return true;
    }

    private PositionRow? ReadTold() => host.ReadOrLog(projection.Name, () => RowFile.Read(host.FileSystem, layout));

    private TimeSpan Left(long since, TimeSpan interval) =>
        host.Clock.GetElapsedTime(since) is var elapsed && elapsed < interval ? interval - elapsed : TimeSpan.Zero;

    private void LogTrouble(Exception e) => host.LogTrouble(projection.Name, e);

    private void Log(string path, string problem) => ProjectionLog.Damaged(host.Logger, projection.Name, path, problem);

    // PostgreSQL stores no zero character.
    private static string TextOf(Exception error) =>
        LedFolder.Cut((error.InnerException is { } inner ? $"{error.Message} {inner.Message}" : error.Message).Replace('\0', '\ufffd'));
}
