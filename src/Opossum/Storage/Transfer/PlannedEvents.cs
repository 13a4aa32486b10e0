namespace Opossum.Storage.Transfer;

/// <summary>In a dry run, the events that would be stored by now, as <see cref="KnownEvents"/> has those of the store.</summary>
internal sealed class PlannedEvents
{
    private readonly Dictionary<Guid, Planned> last = [];

    public void Add(ImportedEvent e) =>
        last[e.Content.Id] = new Planned(e.Content.ContentHash(), e.Line, last.GetValueOrDefault(e.Content.Id)) { Source = e.Source };

    /// <summary>Whether an event of another export is the same.</summary>
    /// <param name="other">The line of an event of another export with the same id and another content; 0: there is none.</param>
    public bool Has(ImportedEvent e, out long other)
    {
        other = 0;
        if (!last.TryGetValue(e.Content.Id, out var first))
            return false;
        var content = e.Content.ContentHash();
        for (var each = first; each is not null; each = each.Before)
        {
            if (each.Source == e.Source)
                continue;
            if (each.Content == content)
            {
                each.Source = e.Source;
                return true;
            }
            other = each.Line;
        }
        return false;
    }

    private sealed class Planned(Guid content, long line, Planned? before)
    {
        public Guid Content => content;

        public long Line => line;

        // With the same id.
        public Planned? Before => before;

        // The last export of the input that has the event.
        public int Source { get; set; }
    }
}
