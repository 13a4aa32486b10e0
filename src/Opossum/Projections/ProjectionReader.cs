using System.Runtime.CompilerServices;
using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>Reads the states of the generation that is live, in any process, and notices when it is moved or another takes its place.</summary>
internal sealed class ProjectionReader<TState>(ProjectionHost host, Projection<TState> projection, ProjectionLayout layout, ProjectionSignals signals) : IProjectionStore<TState>
    where TState : class
{
    private const int StatesAtOnce = 256;

    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly StateFiles<TState> files = new(host.FileSystem, projection);
    private volatile LiveGeneration? known;

    public ValueTask<TState?> GetAsync(string key, CancellationToken cancellationToken = default)
    {
        KeyFileName.Check(key);
        return DoAsync(() => Read(key)?.State, cancellationToken);
    }

    public ValueTask<IReadOnlyDictionary<string, TState>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        var wanted = keys.Distinct(StringComparer.Ordinal).ToArray();
        Array.ForEach(wanted, KeyFileName.Check);
        return DoAsync<IReadOnlyDictionary<string, TState>>(() => ReadMany(wanted).Where(static each => each?.State is not null).ToDictionary(static each => each!.Key, static each => each!.State!, StringComparer.Ordinal), cancellationToken);
    }

    public async IAsyncEnumerable<ProjectionState<TState>> ReadAllAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (var bucket = 0; bucket < ProjectionLayout.Buckets; bucket++)
        {
            var number = bucket;
            foreach (var state in await DoAsync(() => ReadBucket(number), cancellationToken).ConfigureAwait(false))
                yield return new ProjectionState<TState>(state.Key, state.State!, state.Position);
        }
    }

    public IAsyncEnumerable<ProjectionState<TState>> FindAsync(IEnumerable<Tag> tags, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(tags);
        Tag[] wanted = [.. new QueryItem { Tags = [.. tags] }.Tags];
        if (wanted.Length == 0)
            throw new ArgumentException("There is no tag to find states by; read all with ReadAllAsync.", nameof(tags));
        if (!projection.HasTags)
            throw new InvalidOperationException($"The states of the projection {projection.Name} have no tags; give them some with TagBy in its constructor, and raise its version.");
        return FindAsync(wanted, cancellationToken);
    }

    public async ValueTask WaitForAsync(long position, CancellationToken cancellationToken = default)
    {
        while (true)
        {
            // Order matters: what is done behind this wakes.
            var done = signals.Done.Next;
            cancellationToken.ThrowIfCancellationRequested();
            if (await DoAsync(() => IsCovered(position), cancellationToken).ConfigureAwait(false))
                return;
            ObjectDisposedException.ThrowIf(signals.IsStopped, typeof(ProjectionRunner));
            signals.Want(position);
            await PollAsync(done, cancellationToken).ConfigureAwait(false);
        }
    }

    public async ValueTask<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default)
    {
        var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        return await DoAsync(() => ReadStatus(head), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Asks the leader for something, and waits until it is done.</summary>
    /// <exception cref="ProjectionFaultedException">The states were to be built again, and an event cannot be applied.</exception>
    public async ValueTask RequestAsync(ProjectionRequest request, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(signals.IsStopped, typeof(ProjectionRunner));
        if (!host.CanWrite)
            throw new NotSupportedException($"The store in {host.StoreRoot} is open for reading only. To have the states of a projection built, or let it go on, open it with {nameof(OpossumOptions)}.{nameof(OpossumOptions.ReadOnly)} = false.");
        await DoAsync(() => Write(request), cancellationToken).ConfigureAwait(false);
        signals.Request();
        while (true)
        {
            var done = signals.Done.Next;
            if (!await DoAsync(() => IsOpen(request), cancellationToken).ConfigureAwait(false))
                return;
            ObjectDisposedException.ThrowIf(signals.IsStopped, typeof(ProjectionRunner));
            await PollAsync(done, cancellationToken).ConfigureAwait(false);
        }
    }

    private async IAsyncEnumerable<ProjectionState<TState>> FindAsync(Tag[] tags, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var (index, tag, candidates, covered) = await DoAsync(() => FindCandidates(tags), cancellationToken).ConfigureAwait(false);
        foreach (var some in candidates.Chunk(StatesAtOnce))
        {
            var states = await DoAsync(() => ReadMany([.. some.Select(static each => each.Key)]), cancellationToken).ConfigureAwait(false);
            for (var at = 0; at < some.Length; at++)
            {
                if (states[at] is { State: { } state } stored && Array.TrueForAll(tags, each => stored.Tags.Contains(each)))
                    yield return new ProjectionState<TState>(stored.Key, state, stored.Position);
                else if (states[at]?.Tags.Contains(tag) != true)
                    index?.Forget(tag, some[at].Key, states[at]?.Position ?? covered);
            }
        }
    }

    private (TagIndex? Index, Tag Tag, KeyValuePair<string, long>[] Keys, long Covered) FindCandidates(Tag[] tags) => OfLive(live =>
    {
        // Order matters: a state that is missing proves that its tags are past only as far as this tells.
        var covered = Covered(live.Generation);
        live.Tags.Follow(live.Generation);
        var (tag, keys) = live.Tags.Find(tags);
        return ((TagIndex?)live.Tags, tag, keys, covered);
    }, (null, default, [], 0));

    private StoredState<TState>? Read(string key) => OfLive(live => files.Read(live.Generation, key), null);

    private StoredState<TState>?[] ReadMany(string[] keys)
    {
        var found = new StoredState<TState>?[keys.Length];
        if (host.Volume.IsNetwork && keys.Length > 0)
            fileSystem.ForEach(keys.Length, at => found[at] = Read(keys[at]));
        else
            Array.ForEach(Enumerable.Range(0, keys.Length).ToArray(), at => found[at] = Read(keys[at]));
        return found;
    }

    private List<StoredState<TState>> ReadBucket(int bucket) => OfLive(live =>
    {
        var states = new List<StoredState<TState>>();
        var folder = live.Generation.Bucket(bucket);
        if (fileSystem.GetKind(folder) != EntryKind.Folder)
            return null;
        foreach (var name in fileSystem.List(folder))
        {
            if (!Generation.IsStateFile(name))
                continue;
            if (files.ReadFile(FilePath.Join(folder, name)) is not { } stored)
                ThrowIfMoved(live);
            else if (stored.State is not null)
                states.Add(stored);
        }
        return states;
    }, null) ?? [];

    // Null from the work may mean that the generation is not where it was: then it is done again.
    private T OfLive<T>(Func<LiveGeneration, T> work, T none) => PatientLook.Look(fileSystem, () =>
    {
        if (FindLive() is not { } live)
            return none;
        try
        {
            var result = work(live);
            if (result is null)
                ThrowIfMoved(live);
            return result;
        }
        catch (FileSystemException e) when (e.Error == FileError.NotFound)
        {
            if (IsMoved(live))
                known = null;
            throw;
        }
    });

    private void ThrowIfMoved(LiveGeneration live)
    {
        if (IsMoved(live))
            throw PatientLook.Gone(live.Generation.Folder);
    }

    private bool IsMoved(LiveGeneration live) => fileSystem.GetKind(live.Generation.Folder) != EntryKind.Folder;

    private LiveGeneration? FindLive() => known ??= Generations.LookOnce(fileSystem, layout, generations =>
        Generations.Newest(generations, GenerationKind.Live) is { } live && GenerationModel.Read(fileSystem, live) is { } model ? new LiveGeneration(live, model, new TagIndex(fileSystem)) : null);

    private long Covered(Generation generation) => Checkpoint.ReadNewest(fileSystem, generation)?.Position ?? 0;

    private bool IsCovered(long position)
    {
        if (OfLive(live => Covered(live.Generation), 0) >= position)
            return true;
        if (FindFault() is { } fault && fault.Position <= position)
            throw new ProjectionFaultedException(projection.Name, fault);
        return false;
    }

    // The live generation's, or, where that is of a former version, that of the one which is to take its place.
    private ProjectionFault? FindFault() => Generations.Look(fileSystem, layout, generations =>
    {
        if (Generations.Newest(generations, GenerationKind.Live) is { } live && GenerationModel.Read(fileSystem, live)?.Version >= projection.Version)
            return FaultFile.Read(fileSystem, live);
        return Generations.Newest(generations, GenerationKind.Rebuild) is { } rebuild ? FaultFile.Read(fileSystem, rebuild) : null;
    });

    private ProjectionStatus ReadStatus(long head) => Generations.Look(fileSystem, layout, generations =>
    {
        var live = Generations.Newest(generations, GenerationKind.Live);
        var rebuild = Generations.Newest(generations, GenerationKind.Rebuild);
        var liveModel = live is null ? null : GenerationModel.Read(fileSystem, live);
        var fault = (live is null ? null : FaultFile.Read(fileSystem, live)) ?? (rebuild is null ? null : FaultFile.Read(fileSystem, rebuild));
        var position = live is null ? 0 : Covered(live);
        var isSuperseded = liveModel?.Version > projection.Version;
        var isBuilding = liveModel is null || liveModel.Version < projection.Version || rebuild is not null;
        return new ProjectionStatus
        {
            Name = projection.Name,
            Version = projection.Version,
            Condition = signals switch
            {
                { IsStopped: true } => ProjectionCondition.Stopped,
                { HasBegun: false } => ProjectionCondition.Starting,
                _ when isSuperseded => ProjectionCondition.Superseded,
                _ when fault is not null => ProjectionCondition.Faulted,
                _ when isBuilding => ProjectionCondition.Rebuilding,
                _ => ProjectionCondition.Running,
            },
            Position = position,
            Head = Math.Max(head, position),
            IsLeader = signals.IsLeader,
            RebuildPosition = rebuild is null ? null : Covered(rebuild),
            Fault = fault,
            Problem = signals.Problem,
        };
    });

    private bool Write(ProjectionRequest request)
    {
        if (request.Kind == RequestKind.Skip && !Generations.Look(fileSystem, layout, generations => generations.Exists(each => FaultFile.Read(fileSystem, each)?.Position == request.Position)))
            throw new InvalidOperationException($"The projection {projection.Name} has not stopped at position {request.Position}; only the event it has stopped at can be skipped.");
        try
        {
            request.Write(host, layout);
            return true;
        }
        catch (FileSystemException e)
        {
            throw new StoreWriteException(e.Path, $"Nothing was asked of the projection {projection.Name}. {e.Message} Mend that and ask again.", e);
        }
    }

    private bool IsOpen(ProjectionRequest request)
    {
        if (!request.IsOpen(fileSystem, layout))
            return false;
        if (request.Kind == RequestKind.Rebuild && Generations.Look(fileSystem, layout, generations => FindFault(generations, request)) is { } fault)
            throw new ProjectionFaultedException(projection.Name, fault);
        return true;
    }

    private ProjectionFault? FindFault(List<Generation> generations, ProjectionRequest request) =>
        Generations.Newest(generations, GenerationKind.Rebuild) is { } rebuild && GenerationModel.Read(fileSystem, rebuild)?.Requests.Contains(request.Id) == true
            ? FaultFile.Read(fileSystem, rebuild)
            : null;

    private async ValueTask PollAsync(Task done, CancellationToken cancellationToken)
    {
        try
        {
            await done.WaitAsync(host.Options.PollInterval, host.Clock, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // Another process may have done it.
        }
    }

    // The disk is not waited for on a thread that has more to do than wait.
    private ValueTask<T> DoAsync<T>(Func<T> work, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromCanceled<T>(cancellationToken);
        if (host.Volume.IsNetwork || SynchronizationContext.Current is not null)
            return new ValueTask<T>(Task.Run(() => Do(work), cancellationToken));
        try
        {
            return new ValueTask<T>(Do(work));
        }
        catch (Exception e)
        {
            return ValueTask.FromException<T>(e);
        }
    }

    private T Do<T>(Func<T> work)
    {
        try
        {
            return work();
        }
        catch (FileSystemException e)
        {
            throw new StoreReadException(e.Path, $"The states of the projection {projection.Name} cannot be read. {e.Message} {(e.Error == FileError.InUse ? FileSystemException.InUseAdvice : "See whether the disk or the share can be reached.")} Read again.", e);
        }
    }
}
