using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.Building;
using Opossum.Projections.States;

namespace Opossum.Projections.Updating;

/// <summary>
/// One process's term as the leader of a projection: it keeps the live generation up to date, builds another generation if needed, and replaces the
/// live generation with it.
/// </summary>
/// <remarks>Used by one thread at a time, except for <see cref="Rebuild"/>, which another thread may step until it is caught up or stops.</remarks>
internal sealed class ProjectionTerm<TState> : IFollowerTerm
    where TState : class
{
    // While a backlog is processed, states are written at this interval, so that a crash does not lose all of the work.
    private static readonly TimeSpan catchUpWriteInterval = TimeSpan.FromSeconds(5);

    private readonly ProjectionHost host;
    private readonly Projection<TState> projection;
    private readonly ProjectionLayout layout;
    private readonly Leadership leadership;
    private readonly Skips skips;
    private readonly IFileSystem fileSystem;
    private readonly OpenRequests requests;
    private readonly OldGenerations old;

    // Set even if the generation is not kept up to date, because it has a former version or was built on other events.
    private Generation? liveGeneration;

    private ProjectionTerm(ProjectionHost host, Projection<TState> projection, ProjectionLayout layout, Leadership leadership)
    {
        this.host = host;
        this.projection = projection;
        this.layout = layout;
        this.leadership = leadership;
        fileSystem = host.FileSystem;
        requests = new OpenRequests(host, layout,
            (path, problem) => ProjectionLog.Damaged(host.Logger, projection.Name, path, problem),
            e => host.LogTrouble(projection.Name, e));
        skips = new Skips(fileSystem, layout, projection.Version, e => host.LogFile(projection.Name, e));
        old = new OldGenerations(fileSystem, layout);
    }

    /// <summary>The builder of the live generation; null when there is no generation yet of this version and these events.</summary>
    public GenerationBuilder<TState>? Live { get; private set; }

    /// <summary>The builder of the generation that is being built; null when there is none.</summary>
    public GenerationBuilder<TState>? Rebuild { get; private set; }

    public bool IsOver => false;

    public FollowerProblem? Problem => requests.Problem;

    public long? WakesAfter => Live is { Fault: null, IsCaughtUp: true, HasUnwritten: false } live ? live.Covered : null;

    /// <summary>Takes the lead; null if another process has it, or if the projection's version in this process is a former one.</summary>
    public static ValueTask<ProjectionTerm<TState>?> TryBeginAsync(ProjectionHost host, Projection<TState> projection, ProjectionLayout layout,
        CancellationToken cancellationToken) => Leadership.BeginAsync(host, layout, async leadership =>
    {
        var term = new ProjectionTerm<TState>(host, projection, layout, leadership);
        return await term.TryTakeOverAsync(cancellationToken).ConfigureAwait(false) ? term : null;
    });

    /// <summary>One step of the live generation: applies events, and writes when it is time.</summary>
    /// <param name="wanted">The position that a caller waits for; the states that cover it are written at once.</param>
    /// <param name="cancellationToken">Cancels the step between two events.</param>
    /// <returns>The time until the next step, unless something happens before.</returns>
    public async ValueTask<TimeSpan> FollowAsync(long wanted, CancellationToken cancellationToken)
    {
        if (Live is not { Fault: null } live)
            return Timeout.InfiniteTimeSpan;
        await live.StepAsync(cancellationToken).ConfigureAwait(false);
        var isWanted = wanted > live.Written && (live.IsCaughtUp || wanted <= live.Covered);
        if (live.HasUnwritten && (isWanted || TimeToWrite(live) == TimeSpan.Zero))
            await live.WriteAsync(cancellationToken).ConfigureAwait(false);
        if (live.PauseLeft is var pause && pause > TimeSpan.Zero)
            return pause;
        if (!live.IsCaughtUp)
            return live.Fault is null ? TimeSpan.Zero : Timeout.InfiniteTimeSpan;
        return live.HasUnwritten ? TimeToWrite(live) : Timeout.InfiniteTimeSpan;
    }

    /// <summary>One step of the generation that is being built.</summary>
    public async ValueTask BuildAsync(GenerationBuilder<TState> rebuild, CancellationToken cancellationToken)
    {
        await rebuild.StepAsync(cancellationToken).ConfigureAwait(false);
        if (rebuild.HasUnwritten && (rebuild.IsCaughtUp || (rebuild.SinceWrite ?? rebuild.SinceBegin) >= catchUpWriteInterval))
            await rebuild.WriteAsync(cancellationToken).ConfigureAwait(false);
        host.Options.RebuildProgress?.Report(new StoreProgress
        {
            Operation = StoreOperation.ProjectionRebuild,
            Done = rebuild.Covered,
            Total = rebuild.Head,
            Projection = projection.Name,
        });
    }

    /// <summary>Replaces the live generation with the built one, once it is not behind the live one.</summary>
    /// <param name="tell">Lets callers in this process know how far the term is, before the requests are done.</param>
    /// <param name="cancellationToken">Cancels the build of the last events.</param>
    // Invariant: once there are live states, readers find whole ones at each moment, and their position never goes
    // back. So the built one gets its live name, durably, before the former one is retired, and the requests are closed
    // last: after a crash, the next leader finds them in the model of the live generation.
    public async ValueTask TrySwapAsync(Action tell, CancellationToken cancellationToken)
    {
        if (Rebuild is not { Fault: null, IsCaughtUp: true } rebuild)
            return;
        await BuildAsync(rebuild, cancellationToken).ConfigureAwait(false);
        if (!rebuild.IsCaughtUp || rebuild.HasUnwritten || rebuild.Fault is not null || rebuild.Written < (Live?.Written ?? 0))
            return;
        leadership.ThrowIfLost();
        var former = liveGeneration;
        Rename(rebuild, GenerationKind.Live);
        Live = rebuild;
        liveGeneration = rebuild.Generation;
        Rebuild = null;
        if (former is not null)
            old.Add(former);
        tell();
        foreach (var request in rebuild.Model.Requests)
            requests.Close(request, leadership.ThrowIfLost);
        ProjectionLog.Rebuilt(host.Logger, projection.Name, projection.Version, rebuild.Written);
    }

    /// <summary>Carries out the open requests.</summary>
    public void HandleRequests()
    {
        var rebuilds = new List<Guid>();
        var open = requests.Read();
        // The requests may belong to another leader by now.
        if (open.Count > 0)
            leadership.ThrowIfLost();
        foreach (var request in open)
        {
            switch (request.Kind)
            {
                // A former leader ended after the states were replaced.
                case RequestKind.Rebuild when Live?.Model.Requests.Contains(request.Id) == true:
                    requests.Close(request.Id, leadership.ThrowIfLost);
                    break;
                case RequestKind.Rebuild:
                    rebuilds.Add(request.Id);
                    break;
                case RequestKind.Retry:
                    Resume(static _ => true);
                    requests.Close(request.Id, leadership.ThrowIfLost);
                    break;
                case RequestKind.Skip:
                    if (TrySkip(request))
                        requests.Close(request.Id, leadership.ThrowIfLost);
                    break;
            }
        }
        if (rebuilds.Count > ProjectionLayout.RequestsMax)
            rebuilds.RemoveRange(ProjectionLayout.RequestsMax, rebuilds.Count - ProjectionLayout.RequestsMax);
        // A running rebuild completes first, unless it has stopped; the next rebuild starts after it.
        if (rebuilds.Count > 0 && (Rebuild is null || (Rebuild.Fault is not null && !rebuilds.TrueForAll(Rebuild.Model.Requests.Contains))))
            BeginRebuild(rebuilds);
    }

    /// <summary>Deletes some files that are no longer needed; false when there are none.</summary>
    public bool CleanUp() => old.RemoveSome();

    public async ValueTask StopAsync()
    {
        if (Live is { HasUnwritten: true } live)
            await live.WriteAsync(CancellationToken.None).ConfigureAwait(false);
        if (Rebuild is { HasUnwritten: true } rebuild)
            await rebuild.WriteAsync(CancellationToken.None).ConfigureAwait(false);
    }

    public void ThrowIfLost() => leadership.ThrowIfLost();

    public string? FindGone() =>
        Array.Find([liveGeneration?.Folder, Rebuild?.Generation.Folder], folder => folder is not null
            && fileSystem.GetKind(folder) == EntryKind.Missing);

    public ValueTask DisposeAsync()
    {
        leadership.Dispose();
        return ValueTask.CompletedTask;
    }

    private TimeSpan TimeToWrite(GenerationBuilder<TState> live)
    {
        var interval = live.IsCaughtUp ? host.Options.WriteInterval : catchUpWriteInterval;
        return live.SinceWrite is { } since && since < interval ? interval - since : TimeSpan.Zero;
    }

    // False: the live generation has a higher version.
    private async ValueTask<bool> TryTakeOverAsync(CancellationToken cancellationToken)
    {
        var found = Generations.List(fileSystem, layout);
        foreach (var each in found.Where(static each => each.Kind != GenerationKind.Old))
        {
            fileSystem.ThrowIfLink(each.Folder);
            fileSystem.ThrowIfLink(each.States);
        }
        // Between taking the lock and writing its text this process may have halted and lost the lock to others that took the same numbers.
        if (found.Exists(each => each.Number >= leadership.Term))
            throw new LeadershipLostException("Another process took the lead at the same time.");
        var live = Generations.Newest(found, GenerationKind.Live);
        var model = live is null ? null : ReadModel(live);
        if (model is not null && (model.Version > projection.Version || model.Format > ProjectionLayout.Format))
            return false;
        foreach (var each in found)
        {
            if (each.Kind == GenerationKind.Live && (each != live || model is null))
                old.Add(each);
        }
        // Order matters: before the move, a former leader could still write states that were already read here.
        if (live is not null && model is not null)
            await TakeOverLiveAsync(live, model, cancellationToken).ConfigureAwait(false);
        await TakeOverRebuildAsync(found, cancellationToken).ConfigureAwait(false);
        // The states of a name have been rows before.
        fileSystem.Delete(layout.RowFile);
        fileSystem.FlushFolder(layout.Root);
        if (Rebuild is null && Live is not { HasLostTags: false })
            BeginRebuild([]);
        ProjectionLog.Leads(host.Logger, projection.Name, projection.Version, Live?.Written ?? 0);
        return true;
    }

    private async ValueTask TakeOverLiveAsync(Generation live, GenerationModel model, CancellationToken cancellationToken)
    {
        liveGeneration = Move(live, GenerationKind.Live);
        if (model.Version != projection.Version)
        {
            ProjectionLog.VersionChanged(host.Logger, projection.Name, model.Version, projection.Version);
            return;
        }
        Live = await TryContinueAsync(liveGeneration, model, cancellationToken).ConfigureAwait(false);
        if (Live is null)
            ProjectionLog.DoesNotFit(host.Logger, projection.Name, liveGeneration.Folder);
    }

    private async ValueTask TakeOverRebuildAsync(List<Generation> found, CancellationToken cancellationToken)
    {
        foreach (var each in found.Where(static each => each.Kind == GenerationKind.Rebuild).OrderByDescending(static each => each.Number))
        {
            var model = ReadModel(each);
            // Also one of a higher version is retired: while this process leads, nothing continues it, and it may have
            // what is redacted meanwhile.
            if (Rebuild is null && model?.Version == projection.Version && model.Format <= ProjectionLayout.Format)
            {
                var moved = Move(each, GenerationKind.Rebuild);
                Rebuild = await TryContinueAsync(moved, model, cancellationToken).ConfigureAwait(false);
                if (Rebuild is null)
                    old.Add(moved);
            }
            else
            {
                old.Add(each);
            }
        }
    }

    // Null: the generation has no valid checkpoint, or it is unknown what its states are built on, or they are built on other events.
    private async ValueTask<GenerationBuilder<TState>?> TryContinueAsync(Generation generation, GenerationModel model,
        CancellationToken cancellationToken)
    {
        var read = host.ReadOrLog(projection.Name, () => Progress.Read(fileSystem, generation));
        if (read is not { } progress || !await progress.FitsAsync(host, cancellationToken).ConfigureAwait(false))
            return null;
        // A leader that was killed may have renamed this file without flushing it.
        CheckedFile.Flush(fileSystem, generation.ModelFile);
        return new GenerationBuilder<TState>(host, projection, leadership, skips, generation, model, progress.Checkpoint, cancellationToken);
    }

    // A missing folder of states was deleted. A checkpoint alone would have every event before it missing in the states that are written next.
    private GenerationModel? ReadModel(Generation generation) => host.ReadOrLog(projection.Name,
        () => fileSystem.GetKind(generation.States) == EntryKind.Missing
            ? throw new DamagedFileException(generation.States, "is missing; the states are rebuilt")
            : GenerationModel.Read(fileSystem, generation));

    private void BeginRebuild(IReadOnlyList<Guid> requests)
    {
        leadership.ThrowIfLost();
        if (Rebuild is { } stopped)
        {
            Rebuild = null;
            old.Add(stopped.Generation);
        }
        var generation = layout.Generation(GenerationKind.Rebuild, leadership.TakeNumber());
        fileSystem.CreateFolderDurably(generation.Folder);
        var model = new GenerationModel(ProjectionLayout.Format, projection.Version, Guid.NewGuid(), requests);
        Rebuild = new GenerationBuilder<TState>(host, projection, leadership, skips, generation, model, checkpoint: null, CancellationToken.None);
        // Last, because this file makes the folder a generation that can be continued.
        model.Write(fileSystem, generation, projection.Name, host.Clock.GetUtcNow());
        ProjectionLog.Rebuilding(host.Logger, projection.Name, projection.Version);
    }

    // False: the request stays open. A leader that has just begun, or was told to retry, tries the event again before it stops there.
    private bool TrySkip(LeaderRequest request)
    {
        GenerationBuilder<TState>?[] builders = [Live, Rebuild];
        if (Array.Find(builders, each => each?.Fault?.Position == request.Position) is not { Fault: { } fault } stopped)
            return HasPassed(Live, request.Position) && HasPassed(Rebuild, request.Position);
        // Forgetting a person takes the person's texts out of the file, and not out of memory.
        var skipped = fault with { Error = stopped.ReadFault()?.Error ?? "" };
        skips.Add(host, request, skipped);
        ProjectionLog.Skipped(host.Logger, projection.Name, skipped.Position, skipped.EventType, request.Reason);
        Resume(each => each.Position == request.Position);
        return true;
    }

    // Whether a generation will not stop at the position any more: it has applied it, or there is no such event.
    private static bool HasPassed(GenerationBuilder<TState>? builder, long position) =>
        builder is null || builder.Covered >= position || builder is { Fault: null, IsCaughtUp: true };

    private void Resume(Predicate<ProjectionFault> isMeant)
    {
        if (Live?.Fault is { } live && isMeant(live))
            Live.Retry();
        if (Rebuild?.Fault is { } rebuild && isMeant(rebuild))
            Rebuild.Retry();
    }

    private Generation Move(Generation from, GenerationKind kind)
    {
        var to = layout.Generation(kind, leadership.TakeNumber());
        fileSystem.MoveFolder(from.Folder, to.Folder);
        return to;
    }

    private void Rename(GenerationBuilder<TState> builder, GenerationKind kind)
    {
        builder.MoveTo(Move(builder.Generation, kind));
        builder.FlushName();
    }
}
