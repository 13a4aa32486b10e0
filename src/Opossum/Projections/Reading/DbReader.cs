using System.Text.Json.Nodes;
using Opossum.Following;
using Opossum.Projections.States;

namespace Opossum.Projections.Reading;

/// <summary>What callers see of a projection into a database, whichever process leads it.</summary>
/// <param name="host">The store.</param>
/// <param name="name">The projection's name.</param>
/// <param name="version">The projection's version in this process; null: it does not know it.</param>
/// <param name="readAsync">Reads the row, from the database or, where that is not known, from the file with what it was.</param>
/// <param name="layout">The projection's files.</param>
/// <param name="signals">The signals of the follower in this process.</param>
internal sealed class DbReader(ProjectionHost host, string name, int? version, Func<CancellationToken, Task<PositionRow?>> readAsync,
    ProjectionLayout layout, FollowerSignals signals)
    : ProjectionReader(host, name, layout, signals)
{
    private volatile bool fits;

    public override ProjectionReader<JsonNode> AsJson => throw new ProjectionException(Name, Layout.RowFile, NoStates);

    private string NoStates => $"The projection {Name} keeps rows in a database of its app; the store's folder has no states of it.";

    public override Task<StoredStatePage> ReadPageAsync(string keyStart, string? after, int limit, CancellationToken cancellationToken) =>
        Task.FromException<StoredStatePage>(new NotSupportedException(NoStates));

    public override Task<ProjectionEntry<byte[]>?> ReadStoredAsync(string key, CancellationToken cancellationToken) =>
        Task.FromException<ProjectionEntry<byte[]>?>(new NotSupportedException(NoStates));

    public override async Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default)
    {
        var head = await Host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        // Order matters: before the row. One that is read while a term begins does not show that its rows are cleared.
        var (isStarting, known, problem) = (Signals.IsStarting, Signals.Progress, Signals.Problem);
        PositionRow? row = null;
        try
        {
            row = await ReadFittingAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException e)
        {
            problem ??= new FollowerProblem { Error = e.Message, Since = Host.Clock.GetUtcNow() };
            row = await Work.DoAsync(() => RowFile.Read(Host.FileSystem, Layout), cancellationToken).ConfigureAwait(false);
        }
        var position = Math.Max(known?.Position ?? 0, row?.Position ?? 0);
        return new ProjectionStatus
        {
            Name = Name,
            Phase = isStarting ? FollowerPhase.Starting : PhaseOf(row),
            Position = position,
            Head = Math.Max(head, position),
            IsLeader = known is not null,
            Version = version ?? row?.Version ?? 0,
            RebuildPosition = row is { IsBuilding: true } ? row.Position : null,
            Fault = FaultOf(row),
            Skipped = await Work.DoAsync(() => LookOr([], () => SkippedBy(version ?? row?.Version ?? 0), ref problem), cancellationToken)
                .ConfigureAwait(false),
            OpenRequests = await Work.DoAsync(() => LookOr(0, CountRequests, ref problem), cancellationToken).ConfigureAwait(false),
            Problem = problem,
        };
    }

    protected override async Task<bool> HasDoneAsync(long position, CancellationToken cancellationToken)
    {
        if (Signals.Progress is { Halt: null } known)
            return known.Position >= position;
        var isStarting = Signals.IsStarting;
        PositionRow? row;
        try
        {
            row = await ReadFittingAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException e) when (IsAway(e))
        {
            return false;
        }
        if (row?.Version < version || row is null)
            return false;
        // The row may have a stop of the leader before: the event is tried again.
        if (isStarting)
            return row.Position >= position;
        return row.Fault is not { } fault || fault.Position > position ? row.Position >= position : throw new ProjectionException(Name, fault);
    }

    // The leader closes a request to rebuild when the rows are cleared; then the row knows how far they are built again.
    protected override async Task<bool> IsOpenAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        if (await base.IsOpenAsync(request, cancellationToken).ConfigureAwait(false))
            return true;
        if (request.Kind != RequestKind.Rebuild)
            return false;
        PositionRow? row;
        try
        {
            row = await readAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException e) when (IsAway(e))
        {
            return true;
        }
        if (row is null)
            return false;
        return row.IsBuilding && row.Fault is { } fault ? throw new ProjectionException(Name, fault) : row.IsBuilding;
    }

    protected override async Task<bool> HasStoppedAtAsync(long position, CancellationToken cancellationToken) =>
        FaultOf(await ReadFittingAsync(cancellationToken).ConfigureAwait(false))?.Position == position;

    // A database may be back later, and the status says what is wrong; a store that was closed, or services that were
    // disposed, will not.
    private static bool IsAway(InvalidOperationException error) => error is not ObjectDisposedException;

    // Null also where the rows are built on other events than the store's, which was restored or whose end was cut off:
    // the next leader builds them again. A store that is open for reading only may be a replica that is behind the rows.
    private async Task<PositionRow?> ReadFittingAsync(CancellationToken cancellationToken)
    {
        var row = await readAsync(cancellationToken).ConfigureAwait(false);
        if (row is null || fits || !Host.CanWrite || row.EventId == Guid.Empty)
            return row;
        fits = await StoreEvents.HasAsync(Host, new EventAt(row.Position, row.EventId), cancellationToken).ConfigureAwait(false);
        return fits ? row : null;
    }

    // Where a former version has stopped says nothing of this one, which builds the rows again.
    private ProjectionFault? FaultOf(PositionRow? row) => row?.Version < version ? null : row?.Fault;

    private FollowerPhase PhaseOf(PositionRow? row) => this switch
    {
        _ when Signals.IsStopped => FollowerPhase.NotRunHere,
        _ when row?.Version > version => FollowerPhase.Superseded,
        _ when FaultOf(row) is not null => FollowerPhase.Halted,
        _ when row is null or { IsBuilding: true } || row.Version < version => FollowerPhase.Rebuilding,
        { Signals.IsElsewhere: true } => FollowerPhase.NotRunHere,
        _ => FollowerPhase.Running,
    };
}
