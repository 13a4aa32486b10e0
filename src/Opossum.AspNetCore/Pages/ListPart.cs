namespace Opossum.AspNetCore.Pages;

/// <summary>Some rows of a list.</summary>
internal sealed record ListPart<T>(IReadOnlyList<T> Rows, bool HasNext);
