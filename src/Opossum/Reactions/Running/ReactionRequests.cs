using Opossum.Diagnostics;
using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>Carries out the requests to a reaction's leader.</summary>
internal sealed class ReactionRequests(ReactionHost host, Reaction reaction, ReactionLayout layout)
{
    private readonly OpenRequests open = new(host, layout,
        (path, problem) => ReactionLog.FileProblem(host.Logger, reaction.Name, $"{path} {problem}."),
        e => ReactionLog.Troubled(host.Logger, reaction.Name, e));

    /// <summary>Why a request is not carried out for now; null: none is open.</summary>
    public FollowerProblem? Problem => open.Problem;

    /// <param name="term">The term in which this process leads.</param>
    /// <param name="tell">Lets callers in this process know how far the term is.</param>
    /// <param name="cancellationToken">Cancels what is not done yet.</param>
    public async ValueTask CarryOutAsync(ReactionTerm term, Action tell, CancellationToken cancellationToken)
    {
        var requests = open.Read();
        // The requests may belong to another leader by now.
        if (requests.Count > 0)
            term.ThrowIfLost();
        foreach (var request in requests)
        {
            try
            {
                if (!await TryAsync(term, request, cancellationToken).ConfigureAwait(false))
                    open.PassOver(layout.RequestFile(request.Id), $"asks for the event at position {request.Position}, which is damaged");
            }
            catch (RequestDelayedException e)
            {
                open.Delay(new RequestDelayedException(
                    $"{layout.RequestFile(request.Id)} is a request that cannot be carried out for now, and is tried again: {e.Message}", e));
                continue;
            }
            open.Close(request.Id, () =>
            {
                term.ThrowIfLost();
                // Before the request is done: its caller may then wait for the events that are to be handled.
                tell();
            });
            if (term.IsOver)
                return;
        }
    }

    private static async ValueTask<bool> TryAsync(ReactionTerm term, LeaderRequest request, CancellationToken cancellationToken)
    {
        switch (request.Kind)
        {
            case RequestKind.Retry:
                return await term.TryRetryAsync(request.Position, cancellationToken).ConfigureAwait(false);
            case RequestKind.Skip:
                term.Skip(request);
                return true;
            case RequestKind.HandleAgain:
                return await term.TryHandleAgainAsync(request.Position, cancellationToken).ConfigureAwait(false);
            default:
                // A reaction has no states that could be rebuilt.
                return true;
        }
    }
}
