namespace Opossum.AspNetCore.Pages;

/// <summary>What followed from an event, and what the same request did after it. The events come from the lowest position to the highest.</summary>
internal sealed class EffectsOf(RelatedEvent center) : Relation
{
    private readonly HashSet<Guid> ids = [center.Id];

    public override bool Includes(RelatedEvent e)
    {
        if (!e.SharesRequestWith(center) && !(e.Cause is { } cause && ids.Contains(cause)))
            return false;
        ids.Add(e.Id);
        return true;
    }
}
