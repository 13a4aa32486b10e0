using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Leading;
using Opossum.Projections.Building;
using Opossum.Projections.Reading;
using Opossum.Projections.States;

namespace Opossum.Projections.Updating;

/// <summary>The base class of workers, independent of the state's type.</summary>
internal abstract class ProjectionWorker
{
    public abstract Projection Projection { get; }

    /// <summary>The position up to which the states include events, known without asking the disk; null: this process does not lead.</summary>
    public abstract long? KnownPosition { get; }

    /// <summary>Whether it has ended.</summary>
    public abstract bool IsStopped { get; }

    /// <summary>Its folder, and what wakes it.</summary>
    public abstract (LedFolder Folder, LeadSignals Signals) Watched { get; }

    /// <summary>Runs until it is cancelled.</summary>
    public abstract Task RunAsync(CancellationToken cancellationToken);

    public abstract Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken);

    public abstract Task RequestAsync(LeaderRequest request, CancellationToken cancellationToken);

    public abstract Task WaitForAsync(long position, CancellationToken cancellationToken);

    /// <summary>The reader, which the caller casts to the state's type.</summary>
    public abstract object Reader { get; }
}

/// <summary>Keeps a projection up to date in the background whenever this process leads it.</summary>
internal sealed class ProjectionWorker<TState> : ProjectionWorker
    where TState : class
{
    private readonly ProjectionHost host;
    private readonly Projection<TState> projection;
    private readonly ProjectionLayout layout;
    private readonly ProjectionSignals signals = new();
    private readonly ProjectionReader<TState> reader;
    private bool wasSuperseded;

    public ProjectionWorker(ProjectionHost host, Projection<TState> projection)
    {
        this.host = host;
        this.projection = projection;
        layout = new ProjectionLayout(host.Folder, projection.Name);
        reader = new ProjectionReader<TState>(host, projection, layout, signals);
        signals.HasBegun = !host.CanWrite;
    }

    public override Projection Projection => projection;

    public override object Reader => reader;

    public override long? KnownPosition => signals.IsLeader ? signals.Written : null;

    public override (LedFolder Folder, LeadSignals Signals) Watched => (layout, signals);

    public override bool IsStopped => signals.IsStopped;

    public override Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken) => reader.GetStatusAsync(cancellationToken);

    public override Task RequestAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        HandlerScope.ThrowIfInside(host, "A request to the projections");
        return reader.RequestAsync(request, cancellationToken);
    }

    public override Task WaitForAsync(long position, CancellationToken cancellationToken) => reader.WaitForAsync(position, cancellationToken);

    public override async Task RunAsync(CancellationToken cancellationToken)
    {
        using var scope = HandlerScope.Enter(host, $"the projection {projection.Name}");
        // Other processes keep the states up to date.
        if (!host.CanWrite)
            await Task.Delay(Timeout.InfiniteTimeSpan, host.Clock, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await new LeadLoop(host.Clock, host.Options.TakeOverInterval, host.Options.PollInterval)
            .RunAsync(TryLeadAsync, e => ProjectionLog.LeadLost(host.Logger, projection.Name, e.Message), NoteTrouble, NoteOut, cancellationToken)
            .ConfigureAwait(false);
        signals.IsLeader = false;
        signals.IsStopped = true;
        signals.Done.Pulse();
    }

    private void NoteTrouble(Exception e)
    {
        if (signals.Problem is null)
            ProjectionLog.Troubled(host.Logger, projection.Name, e);
        signals.Problem = new ProjectionProblem
        {
            Error = e.Message,
            Since = signals.Problem?.Since ?? host.Clock.GetUtcNow(),
        };
    }

    private void NoteOut()
    {
        signals.IsLeader = false;
        signals.HasBegun = true;
    }

    private async Task TryLeadAsync(CancellationToken cancellationToken)
    {
        if (IsSuperseded())
            return;
        using var term = await ProjectionTerm<TState>.TryBeginAsync(host, projection, layout, cancellationToken).ConfigureAwait(false);
        if (term is null)
        {
            signals.Problem = null;
            return;
        }
        signals.Written = term.Live?.Written ?? 0;
        signals.IsLeader = true;
        signals.HasBegun = true;
        try
        {
            await LeadAsync(term, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is LeadershipLostException
            || (e is FileSystemException { Error: FileError.NotFound } && term.FindGone() is not null))
        {
            throw new LeadershipLostException(WhyLost(term, e));
        }
    }

    private async Task LeadAsync(ProjectionTerm<TState> term, CancellationToken cancellationToken)
    {
        using var stopping = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var building = Task.CompletedTask;
        var isFirst = true;
        try
        {
            while (true)
            {
                cancellationToken.ThrowIfCancellationRequested();
                // Order matters: the signal is taken first, so a request made from here on wakes the worker.
                var work = signals.Work.Next;
                if (signals.TakeRequest() || isFirst)
                    term.HandleRequests();
                isFirst = false;
                if (building.IsCompleted)
                {
                    await building.ConfigureAwait(false);
                    await term.TrySwapAsync(cancellationToken).ConfigureAwait(false);
                    if (term.Rebuild is { Fault: null } rebuild)
                        building = Task.Run(() => BuildAsync(term, rebuild, stopping.Token), CancellationToken.None);
                }
                var wait = await term.FollowAsync(signals.Wanted, cancellationToken).ConfigureAwait(false);
                signals.Problem = null;
                signals.Written = term.Live?.Written ?? 0;
                signals.Done.Pulse();
                if (term.CleanUp())
                    wait = TimeSpan.Zero;
                if (wait != TimeSpan.Zero)
                    await WaitAsync(term, wait, work, building, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            await stopping.CancelAsync().ConfigureAwait(false);
            await building.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (cancellationToken.IsCancellationRequested)
                await term.StopAsync().ConfigureAwait(false);
        }
    }

    // Runs until the build is caught up, or stops at an event.
    private async Task BuildAsync(ProjectionTerm<TState> term, GenerationBuilder<TState> rebuild, CancellationToken cancellationToken)
    {
        do
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (await term.BuildAsync(rebuild, cancellationToken).ConfigureAwait(false) is var wait && wait > TimeSpan.Zero)
                await DelayAsync(wait, cancellationToken).ConfigureAwait(false);
        }
        while (rebuild is { Fault: null, IsCaughtUp: false });
    }

    // Waits until there is an event, a request or a finished build, or the time is over.
    private async Task WaitAsync(ProjectionTerm<TState> term, TimeSpan wait, Task work, Task building, CancellationToken cancellationToken)
    {
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var waits = new List<Task> { work, DelayAsync(wait, waiting.Token) };
        if (!building.IsCompleted)
            waits.Add(building);
        var events = term.Live is { Fault: null, IsCaughtUp: true, HasUnwritten: false } live
            ? WaitForEventAsync(live.Covered, waiting.Token)
            : waits[1];
        waits.Add(events);
        await Task.WhenAny(waits).ConfigureAwait(false);
        await waiting.CancelAsync().ConfigureAwait(false);
        await waits[1].ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await events.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task WaitForEventAsync(long after, CancellationToken cancellationToken)
    {
        await foreach (var _ in host.Store.SubscribeAsync(Query.All, after, cancellationToken).ConfigureAwait(false))
            return;
    }

    private string WhyLost(ProjectionTerm<TState> term, Exception e)
    {
        if (Array.Find([host.StoreRoot, host.Folder, layout.Root], folder => host.FileSystem.GetKind(folder) == EntryKind.Missing) is { } gone)
            return Gone(gone);
        if (e is LeadershipLostException)
            return e.Message;
        try
        {
            term.ThrowIfLost();
            // No other process leads, so no other process has renamed the folder.
            return Gone(term.FindGone() ?? layout.Root);
        }
        catch (LeadershipLostException lost)
        {
            return $"Another process has taken the lead. ({lost.Message})";
        }
    }

    private static string Gone(string folder) => $"{folder} no longer exists: it was deleted or moved.";

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

    private Task DelayAsync(TimeSpan time, CancellationToken cancellationToken) => Task.Delay(time, host.Clock, cancellationToken);
}
