namespace Opossum.Testing.Given;

/// <summary>Whether events lie within the queries of the code under test, and if not, what is missing.</summary>
internal static class Boundary
{
    /// <summary>Why an event matches none of the queries; null when it matches one.</summary>
    public static string? FindGap(SequencedEvent e, IReadOnlyCollection<Query> queries)
    {
        if (queries.Count == 0)
            return "nothing was read";
        if (queries.Any(query => query.Matches(e)))
            return null;
        var items = queries.SelectMany(static query => query.Items).ToList();
        var sameType = items.Where(item => item.Types.Count == 0 || item.Types.Contains(e.Type)).ToList();
        if (sameType.Count > 0)
        {
            var (item, missing) = sameType.Select(item => (Item: item, Missing: item.Tags.Where(tag => !e.Tags.Contains(tag)).ToList()))
                .MinBy(static each => each.Missing.Count);
            var several = missing.Count > 1;
            return $"the tag{(several ? "s" : "")} {string.Join(" and ", missing)} {(several ? "are" : "is")} missing on the event, or too much in "
                + $"the query: {item} is read";
        }

        var sameTags = items.Find(item => item.Tags.All(e.Tags.Contains));
        return sameTags is null
            ? $"neither its type {e.Type} nor its tags are read: {string.Join(" or ", items.Distinct())}"
            : $"the type {e.Type} is missing in the query, which has no handler for it: {sameTags} is read";
    }
}
