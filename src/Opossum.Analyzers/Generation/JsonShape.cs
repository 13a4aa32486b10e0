namespace Opossum.Analyzers.Generation;

/// <summary>The code that makes the JSON metadata of a type.</summary>
/// <param name="Type">The type's full name in code.</param>
/// <param name="Expression">Makes the metadata from <c>options</c>.</param>
/// <param name="Members">The members that the expression uses; empty: none.</param>
internal sealed record JsonShape(string Type, string Expression, string Members);
