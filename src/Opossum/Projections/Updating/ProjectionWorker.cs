using Opossum.Diagnostics;
using Opossum.Following;
using Opossum.Projections.Building;
using Opossum.Projections.Reading;
using Opossum.Projections.States;

namespace Opossum.Projections.Updating;

/// <summary>Keeps a projection up to date in the background whenever this process leads it.</summary>
internal sealed class ProjectionWorker<TState> : Follower<ProjectionTerm<TState>>
    where TState : class
{
    private readonly ProjectionHost host;
    private readonly Projection<TState> projection;
    private readonly ProjectionLayout layout;
    private readonly PausedWork rebuilding;
    private Task building = Task.CompletedTask;
    private CancellationTokenSource? stopBuilding;
    private bool wasSuperseded;

    public ProjectionWorker(ProjectionHost host, Projection<TState> projection)
        : base(host, "projection", projection.Name, new ProjectionLayout(host.Folder, projection.Name))
    {
        (this.host, this.projection, layout) = (host, projection, (ProjectionLayout)Folder);
        rebuilding = new PausedWork(host);
        Reader = new ProjectionReader<TState>(host, projection, layout, Signals);
        Signals.HasBegun = !host.CanWrite;
    }

    public override FollowerReader Reader { get; }

    public override async Task RunAsync(CancellationToken cancellationToken)
    {
        using var scope = HandlerScope.Enter(host, $"the projection {projection.Name}");
        await base.RunAsync(cancellationToken).ConfigureAwait(false);
    }

    protected override async ValueTask<ProjectionTerm<TState>?> TryBeginAsync(CancellationToken cancellationToken) => IsSuperseded()
        ? null
        : await ProjectionTerm<TState>.TryBeginAsync(host, projection, layout, cancellationToken).ConfigureAwait(false);

    protected override ValueTask CarryOutAsync(ProjectionTerm<TState> term, CancellationToken cancellationToken)
    {
        term.HandleRequests();
        return ValueTask.CompletedTask;
    }

    protected override async ValueTask<TimeSpan> StepAsync(ProjectionTerm<TState> term, CancellationToken cancellationToken)
    {
        if (building.IsCompleted)
        {
            await building.ConfigureAwait(false);
            await rebuilding.TryAsync(() => term.TrySwapAsync(() =>
            {
                rebuilding.Succeed();
                PublishStatus(term);
            }, cancellationToken), LogTrouble).ConfigureAwait(false);
            if (term.Rebuild is { Fault: null } rebuild)
            {
                stopBuilding ??= CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
                building = Task.Run(() => BuildAsync(term, rebuild, stopBuilding.Token), CancellationToken.None);
                // Its end is seen before the wait is ended, or the next wait would have nothing to end it.
                _ = building.ContinueWith(static (_, work) => ((Signal)work!).Pulse(), Signals.Work,
                    CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            }
        }
        var wanted = Signals.WantedAfter(term.Live?.Written ?? 0);
        var wait = await term.FollowAsync(wanted, cancellationToken).ConfigureAwait(false);
        // Callers need not wait until folders are removed.
        Publish(term);
        return term.CleanUp() ? TimeSpan.Zero : wait;
    }

    protected override FollowerProblem? FindProblem(ProjectionTerm<TState> term) => rebuilding.Problem ?? term.Problem;

    protected override FollowerProgress ProgressOf(ProjectionTerm<TState> term) =>
        new(term.Live?.Written ?? 0, Halt: (term.Live?.Fault ?? term.Rebuild?.Fault)?.Error);

    protected override async Task EndAsync(ProjectionTerm<TState> term)
    {
        if (stopBuilding is null)
            return;
        await stopBuilding.CancelAsync().ConfigureAwait(false);
        await building.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        stopBuilding.Dispose();
        (stopBuilding, building) = (null, Task.CompletedTask);
        rebuilding.Succeed();
    }

    protected override void LogLost(LeadershipLostException e) => ProjectionLog.LeadLost(host.Logger, projection.Name, e.Message);

    protected override void LogTrouble(Exception e) => host.LogTrouble(projection.Name, e);

    // Runs until the build is caught up, or stops at an event.
    private async Task BuildAsync(ProjectionTerm<TState> term, GenerationBuilder<TState> rebuild, CancellationToken cancellationToken)
    {
        do
        {
            cancellationToken.ThrowIfCancellationRequested();
            await rebuilding.TryAsync(() => term.BuildAsync(rebuild, cancellationToken), LogTrouble).ConfigureAwait(false);
            // A step publishes it.
            if (FindProblem(term) != Signals.Problem)
                Signals.Work.Pulse();
            TimeSpan[] pauses = [rebuild.PauseLeft, rebuilding.TimeLeft];
            if (pauses.Max() is var wait && wait > TimeSpan.Zero)
                await QuietClock.DelayAsync(host.Clock, wait, cancellationToken).ConfigureAwait(false);
        }
        while (rebuild is { Fault: null, IsCaughtUp: false });
    }

    private bool IsSuperseded()
    {
        var model =
            Generations.Look(host.FileSystem, layout, generations => Generations.Newest(generations, GenerationKind.Live) is { } live
                ? ReadModel(live)
                : null);
        var isSuperseded = model?.Version > projection.Version || model?.Format > ProjectionLayout.Format;
        if (isSuperseded && !wasSuperseded)
            ProjectionLog.Superseded(host.Logger, projection.Name, projection.Version, model!.Version);
        wasSuperseded = isSuperseded;
        return isSuperseded;
    }

    private GenerationModel? ReadModel(Generation live)
    {
        try
        {
            return GenerationModel.Read(host.FileSystem, live);
        }
        catch (DamagedFileException)
        {
            // The next leader logs the damage and rebuilds the states.
            return null;
        }
    }
}
