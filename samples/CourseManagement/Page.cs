namespace CourseManagement;

/// <summary>A part of a list.</summary>
/// <param name="Total">The number of items that match the search, on all pages.</param>
/// <param name="Items">The items of this page.</param>
public sealed record Page<T>(int Total, IReadOnlyList<T> Items)
{
    /// <summary>Selects the items of which a text contains the search, sorts them by their first text, and takes one page of them.</summary>
    /// <param name="items">The whole list.</param>
    /// <param name="texts">The texts of an item that are searched; an item without a match in any is left out.</param>
    /// <param name="search">Part of a text, in any case; null or empty: all items.</param>
    /// <param name="skip">The number of items before the page.</param>
    /// <param name="limit">The size of the page.</param>
    internal static Page<T> Of(IEnumerable<T> items, Func<T, string[]> texts, string? search, int skip, int limit)
    {
        var found = items
            .Where(item => Array.Exists(texts(item), text => text.Contains(search ?? "", StringComparison.OrdinalIgnoreCase)))
            .OrderBy(item => texts(item)[0], StringComparer.OrdinalIgnoreCase)
            .ToList();
        return new Page<T>(found.Count, [.. found.Skip(skip).Take(limit)]);
    }
}
