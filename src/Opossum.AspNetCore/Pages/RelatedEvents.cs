using System.Globalization;
using Microsoft.AspNetCore.Http;

namespace Opossum.AspNetCore.Pages;

/// <summary>
/// The events that belong to the same cause as an event, by their metadata, or the tag of a reaction. Metadata is in no index, so they are looked
/// for around the event only.
/// </summary>
/// <param name="First">The first position that was looked at.</param>
/// <param name="Last">The last position that was looked at.</param>
/// <param name="Width">The number of positions that were looked at before and after the event, where there are as many.</param>
/// <param name="Events">The events, with the event itself, in the order of positions.</param>
/// <param name="IsWhole">Whether these are all that were found.</param>
/// <param name="CanWiden">Whether there are positions that were not looked at, and a larger number is allowed.</param>
internal sealed record RelatedEvents(long First, long Last, int Width, IReadOnlyList<RelatedEvent> Events, bool IsWhole, bool CanWiden)
{
    public const string WidthField = "around";
    private const int WidthMax = 100_000;

    private const int WidthDefault = 1_000;
    private const int EventsMax = 200;

    public static int ParseWidth(IQueryCollection query) =>
        int.TryParse(query[WidthField], NumberStyles.None, CultureInfo.InvariantCulture, out var width)
            ? Math.Clamp(width, 1, WidthMax)
            : WidthDefault;

    public static async Task<RelatedEvents> FindAsync(IEventStore store, SequencedEvent e, int width, CancellationToken cancellationToken)
    {
        var center = RelatedEvent.Of(e);
        var first = Math.Max(1, e.Position - width);
        // A cause has a lower position than what follows from it: one way leads to the causes, the other to what followed.
        var (before, isWholeBefore) = await FindAsync(store, new ReadOptions { After = first - 1, UpTo = e.Position - 1, Backwards = true },
            center, static cause => cause.Id, static cause => cause.Cause, cancellationToken).ConfigureAwait(false);
        var (after, isWholeAfter) = await FindAsync(store, new ReadOptions { After = e.Position, UpTo = e.Position + width },
            center, static effect => effect.Cause, static effect => effect.Id, cancellationToken).ConfigureAwait(false);
        var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var last = Math.Min(head, e.Position + width);
        return new RelatedEvents(first, last, width, [.. before.AsEnumerable().Reverse(), center, .. after], isWholeBefore && isWholeAfter,
            width < WidthMax && (first > 1 || last < head));
    }

    // An event belongs to the one in the middle by the same request, or by an id to which one before it has led.
    private static async Task<(List<RelatedEvent> Found, bool IsWhole)> FindAsync(IEventStore store, ReadOptions range, RelatedEvent center,
        Func<RelatedEvent, Guid?> idOf, Func<RelatedEvent, Guid?> leadsTo, CancellationToken cancellationToken)
    {
        var found = new List<RelatedEvent>();
        HashSet<Guid?> ids = [leadsTo(center)];
        await foreach (var e in store.ReadAsync(Query.All, range, cancellationToken).ConfigureAwait(false))
        {
            var other = RelatedEvent.Of(e);
            if (!other.SharesRequestWith(center) && !ids.Contains(idOf(other)))
                continue;
            if (found.Count == EventsMax)
                return (found, false);
            ids.Add(leadsTo(other));
            found.Add(other);
        }
        return (found, true);
    }
}
