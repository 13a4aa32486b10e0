using Microsoft.EntityFrameworkCore;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections;
using Opossum.Projections.Reading;
using Opossum.Projections.States;

namespace Opossum.EntityFrameworkCore;

/// <summary>What callers see of a projection into a database, whichever process leads it.</summary>
internal sealed class DbReader<TContext>(ProjectionHost host, DbProjection<TContext> projection, Positions<TContext> positions,
    ProjectionLayout layout, FollowerSignals signals)
    : ProjectionReader(host, projection.Name, layout, signals)
    where TContext : DbContext
{
    public override async Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default)
    {
        var head = await Host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var (known, problem) = (Signals.Progress, Signals.Problem);
        PositionRow? row = null;
        try
        {
            row = await positions.ReadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException e)
        {
            problem ??= new FollowerProblem { Error = e.Message, Since = Host.Clock.GetUtcNow() };
        }
        var position = Math.Max(known?.Position ?? 0, row?.Position ?? 0);
        return new ProjectionStatus
        {
            Name = Name,
            Phase = PhaseOf(row),
            Position = position,
            Head = Math.Max(head, position),
            IsLeader = known is not null,
            Version = projection.Version,
            RebuildPosition = row is { IsBuilding: true } ? row.Position : null,
            Fault = row?.Fault,
            Skipped = await Work.DoAsync(Skipped, cancellationToken).ConfigureAwait(false),
            OpenRequests = await Work.DoAsync(() => LeaderRequest.List(Host.FileSystem, Layout).Count, cancellationToken).ConfigureAwait(false),
            Problem = problem,
        };
    }

    protected override async Task<bool> HasDoneAsync(long position, CancellationToken cancellationToken)
    {
        if (Signals.Progress is { Halt: null } known)
            return known.Position >= position;
        var row = await positions.ReadAsync(cancellationToken).ConfigureAwait(false);
        if (row?.Version < projection.Version || row is null)
            return false;
        return row.Fault is not { } fault || fault.Position > position ? row.Position >= position : throw new ProjectionException(Name, fault);
    }

    // The leader closes a request to rebuild when the rows are cleared; then the row knows how far they are built again.
    protected override async Task<bool> IsOpenAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        if (await base.IsOpenAsync(request, cancellationToken).ConfigureAwait(false))
            return true;
        if (request.Kind != RequestKind.Rebuild || await positions.ReadAsync(cancellationToken).ConfigureAwait(false) is not { } row)
            return false;
        return row.Fault is { } fault ? throw new ProjectionException(Name, fault) : row.IsBuilding;
    }

    protected override async Task CheckAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        if (request.Kind != RequestKind.Skip)
            return;
        var row = await positions.ReadAsync(cancellationToken).ConfigureAwait(false);
        if (row?.FaultPosition != request.Position)
        {
            throw new InvalidOperationException($"The projection {Name} has not stopped at position {request.Position}; only the event "
                + "at which it has stopped can be skipped.");
        }
    }

    private FollowerPhase PhaseOf(PositionRow? row) => this switch
    {
        _ when Signals.IsStarting => FollowerPhase.Starting,
        _ when Signals.IsStopped => FollowerPhase.NotRunHere,
        _ when row?.Version > projection.Version => FollowerPhase.Superseded,
        _ when row?.Fault is not null => FollowerPhase.Halted,
        _ when row is null or { IsBuilding: true } || row.Version < projection.Version => FollowerPhase.Rebuilding,
        _ => FollowerPhase.Running,
    };

    private IReadOnlyList<long> Skipped()
    {
        var skipped = new List<long>();
        if (Host.FileSystem.GetKind(Layout.Skipped) != EntryKind.Folder)
            return skipped;
        foreach (var file in Host.FileSystem.List(Layout.Skipped))
        {
            if (ProjectionLayout.TryParseSkip(file, out var version, out var position) && version == projection.Version)
                skipped.Add(position);
        }
        skipped.Sort();
        return skipped;
    }
}
