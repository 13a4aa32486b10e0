using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Opossum.Analyzers;

namespace Opossum.CodeFixes;

/// <summary>Takes away an attribute that has no effect, or makes a personal member nullable.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class MisplacedAttributeFix : CodeFixProvider
{
    public override ImmutableArray<string> FixableDiagnosticIds => [Rules.MisplacedAttribute.Id];

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        if (root?.FindNode(context.Span).FirstAncestorOrSelf<AttributeSyntax>() is not { Parent: AttributeListSyntax list } attribute)
            return;
        (string Title, Func<SyntaxNode>? Change) fix = context.Diagnostics[0].Properties["fix"] switch
        {
            "remove" => ("Remove the attribute", () => Without(attribute, list, root)),
            "nullable" when TypeOf(list.Parent) is { } type => ("Make it nullable", () => root.ReplaceNode(type, NullableOf(type))),
            _ => ("", null),
        };
        if (fix.Change is not { } change)
            return;
        context.RegisterCodeFix(CodeAction.Create(fix.Title, _ => Task.FromResult(context.Document.WithSyntaxRoot(change())), fix.Title),
            context.Diagnostics);
    }

    private static TypeSyntax? TypeOf(SyntaxNode? member) => member switch
    {
        PropertyDeclarationSyntax property => property.Type,
        ParameterSyntax parameter => parameter.Type,
        _ => null,
    };

    private static NullableTypeSyntax NullableOf(TypeSyntax type) => SyntaxFactory.NullableType(type.WithoutTrivia()).WithTriviaFrom(type);

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
