using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;
using Opossum.Serialization;

namespace Opossum.Projections.Building;

/// <summary>
/// Keeps one generation's states up to date: applies events to states in memory, and writes the changed states. Before a failing event it writes
/// everything, then retries that event alone, and stops at it if it keeps failing.
/// </summary>
/// <remarks>Used by one thread at a time. Each step ends between two events, so the builder can be stopped and inspected there.</remarks>
internal sealed class GenerationBuilder<TState>
    where TState : class
{
    private readonly ProjectionHost host;
    private readonly Projection<TState> projection;
    private readonly Leadership leadership;
    private readonly Skips skips;
    private readonly StateFiles<TState> files;
    private readonly StateGroupWriter<TState> writer;
    private readonly long begun;
    private StateCache<TState> cache;
    private Guid? coveredId;
    private long? lastWrite;
    private long? suspect;
    private EventFailedException? failure;
    private long attemptHead;
    private long failureHead;
    private int retries;
    private long? nextTry;
    private long probedUpTo;
    private long checkpoints;
    private int seenChanges;
    private volatile ProjectionFault? fault;

    /// <summary>Takes over a generation under this term's number: a former leader's writes through open handles no longer reach it.</summary>
    /// <param name="checkpoint">
    /// The position up to which events are applied to the existing states; null: the generation is new, and its folder empty.
    /// </param>
    /// <param name="cancellationToken">Ends the taking over of a long tag log.</param>
    public GenerationBuilder(ProjectionHost host, Projection<TState> projection, Leadership leadership, Skips skips, Generation generation,
        GenerationModel model, Checkpoint? checkpoint, CancellationToken cancellationToken)
    {
        this.host = host;
        this.projection = projection;
        this.leadership = leadership;
        this.skips = skips;
        Generation = generation;
        Model = model;
        Covered = Written = checkpoint?.Last.Position ?? 0;
        files = new StateFiles<TState>(host.FileSystem, projection, host.Sealer);
        cache = new StateCache<TState>(host.Options.MaxCachedStates, isWhole: checkpoint is null);
        begun = host.Clock.GetTimestamp();
        writer = TakeOver(checkpoint, cancellationToken);
        suspect = ReadFault()?.Position;
    }

    public Generation Generation { get; private set; }

    public GenerationModel Model { get; }

    /// <summary>The position up to which every event is applied in memory.</summary>
    public long Covered { get; private set; }

    /// <summary>The position up to which every event is applied on the disk.</summary>
    public long Written { get; private set; }

    /// <summary>The store's head at the last read.</summary>
    public long Head { get; private set; }

    /// <summary>Whether the last read found no event after <see cref="Covered"/>.</summary>
    public bool IsCaughtUp { get; private set; }

    public bool HasUnwritten => Covered > Written;

    public ProjectionFault? Fault => fault;

    /// <summary>Whether states cannot be found by their tags, because the tag log is damaged or missing.</summary>
    public bool HasLostTags => projection.HasTags && writer.Tags is null;

    public int CachedStates => cache.Count;

    /// <summary>The time since states were last written; null: not in this term.</summary>
    public TimeSpan? SinceWrite => lastWrite is { } at ? host.Clock.GetElapsedTime(at) : null;

    /// <summary>The time since this term took the generation over.</summary>
    public TimeSpan SinceBegin => host.Clock.GetElapsedTime(begun);

    /// <summary>The remaining pause before a failing event is retried; zero if there is none.</summary>
    public TimeSpan PauseLeft
    {
        get
        {
            if (nextTry is not { } at || HasUnwritten || Covered < suspect - 1)
                return TimeSpan.Zero;
            var left = host.Clock.GetElapsedTime(host.Clock.GetTimestamp(), at);
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    /// <summary>
    /// What the file says of the event at which it has stopped; null when it is missing, or damaged: then the event fails again.
    /// </summary>
    public ProjectionFault? ReadFault() => host.ReadOrLog(projection.Name, () => FaultFile.Read(host.FileSystem, Generation));

    /// <summary>Reads and applies some events. It writes only what must be written before it can continue.</summary>
    public async ValueTask StepAsync(CancellationToken cancellationToken)
    {
        if (fault is not null)
            return;
        if (cache.Dirty.Count == 0)
            DropForgotten();
        attemptHead = host.KnownHead();
        await DoAsync(suspect is { } position ? StepToAsync(position, cancellationToken) : ReadAsync(long.MaxValue, cancellationToken))
            .ConfigureAwait(false);
    }

    /// <summary>Writes the changed states and the checkpoint.</summary>
    public ValueTask WriteAsync(CancellationToken cancellationToken) => DoAsync(WriteGroupAsync(cancellationToken));

    /// <summary>Retries the event at which it has stopped. From now on the status no longer reports the stop.</summary>
    public void Retry()
    {
        FaultFile.Delete(host.FileSystem, Generation);
        retries = 0;
        nextTry = null;
        failure = null;
        fault = null;
    }

    /// <summary>Sets the new name of the generation.</summary>
    public void MoveTo(Generation generation) => Generation = generation;

    /// <summary>Makes the generation's own name durable.</summary>
    public void FlushName()
    {
        using var file = host.FileSystem.Open(Generation.CheckpointFile(leadership.Term), FileOpening.ReadWrite);
        file?.Flush();
        host.FileSystem.FlushFolder(Generation.Parent);
    }

    private StateGroupWriter<TState> TakeOver(Checkpoint? checkpoint, CancellationToken cancellationToken)
    {
        var (term, fileSystem) = (leadership.Term, host.FileSystem);
        var names = fileSystem.List(Generation.Folder);
        if (checkpoint is null)
        {
            fileSystem.CreateOwnFolder(Generation.States);
            var first = Generation.StagingOf(term, default);
            fileSystem.CreateOwnFolder(Generation.Staging(first));
            names.Add(first);
        }
        var tags = TakeOverTags(checkpoint is null ? [] : checkpoint.Tags, cancellationToken);
        new Checkpoint(checkpoint?.Last ?? default, tags?.Segments).Create(fileSystem, Generation.CheckpointFile(term));
        foreach (var name in names)
        {
            if (Generation.TermOf(name) is { } former && former != term)
                fileSystem.Delete(Generation.CheckpointFile(former));
        }
        LedTagLog.RemoveOthers(fileSystem, Generation, names, tags?.Segments);
        return new StateGroupWriter<TState>(host, projection, leadership,
            names.Where(static name => Generation.TryParseStaging(name, out _)))
        { Tags = tags };
    }

    // Null also for a damaged log: readers do not use an incomplete one. The states are rebuilt, and the log with them.
    private LedTagLog? TakeOverTags(IReadOnlyList<TagSegment>? segments, CancellationToken cancellationToken) =>
        !projection.HasTags || segments is null ? null : host.ReadOrLog(projection.Name,
            () => LedTagLog.TakeOver(host, Generation, leadership, Covered, segments, cancellationToken));

    private async ValueTask DoAsync(ValueTask work)
    {
        try
        {
            await work.ConfigureAwait(false);
        }
        catch (EventFailedException e)
        {
            Fail(e);
        }
        catch (StateNotWritableException e)
        {
            FailToWrite(e);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            // An event may be applied to some of its states only. They must not be written, also if the term is stopped before it ends.
            DropMemory();
            throw;
        }
    }

    // Everything before the event is written, then the event is tried alone.
    private async ValueTask StepToAsync(long position, CancellationToken cancellationToken)
    {
        if (Covered < position - 1)
            await ReadAsync(position - 1, cancellationToken).ConfigureAwait(false);
        if (Covered < position - 1)
            return;
        await WriteGroupAsync(cancellationToken).ConfigureAwait(false);
        if (failure is not null && retries == host.Options.MaxRetryAttempts)
        {
            await StopAsync(failure, cancellationToken).ConfigureAwait(false);
            return;
        }
        if (PauseLeft > TimeSpan.Zero)
            return;
        retries += failure is null ? 0 : 1;
        await ReadAsync(position, cancellationToken).ConfigureAwait(false);
        await WriteGroupAsync(cancellationToken).ConfigureAwait(false);
        FaultFile.Delete(host.FileSystem, Generation);
        suspect = null;
        failure = null;
        retries = 0;
        nextTry = null;
    }

    private async ValueTask ReadAsync(long until, CancellationToken cancellationToken)
    {
        try
        {
            await ApplyUpToAsync(until, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (HasUnwritten && suspect is null
            && e is not (OperationCanceledException or EventFailedException or StateNotWritableException))
        {
            // What was applied before is written first, or each term would lose it again; the next step meets the failure alone.
            suspect = Covered + 1;
            DropMemory();
        }
        if (!cache.IsFull)
            return;
        await WriteGroupAsync(cancellationToken).ConfigureAwait(false);
        cache.Age();
    }

    private async ValueTask ApplyUpToAsync(long until, CancellationToken cancellationToken)
    {
        var options = new ReadOptions { After = Covered, UpTo = until, Limit = host.Sizes.EventsAStep };
        var stream = host.Store.ReadAsync(projection.Query, options, cancellationToken);
        var count = 0;
        IsCaughtUp = false;
        await foreach (var e in stream.ConfigureAwait(false))
        {
            Head = stream.Head;
            Apply(e);
            Cover(e.Position, e.Id);
            count++;
            if (cache.IsFull)
                return;
        }
        Head = stream.Head;
        if (count == host.Sizes.EventsAStep)
            return;
        if (Math.Min(until, Head) > Covered)
            Cover(Math.Min(until, Head), null);
        IsCaughtUp = Covered >= Head;
    }

    private void Cover(long position, Guid? id) => (Covered, coveredId) = (position, id);

    private void Apply(SequencedEvent e)
    {
        if (skips.Contains(new EventAt(e.Position, e.Id)))
            return;
        try
        {
            var handler = projection.HandlerOf(e.Type);
            if (handler.Key is { } key)
            {
                ApplyTo(key(e), handler, e);
                return;
            }
            foreach (var each in handler.Keys!(e))
                ApplyTo(each, handler, e);
        }
        catch (Exception cause) when (cause is not (FileSystemException or StoreIOException or LeadershipLostException)
            && !FollowerHost.IsOfThisProcess(cause))
        {
            throw new EventFailedException(e.Position, e.Type, cause);
        }
    }

    private void ApplyTo(string key, ProjectionHandler<TState> handler, SequencedEvent e)
    {
        KeyFileName.Check(key);
        var state = cache.Find(key) ?? Load(key);
        (state.EventPosition, state.EventType) = (e.Position, e.Type);
        if (e.Position <= state.Position)
        {
            // The state already includes the event, also after a group write that did not complete. It may not be durable, so it is written
            // again before
            // the checkpoint covers it, and so are its tags: the log's lines after the former checkpoint are ignored.
            state.WrittenTags = [];
            cache.MarkDirty(state);
            return;
        }
        var next = handler.Apply(state.State, e, key);
        if (next is null && state.State is null && !state.IsDirty && !state.IsWritten)
            return;
        state.State = next;
        state.Position = e.Position;
        cache.MarkDirty(state);
        if (e.Position <= probedUpTo)
            writer.Probe(state);
    }

    private CachedState<TState> Load(string key)
    {
        var state = new CachedState<TState>(key);
        if (!cache.IsWhole)
        {
            if (ReadStored(key) is { } stored)
            {
                state.State = stored.State;
                state.Position = stored.Position;
                state.WrittenTags = stored.Tags;
                state.IsWritten = true;
            }
            else
            {
                ThrowIfGone();
            }
        }
        cache.Add(state);
        return state;
    }

    private StoredState<TState>? ReadStored(string key)
    {
        try
        {
            return files.Read(Generation, key);
        }
        catch (DamagedFileException e)
        {
            throw new ProjectionException(projection.Name, e);
        }
    }

    // A missing state proves nothing when the folder is missing too.
    private void ThrowIfGone()
    {
        if (host.FileSystem.GetKind(Generation.Folder) != EntryKind.Folder)
            throw PatientLook.Gone(Generation.Folder);
    }

    private async ValueTask WriteGroupAsync(CancellationToken cancellationToken)
    {
        if (!HasUnwritten)
        {
            DropForgotten();
            return;
        }
        if (writer.Tags?.IsLong == true)
            throw new LeadershipLostException("The tag log has grown long; the next leader merges it.");
        var last = new EventAt(Covered, coveredId ?? await ReadIdAsync(Covered, cancellationToken).ConfigureAwait(false));
        var hasStates = cache.Dirty.Count > 0;
        // Order matters: a power cut could otherwise leave states that count events which the store has lost.
        host.MakeDurable(Covered);
        if (hasStates)
            writer.Write(Generation, cache.Dirty, basis: last);
        else
            leadership.ThrowIfLost();
        // Order matters: a checkpoint on the disk before its states would leave events out of them for good.
        new Checkpoint(last, writer.Tags?.Segments).Overwrite(host.FileSystem, Generation.CheckpointFile(leadership.Term), ++checkpoints);
        if (hasStates)
            writer.RemoveFormerStaging(Generation, basis: last);
        RemoveDeleted();
        cache.MarkWritten();
        Written = Covered;
        lastWrite = host.Clock.GetTimestamp();
        DropForgotten();
    }

    // The states in memory are decrypted.
    private void DropForgotten()
    {
        if (!projection.Content.MayBePersonal)
            return;
        var changes = host.Sealer.LookForChanges();
        if (changes == seenChanges)
            return;
        seenChanges = changes;
        cache.Clear();
    }

    private void RemoveDeleted()
    {
        var deleted = cache.Dirty.FindAll(static each => each.State is null);
        if (deleted.Count == 0)
            return;
        // Order matters: if the checkpoint were lost, events applied again would recreate the deleted state in part.
        using (var file = host.FileSystem.Open(Generation.CheckpointFile(leadership.Term), FileOpening.ReadWrite))
            file?.Flush();
        foreach (var state in deleted)
            host.FileSystem.Delete(Generation.StateFile(state.Key));
    }

    private async ValueTask<Guid> ReadIdAsync(long position, CancellationToken cancellationToken) =>
        await StoreEvents.FindIdAsync(host.Store, position, cancellationToken).ConfigureAwait(false)
            ?? throw new LeadershipLostException($"The store no longer has an event at position {position}.");

    private void Fail(EventFailedException e)
    {
        ThrowIfGone();
        if (suspect != e.Position)
            retries = 0;
        suspect = e.Position;
        (failure, failureHead) = (e, attemptHead);
        // After the last retry it stops at once.
        var pause = retries == host.Options.MaxRetryAttempts ? TimeSpan.Zero : Backoff.After(retries + 1, host.Options.RetryDelay, Backoff.Longest);
        nextTry = host.Clock.GetTimestamp() + (long)(pause.TotalSeconds * host.Clock.TimestampFrequency);
        ProjectionLog.EventFailed(host.Logger, projection.Name, e.Position, e.EventType, retries, host.Options.MaxRetryAttempts, e.InnerException!);
        DropMemory();
    }

    // A write attempt after each event shows which event made the state unwritable.
    private void FailToWrite(StateNotWritableException e)
    {
        if (e.Position == suspect || e.Position <= probedUpTo)
        {
            Fail(new EventFailedException(e.Position, e.EventType, e));
            return;
        }
        probedUpTo = Covered;
        DropMemory();
    }

    private async ValueTask StopAsync(EventFailedException e, CancellationToken cancellationToken)
    {
        var stopped = new ProjectionFault
        {
            Position = e.Position,
            EventType = e.EventType,
            Error = FollowerHost.NotKept,
            At = host.Clock.GetUtcNow(),
            EventId = await ReadIdAsync(e.Position, cancellationToken).ConfigureAwait(false),
        };
        // Order matters: a power cut could take the event, and a skip of the position would then skip another one.
        host.MakeDurable(e.Position);
        leadership.ThrowIfLost();
        var written = stopped;
        host.WriteTexts(failureHead, keepsTexts =>
        {
            written = keepsTexts ? stopped with { Error = LedFolder.Cut(e.Message) } : stopped;
            FaultFile.Write(host.FileSystem, Generation, written);
        });
        // Last: it has stopped only once the file has no text that it must not keep.
        fault = written;
        ProjectionLog.Faulted(host.Logger, projection.Name, e.Position, e.EventType, e.InnerException!);
    }

    private void DropMemory()
    {
        cache = new StateCache<TState>(host.Options.MaxCachedStates, isWhole: false);
        Cover(Written, null);
        IsCaughtUp = false;
    }
}
