namespace Opossum.AspNetCore.Pages;

/// <summary>Some rows of a list.</summary>
/// <param name="Rows">The rows.</param>
/// <param name="HasNext">Whether others follow.</param>
internal sealed record ListPart<T>(IReadOnlyList<T> Rows, bool HasNext);
