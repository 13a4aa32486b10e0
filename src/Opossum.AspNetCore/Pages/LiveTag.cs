namespace Opossum.AspNetCore.Pages;

/// <summary>A tag of an event in a list.</summary>
/// <param name="Href">The address of the events with the tag; null: it is a remark, not a tag.</param>
internal sealed record LiveTag(string Text, string? Href);
