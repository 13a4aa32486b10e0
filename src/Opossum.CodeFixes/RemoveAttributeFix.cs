using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Opossum.Analyzers;

namespace Opossum.CodeFixes;

/// <summary>Takes away an attribute that has no effect.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class RemoveAttributeFix : CodeFixProvider
{
    private const string Title = "Remove the attribute";

    public override ImmutableArray<string> FixableDiagnosticIds => [Rules.MisplacedAttribute.Id];

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        if (root?.FindNode(context.Span).FirstAncestorOrSelf<AttributeSyntax>() is not { Parent: AttributeListSyntax list } attribute)
            return;
        context.RegisterCodeFix(CodeAction.Create(Title,
            _ => Task.FromResult(context.Document.WithSyntaxRoot(Without(attribute, list, root))), Title), context.Diagnostics);
    }

    // A comment before the first attribute is that of the member.
    private static SyntaxNode Without(AttributeSyntax attribute, AttributeListSyntax list, SyntaxNode root)
    {
        if (list.Attributes.Count > 1)
            return root.RemoveNode(attribute, SyntaxRemoveOptions.KeepNoTrivia)!;
        var member = list.Parent!;
        var without = member.RemoveNode(list, SyntaxRemoveOptions.KeepNoTrivia)!;
        return root.ReplaceNode(member,
            member.GetFirstToken() == list.GetFirstToken() ? without.WithLeadingTrivia(list.GetLeadingTrivia()) : without);
    }
}
