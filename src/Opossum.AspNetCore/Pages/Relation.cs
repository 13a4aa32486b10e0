namespace Opossum.AspNetCore.Pages;

/// <summary>Decides, event by event, which events belong to one in the middle.</summary>
internal abstract class Relation
{
    /// <summary>Whether the event belongs to those included so far. The events come in the order in which one leads to the next.</summary>
    public abstract bool Includes(RelatedEvent e);
}
