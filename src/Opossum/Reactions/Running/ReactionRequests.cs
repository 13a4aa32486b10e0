using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Leading;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>Carries out the requests to a reaction's leader.</summary>
internal sealed class ReactionRequests(ReactionHost host, Reaction reaction, ReactionLayout layout)
{
    private readonly HashSet<string> passedOver = new(StringComparer.Ordinal);

    /// <summary>Carries out all requests that there are.</summary>
    public async ValueTask CarryOutAsync(ReactionTerm term, CancellationToken cancellationToken)
    {
        var requests = LeaderRequest.List(host.FileSystem, layout);
        // The requests may belong to another leader by now.
        if (requests.Count > 0)
            term.ThrowIfLost();
        foreach (var id in requests)
        {
            if (Read(id) is not { } request)
                continue;
            if (!await TryAsync(term, request, cancellationToken).ConfigureAwait(false))
                PassOver(layout.RequestFile(id), $"asks for the event at position {request.Position}, which the store does not have");
            request.Close(host.FileSystem, layout);
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
                term.Skip(request.Position, request.Reason);
                return true;
            case RequestKind.HandleAgain:
                return await term.TryHandleAgainAsync(request.Position, cancellationToken).ConfigureAwait(false);
            default:
                // A reaction has no states that could be rebuilt.
                return true;
        }
    }

    private LeaderRequest? Read(Guid id)
    {
        try
        {
            return LeaderRequest.Read(host.FileSystem, layout, id);
        }
        catch (DamagedFileException e)
        {
            PassOver(e.Path, e.Problem);
        }
        catch (FileSystemException e)
        {
            PassOver(e.Path, $"cannot be read: {e.Message}");
        }
        return null;
    }

    private void PassOver(string path, string problem)
    {
        if (passedOver.Add(path))
            ReactionLog.FileProblem(host.Logger, reaction.Name, $"{path} {problem}.");
    }
}
