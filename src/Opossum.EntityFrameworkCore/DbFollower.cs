using Microsoft.EntityFrameworkCore;
using Opossum.Diagnostics;
using Opossum.Following;
using Opossum.Projections;
using Opossum.Projections.States;

namespace Opossum.EntityFrameworkCore;

/// <summary>Keeps the rows of a projection up to date in the background whenever this process leads it.</summary>
internal sealed class DbFollower<TContext> : Follower<DbTerm<TContext>>
    where TContext : DbContext
{
    private readonly ProjectionHost host;
    private readonly DbProjection<TContext> projection;
    private readonly Positions<TContext> positions;
    private readonly ProjectionLayout layout;

    public DbFollower(ProjectionHost host, DbProjection<TContext> projection)
        : base(host, "projection", projection.Name, new ProjectionLayout(host.Folder, projection.Name))
    {
        (this.host, this.projection, layout) = (host, projection, (ProjectionLayout)Folder);
        positions = new Positions<TContext>(projection.Scopes, projection.Name);
        Reader = new DbReader<TContext>(host, projection, positions, layout, Signals);
        Signals.HasBegun = !host.CanWrite;
    }

    public override FollowerReader Reader { get; }

    public override async Task RunAsync(CancellationToken cancellationToken)
    {
        using var scope = HandlerScope.Enter(host, $"the projection {projection.Name}");
        // Other processes keep the rows up to date.
        if (!host.CanWrite)
            await Task.Delay(Timeout.InfiniteTimeSpan, host.Clock, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await base.RunAsync(cancellationToken).ConfigureAwait(false);
    }

    protected override ValueTask<DbTerm<TContext>?> TryBeginAsync(CancellationToken cancellationToken) =>
        DbTerm<TContext>.TryBeginAsync(host, projection, positions, layout, cancellationToken);

    protected override ValueTask CarryOutAsync(DbTerm<TContext> term, CancellationToken cancellationToken) =>
        term.CarryOutAsync(cancellationToken);

    protected override ValueTask<TimeSpan> StepAsync(DbTerm<TContext> term, CancellationToken cancellationToken) =>
        term.FollowAsync(Signals.Wanted, cancellationToken);

    protected override FollowerProgress ProgressOf(DbTerm<TContext> term) => new(term.Covered, Halt: term.Fault?.Error);

    protected override void LogLost(LeadershipLostException e) => ProjectionLog.LeadLost(host.Logger, projection.Name, e.Message);

    protected override void LogTrouble(Exception e) => ProjectionLog.Troubled(host.Logger, projection.Name, e);
}
