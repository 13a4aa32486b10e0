using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Opossum.CodeFixes;

/// <summary>New lines end as those of the file do.</summary>
internal static class LineEnds
{
    public static SyntaxTrivia Of(SyntaxNode root) =>
        root.DescendantTrivia().Where(static each => each.IsKind(SyntaxKind.EndOfLineTrivia)).DefaultIfEmpty(SyntaxFactory.LineFeed).First();
}
