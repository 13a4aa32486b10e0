using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Reading;

/// <summary>What callers in any process see of a reaction, which this process need not know.</summary>
internal sealed class ReactionReader(ReactionHost host, string name, FollowerSignals signals)
    : FollowerReader(host, "reaction", name, new ReactionLayout(host.Folder, name), signals, NewWork(host, name))
{
    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly ReactionLayout layout = new(host.Folder, name);

    /// <summary>The reactions of a store.</summary>
    /// <param name="host">The environment of those that this process does not run.</param>
    /// <param name="running">Returns the readers of those that it runs.</param>
    public static Opening<ReactionReader> Open(ReactionHost host, Func<IEnumerable<ReactionReader>> running) => new(host, "reaction", running,
        cancellationToken => NewWork(host, "of this store").DoAsync(
            () => List(host, name => LookAtLive(host, new ReactionLayout(host.Folder, name), static newest => newest is not null)),
            cancellationToken),
        name => new ReactionReader(host, name, new FollowerSignals { IsElsewhere = true }));

    /// <summary>How far the checkpoint of a reaction shows it.</summary>
    public static FollowerProgress ProgressOf(ReactionCheckpoint? checkpoint, string? problem) =>
        new(checkpoint?.At.Position ?? 0, FirstOpenOf(checkpoint), checkpoint?.Open.Count ?? 0,
            checkpoint?.Attempts.Count(static each => each.Charged > 0) ?? 0, PositionsOf(checkpoint), Halt: problem);

    public async Task<ReactionStatus> GetStatusAsync(CancellationToken cancellationToken)
    {
        var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var (isStarting, isLeader, problem) = (Signals.IsStarting, Signals.IsLeader, Signals.Problem);
        var known = await GetProgressAsync(cancellationToken).ConfigureAwait(false);
        return await Work.DoAsync(() => new ReactionStatus
        {
            Name = Name,
            Phase = isStarting ? FollowerPhase.Starting
                : known.Halt is not null ? FollowerPhase.Halted
                : Signals.IsElsewhere || Signals.IsStopped ? FollowerPhase.NotRunHere : FollowerPhase.Running,
            Position = known.Position,
            Head = Math.Max(head, known.Halt is null ? known.Position : 0),
            IsLeader = isLeader,
            Open = known.Open,
            Failing = known.Failing,
            Parked = known.Parked!,
            Skipped = LookOr([], () => ReactionLayout.Positions(fileSystem, layout.Skipped), ref problem),
            Scheduled = known.Scheduled ?? LookOr(0, () => DueFile.List(fileSystem, layout).Count, ref problem),
            OpenRequests = LookOr(0, CountRequests, ref problem),
            Halt = isStarting ? null : known.Halt,
            Problem = problem,
        }, cancellationToken).ConfigureAwait(false);
    }

    public Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(long after, int max, CancellationToken cancellationToken) => Work.DoAsync(
        () => (IReadOnlyList<ParkedEvent>)[.. Some(ParkedPositions(), after, max).Select(each => ParkedFile.Read(fileSystem, layout, each))],
        cancellationToken);

    public Task<IReadOnlyList<ParkedEvent>> ReadSkippedAsync(long after, int max, CancellationToken cancellationToken) => Work.DoAsync(
        () => (IReadOnlyList<ParkedEvent>)[.. Some(ReactionLayout.Positions(fileSystem, layout.Skipped), after, max)
            .Select(each => ParkedFile.ReadSkipped(fileSystem, layout, each))],
        cancellationToken);

    public Task<IReadOnlyList<ScheduledEvent>> ReadScheduledAsync(string? after, int max, CancellationToken cancellationToken) => Work.DoAsync(
        () => (IReadOnlyList<ScheduledEvent>)ReadScheduled(after, max, cancellationToken), cancellationToken);

    protected override async Task<bool> HasDoneAsync(long position, CancellationToken cancellationToken)
    {
        var known = await GetProgressAsync(cancellationToken).ConfigureAwait(false);
        // Before the files, which show that it continues once a request to do so was carried out.
        if (known.Halt is not null && !await Work.DoAsync(IsAsked, cancellationToken).ConfigureAwait(false))
            ThrowIfHalted(await ReadProgressAsync(cancellationToken).ConfigureAwait(false), "handles nothing");
        return known.HasDone(position);
    }

    protected override async Task CheckAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        if (request.Kind == RequestKind.HandleAgain)
        {
            ThrowIfOutside(after: request.Position - 1, await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false));
            return;
        }
        var stored = await ReadProgressAsync(cancellationToken).ConfigureAwait(false);
        ThrowIfHalted(stored, "retries and skips nothing");
        if (!stored.Parked!.Contains(request.Position))
        {
            throw new InvalidOperationException($"The reaction {Name} has not parked the event at position {request.Position}; only parked events "
                + "can be retried or skipped on request.");
        }
    }

    // The leader stops its handlers before it begins at another position.
    protected override bool StopsHandlers(LeaderRequest request) => request.Kind == RequestKind.HandleAgain;

    // The parameter has the name of the caller's.
    private void ThrowIfOutside(long after, long head)
    {
        if (after < 0 || after > head)
        {
            throw new ArgumentOutOfRangeException(nameof(after), after,
                $"The position after which the reaction {Name} continues must lie between 0 and {head}, the store's head.");
        }
    }

    private void ThrowIfHalted(FollowerProgress progress, string consequence)
    {
        if (progress.Halt is { } halt)
        {
            throw new InvalidOperationException($"The reaction {Name} is halted, so that it {consequence}. {halt} Say after which position it "
                + "continues: opossum reactions again, or HandleAgainAsync.");
        }
    }

    // Another process leads, or nobody yet: what is known is in the files.
    private async Task<FollowerProgress> GetProgressAsync(CancellationToken cancellationToken) =>
        Signals.Progress ?? await ReadProgressAsync(cancellationToken).ConfigureAwait(false);

    private async Task<FollowerProgress> ReadProgressAsync(CancellationToken cancellationToken)
    {
        var (checkpoint, problem) = await Work.DoAsync(ReadCheckpoint, cancellationToken).ConfigureAwait(false);
        if (checkpoint is not null && !await StoreEvents.HasAsync(host, checkpoint.At, cancellationToken).ConfigureAwait(false))
            problem = "Its checkpoint does not fit the store: the store was restored from a backup, repaired, or is another one.";
        return ProgressOf(checkpoint, problem);
    }

    private static FileWork NewWork(ReactionHost host, string name) => new(host, $"The files of the reaction {name}",
        "Move it away.", static e => new StoreIOException(e.Path, $"{e.Message}.", e));

    // Events are appended meanwhile, and their files deleted: the others fill the page.
    private List<ScheduledEvent> ReadScheduled(string? after, int max, CancellationToken cancellationToken)
    {
        var found = new List<ScheduledEvent>();
        var files = DueFile.List(fileSystem, layout).Where(each => string.CompareOrdinal(each, after) > 0);
        foreach (var file in files.Order(StringComparer.Ordinal))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (DueFile.Describe(fileSystem, layout, file) is { } scheduled)
                found.Add(scheduled);
            if (found.Count == max)
                break;
        }
        return found;
    }

    private static IEnumerable<long> Some(List<long> positions, long after, int max) => positions.Where(each => each > after).Take(max);

    private List<long> ParkedPositions() => PositionsOf(ReadCheckpoint().Checkpoint);

    private static List<long> PositionsOf(ReactionCheckpoint? checkpoint) =>
        checkpoint is null ? [] : [.. checkpoint.Parked.Select(static each => each.Position).Order()];

    // Events behind one that is no longer parked are given out by the leader's next step.
    private static long? FirstOpenOf(ReactionCheckpoint? checkpoint) => checkpoint is null ? null
        : checkpoint.Open.Select(static range => (long?)range.From)
            .Concat(checkpoint.Behind.Where(each => !checkpoint.Parked.Any(parked => each.Of.Contains(parked.Position)))
                .Select(static each => (long?)each.After + 1))
            .Min();

    private bool IsAsked() => LeaderRequest.List(fileSystem, layout).Count > 0;

    private (ReactionCheckpoint? Checkpoint, string? Problem) ReadCheckpoint() => LookAtLive(host, layout, newest =>
    {
        if (newest is not { } number)
            return (null, null);
        var checkpoint = CheckpointFiles.Read(fileSystem, layout.Folder(ReactionLayout.Live, number), out var problem);
        return (checkpoint, checkpoint is null ? $"Its checkpoint cannot be read: {problem}." : null);
    });

    // A leader that takes over renames the folder, and a listing may have neither of its names.
    private static T LookAtLive<T>(ReactionHost host, ReactionLayout layout, Func<long?, T> look) => PatientLook.Look(host.FileSystem, () =>
    {
        var live = layout.List(host.FileSystem, ReactionLayout.Live);
        var seen = look(live is [.., var newest] ? newest : null);
        return layout.List(host.FileSystem, ReactionLayout.Live).SequenceEqual(live) ? seen : throw PatientLook.Gone(layout.Root);
    });
}
