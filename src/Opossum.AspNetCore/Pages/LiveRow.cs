namespace Opossum.AspNetCore.Pages;

/// <summary>An event of a list as text, which the page's script adds as text and not as markup.</summary>
internal sealed record LiveRow(long Position, string Type, string Time, IReadOnlyList<LiveTag> Tags, string Excerpt)
{
    public static LiveRow Of(EventFilter filter, EventRow row) => new(row.Position,
        VisibleText.Of(VisibleText.Cut(row.TypeAndVersion, EventRow.TagLengthMax)), EventRow.ForMachines(row.Time),
        [
            .. row.Tags.Select(tag => new LiveTag(VisibleText.Of(VisibleText.Cut(tag.ToString(), EventRow.TagLengthMax)), filter.With(tag).Link())),
            .. row.FurtherTags == 0 ? Array.Empty<LiveTag>() : [new LiveTag($"and {row.FurtherTags} more", null)],
        ],
        VisibleText.Of(row.Excerpt));
}
