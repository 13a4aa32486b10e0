using Opossum.Diagnostics;
using Opossum.Following;
using Opossum.Reactions.Files;
using Opossum.Reactions.Reading;

namespace Opossum.Reactions.Running;

/// <summary>Runs a reaction in the background whenever this process leads it.</summary>
internal sealed class ReactionWorker : Follower<ReactionTerm>
{
    // How late a scheduled event can be after the machine's clock was set.
    private static readonly TimeSpan clockInterval = TimeSpan.FromSeconds(10);

    private readonly ReactionHost host;
    private readonly Reaction reaction;
    private readonly ReactionLayout layout;
    private readonly ReactionSignals signals;
    private readonly StoredReactionReader stored;
    private readonly ReactionRequests requests;

    public ReactionWorker(ReactionHost host, Reaction reaction)
        : this(host, reaction, new ReactionLayout(host.Folder, reaction.Name), new ReactionSignals())
    {
    }

    private ReactionWorker(ReactionHost host, Reaction reaction, ReactionLayout layout, ReactionSignals signals)
        : base(host, "reaction", reaction.Name, layout, signals)
    {
        (this.host, this.reaction, this.layout, this.signals) = (host, reaction, layout, signals);
        stored = new StoredReactionReader(host, reaction.Name);
        requests = new ReactionRequests(host, reaction, layout);
    }

    public override (long Lag, long Parked)? LagAt(long head) =>
        signals.Progress is { } known ? (Math.Max(0, head - known.Position) + known.Open, known.Parked) : null;

    public override string? FindUnfinished() => !signals.IsStopped && Leading?.FindHandled() is [_, ..] positions
        ? $"the reaction {reaction.Name} is still handling the event at position {string.Join(", ", positions)}"
        : base.FindUnfinished();

    public async Task<ReactionStatus> GetStatusAsync(CancellationToken cancellationToken)
    {
        var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var problem = signals.Problem;
        var isLeader = signals.Progress is not null;
        // Another process leads, or nobody yet: what is known is in the files.
        var known = signals.Progress ?? ProgressOf(await stored.ReadAsync(cancellationToken).ConfigureAwait(false));
        return new ReactionStatus
        {
            Name = reaction.Name,
            Phase = signals.IsStopped ? ReactionPhase.Stopped
                : !signals.HasBegun ? ReactionPhase.Starting
                : known.Halt is not null ? ReactionPhase.Halted : ReactionPhase.Running,
            Position = known.Position,
            Head = Math.Max(head, known.Halt is null ? known.Position : 0),
            IsLeader = isLeader,
            Open = known.Open,
            Failing = known.Failing,
            Parked = known.Parked,
            Scheduled = known.Scheduled,
            Halt = signals.IsStopped || !signals.HasBegun ? null : known.Halt,
            Problem = problem,
        };
    }

    public Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(CancellationToken cancellationToken) => stored.ReadParkedAsync(cancellationToken);

    /// <summary>Waits until every event up to a position is handled or parked.</summary>
    public override async Task WaitForAsync(long position, CancellationToken cancellationToken)
    {
        while (true)
        {
            var done = signals.Done.Next;
            var known = signals.Progress ?? ProgressOf(await stored.ReadAsync(cancellationToken).ConfigureAwait(false));
            if (known.Position >= position && known.Open == 0)
                return;
            ThrowIfStopped();
            await stored.PollAsync(done, cancellationToken).ConfigureAwait(false);
        }
    }

    protected override ValueTask<ReactionTerm?> TryBeginAsync(CancellationToken cancellationToken) =>
        ReactionTerm.TryBeginAsync(host, reaction, layout, cancellationToken);

    protected override ValueTask CarryOutAsync(ReactionTerm term, CancellationToken cancellationToken) =>
        requests.CarryOutAsync(term, cancellationToken);

    protected override async ValueTask<TimeSpan> StepAsync(ReactionTerm term, CancellationToken cancellationToken)
    {
        var wait = await term.FollowAsync(cancellationToken).ConfigureAwait(false);
        return term.NextDue is not null && (wait < TimeSpan.Zero || wait > clockInterval) ? clockInterval : wait;
    }

    protected override void Note(ReactionTerm term) =>
        signals.Progress = new ReactionProgress(term.Covered, term.Open, term.Failing, term.Parked, term.Due, term.Halted);

    protected override IEnumerable<Task> FindWork(ReactionTerm term) => [term.Progressed.Next, term.Scheduled.Next];

    protected override void NoteOut()
    {
        signals.Progress = null;
        base.NoteOut();
    }

    protected override void LogLost(LeadershipLostException e) => ReactionLog.LeadLost(host.Logger, reaction.Name, e.Message);

    protected override void LogTrouble(Exception e) => ReactionLog.Troubled(host.Logger, reaction.Name, e);

    protected override Task WriteAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        // The leader stops its handlers before it begins at another position.
        if (request.Kind == RequestKind.HandleAgain)
            HandlerScope.ThrowIfInside(host, "A request to handle events again");
        return stored.WriteAsync(request, cancellationToken);
    }

    protected override Task<bool> IsOpenAsync(LeaderRequest request, CancellationToken cancellationToken) =>
        stored.IsOpenAsync(request, cancellationToken);

    protected override Task PollAsync(Task done, CancellationToken cancellationToken) => stored.PollAsync(done, cancellationToken);

    protected override void ThrowIfStopped() => ObjectDisposedException.ThrowIf(signals.IsStopped, typeof(ReactionRunner));

    private static ReactionProgress ProgressOf(StoredReaction stored) =>
        new(stored.Position, stored.Open, stored.Failing, stored.Parked.Count, stored.Scheduled, stored.Halt);
}
