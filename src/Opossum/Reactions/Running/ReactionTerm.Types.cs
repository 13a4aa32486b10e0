using Opossum.Diagnostics;
using Opossum.Following;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <content>What was passed over by a leader with another version of the reaction.</content>
internal sealed partial class ReactionTerm
{
    private async ValueTask WarnOfTypesAsync(IReadOnlyList<string> former, ReactionCheckpoint checkpoint, CancellationToken cancellationToken)
    {
        // Where it began at the head of then is not known any more.
        var start = reaction.Start == ReactionStart.Head ? given.Position : reaction.Start.Position ?? 0;
        foreach (var type in reaction.HandledTypes.Except(former))
        {
            if (await HasAsync(type, start + 1, given.Position, cancellationToken).ConfigureAwait(false))
                ReactionLog.TypeAdded(host.Logger, reaction.Name, type, given.Position);
        }
        foreach (var type in former.Except(reaction.HandledTypes))
        {
            foreach (var (from, to) in checkpoint.Open.Concat(checkpoint.Behind.Select(each => (each.After + 1, given.Position))))
            {
                if (!await HasAsync(type, from, to, cancellationToken).ConfigureAwait(false))
                    continue;
                ReactionLog.TypeRemoved(host.Logger, reaction.Name, type, given.Position);
                break;
            }
        }
        isChanged |= !reaction.HandledTypes.SequenceEqual(former);
    }

    private async ValueTask<bool> HasAsync(string type, long from, long to, CancellationToken cancellationToken)
    {
        var newest = new ReadOptions { After = from - 1, UpTo = to, Limit = 1, Backwards = true };
        try
        {
            await foreach (var e in host.Store.ReadAsync(Query.FromEventTypes(type), newest, cancellationToken).ConfigureAwait(false))
                return !(e.Timestamp < reaction.Start.FirstTime);
            return false;
        }
        catch (Exception e) when (e is EventStoreException { IsTransient: false } || FollowerHost.IsOfThisProcess(e))
        {
            // It is there, and cannot be read.
            return true;
        }
    }
}
