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
    private readonly ReactionRequests requests;

    public ReactionWorker(ReactionHost host, Reaction reaction)
        : base(host, "reaction", reaction.Name, new ReactionLayout(host.Folder, reaction.Name))
    {
        (this.host, this.reaction, layout) = (host, reaction, (ReactionLayout)Folder);
        Reader = new ReactionReader(host, reaction.Name, Signals);
        requests = new ReactionRequests(host, reaction, layout);
    }

    public override FollowerReader Reader { get; }

    public override string? FindUnfinished() => (Signals.IsStopped ? null : FindHandled()) ?? base.FindUnfinished();

    // The head at which it begins is that of its start: a later start would leave out the events in between.
    protected override bool BeginsAtOnce => reaction.Start == ReactionStart.Head;

    protected override ValueTask<ReactionTerm?> TryBeginAsync(CancellationToken cancellationToken) =>
        ReactionTerm.TryBeginAsync(host, reaction, layout, cancellationToken);

    protected override ValueTask CarryOutAsync(ReactionTerm term, CancellationToken cancellationToken) =>
        requests.CarryOutAsync(term, () => Tell(term), cancellationToken);

    protected override async ValueTask<TimeSpan> StepAsync(ReactionTerm term, CancellationToken cancellationToken)
    {
        var wait = await term.FollowAsync(cancellationToken).ConfigureAwait(false);
        return term.NextDue is not null && (wait < TimeSpan.Zero || wait > clockInterval) ? clockInterval : wait;
    }

    protected override FollowerProgress ProgressOf(ReactionTerm term) =>
        term.HaltedAt ?? new(term.Covered, term.FirstOpen, term.Open, term.Failing, term.Parked, term.Due);

    protected override string? FindHandled() => Leading?.FindHandled() is [_, ..] positions
        ? $"the reaction {reaction.Name} is still handling the event at position {string.Join(", ", positions)}"
        : null;

    protected override FollowerProblem? FindProblem(ReactionTerm term) => term.Problem ?? requests.Problem;

    protected override IEnumerable<Task> FindWork(ReactionTerm term) => [term.Progressed.Next, term.Scheduled.Next];

    protected override void LogLost(LeadershipLostException e) => ReactionLog.LeadLost(host.Logger, reaction.Name, e.Message);

    protected override void LogTrouble(Exception e) => host.LogTrouble(reaction.Name, e);
}
