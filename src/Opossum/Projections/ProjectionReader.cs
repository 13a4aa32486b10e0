using System.Runtime.CompilerServices;
using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>Reads the states of the generation that is live, in any process, and notices when it is moved or another takes its place.</summary>
internal sealed class ProjectionReader<TState>(ProjectionHost host, Projection<TState> projection, ProjectionLayout layout, ProjectionSignals signals) : IProjectionStore<TState>
    where TState : class
{
    private const int StatesAtOnce = 256;
    private const int TriesMax = 1_000;

    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(1);

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
            if (files.ReadFile(Path.Combine(folder, name)) is not { } stored)
                ThrowIfMoved(live);
            else if (stored.State is not null)
                states.Add(stored);
        }
        return states;
    }, null) ?? [];

    // Null from the work may mean that the generation is not where it was: then it is done again.
    private T OfLive<T>(Func<LiveGeneration, T> work, T none)
    {
        for (var tries = 1; ; tries++)
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
            catch (FileSystemException e) when (e.Error == FileError.NotFound && tries < TriesMax)
            {
                if (fileSystem.GetKind(live.Generation.Folder) == EntryKind.Folder)
                    throw;
                known = null;
                if (tries > 1)
                    fileSystem.Pause(pause);
            }
        }
    }

    private void ThrowIfMoved(LiveGeneration live)
    {
        if (fileSystem.GetKind(live.Generation.Folder) != EntryKind.Folder)
            throw new FileSystemException(FileError.NotFound, "read", live.Generation.Folder, "it was moved");
    }

    private LiveGeneration? FindLive()
    {
        if (known is { } found)
            return found;
        var live = Generations.Newest(Generations.List(fileSystem, layout), GenerationKind.Live);
        if (live is null || GenerationModel.Read(fileSystem, live) is not { } model)
            return null;
        return known = new LiveGeneration(live, model, new TagIndex(fileSystem));
    }

    private long Covered(Generation generation) => Checkpoint.ReadNewest(fileSystem, generation, fileSystem.List(generation.Folder))?.Position ?? 0;

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
        request.Write(host, layout);
        return true;
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
            return new ValueTask<T>(Task.Run(work, cancellationToken));
        try
        {
            return new ValueTask<T>(work());
        }
        catch (Exception e)
        {
            return ValueTask.FromException<T>(e);
        }
    }
}
