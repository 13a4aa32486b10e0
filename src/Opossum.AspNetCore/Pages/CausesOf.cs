namespace Opossum.AspNetCore.Pages;

/// <summary>What led to an event, and what the same request did before it. The events come from the highest position to the lowest.</summary>
internal sealed class CausesOf(RelatedEvent center) : Relation
{
    private readonly HashSet<Guid?> causes = [center.Cause];

    public override bool Includes(RelatedEvent e)
    {
        if (!e.SharesRequestWith(center) && !causes.Contains(e.Id))
            return false;
        causes.Add(e.Cause);
        return true;
    }
}
