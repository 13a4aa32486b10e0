using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Opossum.Diagnostics;
using Opossum.Following;
using Opossum.Projections.Reading;
using Opossum.Projections.States;

namespace Opossum.Projections.Databases;

/// <summary>Keeps the rows of a projection up to date in the background whenever this process leads it.</summary>
internal sealed class DbFollower : Follower<DbTerm>
{
    private readonly ProjectionHost host;
    private readonly Projection projection;
    private readonly Positions positions;
    private readonly ProjectionLayout layout;
    private readonly StrongBox<ExceptionDispatchInfo?> newer = new();
    private bool isSuperseded;

    public DbFollower(ProjectionHost host, Projection projection, Positions positions)
        : base(host, "projection", projection.Name, new ProjectionLayout(host.Folder, projection.Name))
    {
        (this.host, this.projection, this.positions, layout) = (host, projection, positions, (ProjectionLayout)Folder);
        Reader = new DbReader(host, projection.Name, projection.Version, positions.ReadAsync, layout, Signals);
    }

    public override FollowerReader Reader { get; }

    public override async Task RunAsync(CancellationToken cancellationToken)
    {
        using var scope = HandlerScope.Enter(host, $"the projection {projection.Name}");
        await base.RunAsync(cancellationToken).ConfigureAwait(false);
    }

    protected override async ValueTask<DbTerm?> TryBeginAsync(CancellationToken cancellationToken)
    {
        // Once it is known, the lead is not taken to find it out again. A process that waits for the lead asks the database nothing.
        if (isSuperseded && (await positions.ReadAsync(cancellationToken).ConfigureAwait(false))?.Version > projection.Version)
            return null;
        isSuperseded = false;
        return await DbTerm.TryBeginAsync(host, projection, positions, layout, newer, NoteSuperseded, cancellationToken).ConfigureAwait(false);
    }

    protected override ValueTask CarryOutAsync(DbTerm term, CancellationToken cancellationToken) =>
        term.CarryOutAsync(() => PublishStatus(term), cancellationToken);

    protected override ValueTask<TimeSpan> StepAsync(DbTerm term, CancellationToken cancellationToken) =>
        term.FollowAsync(Signals.WantedAfter(term.Covered), cancellationToken);

    protected override FollowerProgress ProgressOf(DbTerm term) => new(term.Covered, Halt: term.Fault?.Error);

    protected override void LogLost(LeadershipLostException e) => ProjectionLog.LeadLost(host.Logger, projection.Name, e.Message);

    private void NoteSuperseded(int version)
    {
        isSuperseded = true;
        ProjectionLog.Superseded(host.Logger, projection.Name, projection.Version, version);
    }

    protected override void LogTrouble(Exception e) => host.LogTrouble(projection.Name, e);
}
