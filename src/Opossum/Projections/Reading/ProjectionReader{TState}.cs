using System.Runtime.CompilerServices;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;
using Opossum.Serialization;

namespace Opossum.Projections.Reading;

/// <summary>Reads the states of the live generation, in any process, and detects when that generation is moved or replaced.</summary>
internal sealed class ProjectionReader<TState>(ProjectionHost host, Projection<TState> projection, ProjectionLayout layout, FollowerSignals signals)
    : ProjectionReader(host, projection.Name, layout, signals), IProjectionStore<TState>
    where TState : class
{
    private const int StatesAtOnce = 256;

    // The time for which a mount of a share may show this machine outdated contents, by default (nfs(5), acregmax).
    private static readonly TimeSpan longestCache = TimeSpan.FromMinutes(1);

    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly StateFiles<TState> files = new(host.FileSystem, projection, host.Sealer);
    private volatile LiveGeneration? known;

    public Task<TState?> GetAsync(string key, CancellationToken cancellationToken = default)
    {
        KeyFileName.Check(key);
        return Work.DoAsync(() => Read(key)?.State, cancellationToken);
    }

    public Task<IReadOnlyDictionary<string, TState>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        var wanted = keys.Distinct(StringComparer.Ordinal).ToArray();
        Array.ForEach(wanted, KeyFileName.Check);
        return Work.DoAsync<IReadOnlyDictionary<string, TState>>(
            () =>
                ReadMany(wanted).Where(static each => each?.State is not null).ToDictionary(static each => each!.Key, static each => each!.State!,
                    StringComparer.Ordinal), cancellationToken);
    }

    public IAsyncEnumerable<ProjectionEntry<TState>> ReadAllAsync(CancellationToken cancellationToken = default) => ScanAsync([], cancellationToken);

    public IAsyncEnumerable<ProjectionEntry<TState>> FindAsync(IEnumerable<Tag> tags, CancellationToken cancellationToken = default)
    {
        var wanted = Check(tags);
        if (!projection.HasTags)
        {
            throw new InvalidOperationException($"The states of the projection {projection.Name} have no tags; call TagBy in its constructor, and "
                + "raise its version.");
        }

        return FindAsync(wanted, cancellationToken);
    }

    /// <summary>The tags to find states by, each once.</summary>
    /// <exception cref="ArgumentException">There is no tag, or a tag is <c>default(Tag)</c> or a pseudonym.</exception>
    public static Tag[] Check(IEnumerable<Tag> tags)
    {
        ArgumentNullException.ThrowIfNull(tags);
        var wanted = Projection<TState>.Checked(tags);
        return wanted.Length > 0 ? wanted
            : throw new ArgumentException("There is no tag to find states by; read all states with ReadAllAsync.", nameof(tags));
    }

    public override async Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default)
    {
        var head = await Host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        while (true)
        {
            // Order matters: before the files. Those that are read while a term begins do not show what it finds.
            var isStarting = Signals.IsStarting;
            var live = await JudgeLiveAsync(cancellationToken).ConfigureAwait(false);
            if (await Work.DoAsync(() => ReadStatus(head, live, isStarting), cancellationToken).ConfigureAwait(false) is { } status)
                return status;
            // Another generation has replaced it since.
            known = null;
        }
    }

    protected override async Task<bool> HasDoneAsync(long position, CancellationToken cancellationToken)
    {
        var live = await JudgeLiveAsync(cancellationToken).ConfigureAwait(false);
        if (live.Covered >= position)
            return true;
        // The files may have a stop of the leader before: the event is tried again.
        if (Signals is { IsStarting: true } or { Progress: { Halt: null } })
            return false;
        if (await Work.DoAsync(() => FindFault(live, position), cancellationToken).ConfigureAwait(false) is { } fault)
            throw new ProjectionException(projection.Name, fault);
        return false;
    }

    protected override async Task<bool> HasStoppedAtAsync(long position, CancellationToken cancellationToken)
    {
        var judged = await JudgeLiveAsync(cancellationToken).ConfigureAwait(false);
        return await Work.DoAsync(() => Generations.Look(fileSystem, Layout, generations =>
        {
            var live = Generations.Newest(generations, GenerationKind.Live);
            var rebuild = Generations.Newest(generations, GenerationKind.Rebuild);
            return FindLiveFault(live, live is null ? null : GenerationModel.Read(fileSystem, live), rebuild, judged)?.Position == position
                || (rebuild is not null && FaultFile.Read(fileSystem, rebuild)?.Position == position);
        }), cancellationToken).ConfigureAwait(false);
    }

    private async IAsyncEnumerable<ProjectionEntry<TState>> FindAsync(Tag[] tags, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var (index, tag, candidates, covered) = await Work.DoAsync(() => FindCandidates(tags), cancellationToken).ConfigureAwait(false);
        if (index is null)
        {
            await foreach (var state in ScanAsync(tags, cancellationToken).ConfigureAwait(false))
                yield return state;
            yield break;
        }
        foreach (var some in candidates.Chunk(StatesAtOnce))
        {
            var states = await Work.DoAsync(() => ReadMany([.. some.Select(static each => each.Key)]), cancellationToken).ConfigureAwait(false);
            for (var at = 0; at < some.Length; at++)
            {
                if (states[at]?.Entry is { } entry && Array.TrueForAll(tags, each => entry.Tags.Contains(each)))
                {
                    yield return entry;
                }
                else if (states[at]?.Tags.Contains(tag) != true)
                {
                    index.Forget(tag, some[at].Key, states[at]?.Position ?? covered);
                }
            }
        }
    }

    private async IAsyncEnumerable<ProjectionEntry<TState>> ScanAsync(Tag[] tags, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        for (var bucket = 0; bucket < ProjectionLayout.Buckets; bucket++)
        {
            var number = bucket;
            foreach (var state in await Work.DoAsync(() => ReadBucket(number), cancellationToken).ConfigureAwait(false))
            {
                if (Array.TrueForAll(tags, each => state.Tags.Contains(each)))
                    yield return state.Entry!;
            }
        }
    }

    // A null index means that all states must be scanned: there are no states, or the log is incomplete.
    private (TagIndex? Index, Tag Tag, KeyValuePair<string, long>[] Keys, long Covered) FindCandidates(Tag[] tags) => OfLive(live =>
    {
        var patience = PatientLook.WhileTorn(fileSystem);
        while (true)
        {
            // Before the states: up to this checkpoint, a missing state proves that its tags are outdated.
            var checkpoint = ReadCheckpoint(live.Generation);
            if (checkpoint?.Tags is not { } segments)
                return (null, default, [], 0);
            var found = live.Tags.Follow(live.Generation, segments);
            switch (found?.Gap)
            {
                case null:
                    var (tag, keys) = live.Tags.Find(tags);
                    return ((TagIndex?)live.Tags, tag, keys, checkpoint.Last.Position);
                case TagLogGap.Torn when patience.TryPause():
                    continue;
                case TagLogGap.Missing or TagLogGap.Damage:
                    ThrowIfMoved(live);
                    // A new leader merges segments, and then writes its own checkpoint without the merged ones.
                    if (ReadCheckpoint(live.Generation)?.Tags?.SequenceEqual(segments) != true && patience.TryPause())
                        continue;
                    NoteDamagedTags(live, found.Value.Path);
                    break;
            }
            return (null, default, [], 0);
        }
    }, (null, default, [], 0));

    private void NoteDamagedTags(LiveGeneration live, string path)
    {
        if (live.NoteDamagedTags(Host.Clock.GetTimestamp()))
        {
            ProjectionLog.Damaged(Host.Logger, projection.Name, path,
                "is incomplete. Until the states are rebuilt, finding states by tag reads all states.");
        }

        if (!Host.CanWrite || (Host.Volume.ViewMayBeStale && Host.Clock.GetElapsedTime(live.DamagedTagsSince) < longestCache))
            return;
        // All processes that find the damage write the same request.
        var request = new LeaderRequest(live.Model.Id, RequestKind.Rebuild);
        if (fileSystem.GetKind(Layout.RequestFile(request.Id)) == EntryKind.Missing)
            request.Write(Host, Layout);
        Signals.Request();
    }

    private StoredState<TState>? Read(string key) => OfLive(live => files.Read(live.Generation, key), null);

    private StoredState<TState>?[] ReadMany(string[] keys)
    {
        var found = new StoredState<TState>?[keys.Length];
        if (Host.Volume.TakesRoundTrips && keys.Length > 0)
        {
            fileSystem.ForEach(keys.Length, at => found[at] = Read(keys[at]));
            return found;
        }
        for (var at = 0; at < keys.Length; at++)
            found[at] = Read(keys[at]);
        return found;
    }

    private List<StoredState<TState>> ReadBucket(int bucket) => OfLive(live =>
    {
        var states = new List<StoredState<TState>>();
        if (fileSystem.GetKind(live.Generation.Bucket(bucket)) != EntryKind.Folder)
            return null;
        foreach (var name in files.List(live.Generation, bucket))
        {
            var stored = files.ReadNamed(live.Generation, bucket, name);
            if (stored is null)
                ThrowIfMoved(live);
            else if (stored.State is not null)
                states.Add(stored);
        }
        return states;
    }, null) ?? [];

    // Null from the look may mean that the generation was moved; the look is then repeated.
    private T OfLive<T>(Func<LiveGeneration, T> look, T none) => PatientLook.Look(fileSystem, () =>
    {
        if (FindLive() is not { } live)
            return none;
        try
        {
            var result = look(live);
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

    private LiveGeneration? FindLive() => known ??= Generations.LookOnce(fileSystem, Layout, FindLive) is { } found
        ? new LiveGeneration(found.Live, found.Model ?? throw new DamagedFileException(found.Live.ModelFile, "is missing"), new TagIndex(Host))
        : null;

    private (Generation Live, GenerationModel? Model)? FindLive(List<Generation> generations)
    {
        if (Generations.Newest(generations, GenerationKind.Live) is not { } live)
            return null;
        Generations.ThrowIfLink(fileSystem, Host.Folder, Layout, live);
        return (live, GenerationModel.Read(fileSystem, live));
    }

    private Checkpoint? ReadCheckpoint(Generation generation) => Checkpoint.ReadNewest(fileSystem, generation, fileSystem.List(generation.Folder));

    private async Task<LiveJudgement> JudgeLiveAsync(CancellationToken cancellationToken)
    {
        var (live, progress) =
            await Work.DoAsync(() => OfLive(live => (live, Progress.Read(fileSystem, live.Generation)), ((LiveGeneration?)null, null)),
                cancellationToken).ConfigureAwait(false);
        if (live is null)
            return default;
        live.Fits = live.Fits || (progress is not null && await progress.FitsAsync(Host, cancellationToken).ConfigureAwait(false));
        return new LiveJudgement(live.Model.Id, live.Fits, live.Fits ? progress?.Checkpoint.Last.Position ?? 0 : 0);
    }

    // The fault that prevents a position from being covered.
    private ProjectionFault? FindFault(LiveJudgement judged, long position) => Generations.Look(fileSystem, Layout, generations =>
    {
        var rebuild = Generations.Newest(generations, GenerationKind.Rebuild);
        if (Generations.Newest(generations, GenerationKind.Live) is { } live
            && IsFollowed(GenerationModel.Read(fileSystem, live), rebuild, judged))
        {
            return FaultFile.Read(fileSystem, live) is { } fault && fault.Position <= position ? fault : null;
        }
        // Their replacement is read only once it is complete, so any fault in it, at any position, prevents that.
        return rebuild is null ? null : FaultFile.Read(fileSystem, rebuild);
    });

    // Null also where a former version has stopped: that says nothing of the version that replaces its states.
    private ProjectionFault? FindLiveFault(Generation? live, GenerationModel? model, Generation? rebuild, LiveJudgement judged) =>
        live is not null && IsFollowed(model, rebuild, judged) ? FaultFile.Read(fileSystem, live) : null;

    // False: no process keeps the live states up to date; they are read until others replace them.
    private bool IsFollowed(GenerationModel? live, Generation? rebuild, LiveJudgement judged) => live is not null
        && judged.Fits && live.Id == judged.Id && !(live.Version < KnownVersion)
        && (rebuild is null || !(GenerationModel.Read(fileSystem, rebuild)?.Version > live.Version));

    // Null: the live generation is no longer the one that was judged.
    private ProjectionStatus? ReadStatus(long head, LiveJudgement judged, bool isStarting) => Generations.Look(fileSystem, Layout, generations =>
    {
        var live = Generations.Newest(generations, GenerationKind.Live);
        var rebuild = Generations.Newest(generations, GenerationKind.Rebuild);
        var liveModel = live is null ? null : GenerationModel.Read(fileSystem, live);
        if (liveModel?.Id != judged.Id)
            return null;
        var fault = FindLiveFault(live, liveModel, rebuild, judged) ?? (rebuild is null ? null : FaultFile.Read(fileSystem, rebuild));
        var version = KnownVersion ?? liveModel?.Version ?? (rebuild is null ? null : GenerationModel.Read(fileSystem, rebuild)?.Version) ?? 0;
        var problem = Signals.Problem;
        var isBuilding = liveModel is null || !judged.Fits || liveModel.Version < KnownVersion || rebuild is not null;
        return new ProjectionStatus
        {
            Name = projection.Name,
            Version = version,
            Phase = Signals switch
            {
                { IsStopped: true } => FollowerPhase.NotRunHere,
                _ when isStarting => FollowerPhase.Starting,
                _ when liveModel?.Version > KnownVersion => FollowerPhase.Superseded,
                _ when fault is not null => FollowerPhase.Halted,
                _ when isBuilding => FollowerPhase.Rebuilding,
                { IsElsewhere: true } => FollowerPhase.NotRunHere,
                _ => FollowerPhase.Running,
            },
            Position = judged.Covered,
            Head = Math.Max(head, judged.Covered),
            IsLeader = Signals.IsLeader,
            RebuildPosition = rebuild is null ? null : ReadCheckpoint(rebuild)?.Last.Position ?? 0,
            Fault = fault,
            Skipped = LookOr([], () => SkippedBy(version), ref problem),
            OpenRequests = LookOr(0, CountRequests, ref problem),
            Problem = problem,
        };
    });

    // Null: this process knows only the projection's name.
    private int? KnownVersion => projection is StoredStates ? null : projection.Version;
}
