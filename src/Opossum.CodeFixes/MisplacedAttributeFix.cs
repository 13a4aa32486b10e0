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

    // All of a document at once: a member may have several.
    public override FixAllProvider GetFixAllProvider() => FixAllProvider.Create(static async (context, document, found) =>
        await document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false) is { } root
            ? document.WithSyntaxRoot(Fixed(root, [.. found.Where(each => TitleOf(root, each) == context.CodeActionEquivalenceKey)]))
            : null);

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var found = context.Diagnostics[0];
        if (await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false) is { } root
            && TitleOf(root, found) is { } title)
        {
            context.RegisterCodeFix(CodeAction.Create(title, _ => Task.FromResult(context.Document.WithSyntaxRoot(Fixed(root, [found]))), title),
                context.Diagnostics);
        }
    }

    // Null: it is not mended.
    private static string? TitleOf(SyntaxNode root, Diagnostic found) => found.Properties["fix"] switch
    {
        "remove" when AttributeOf(root, found) is { Parent: AttributeListSyntax } => "Remove the attribute",
        "nullable" when TypeOf(AttributeOf(root, found)?.Parent?.Parent) is not null => "Make it nullable",
        _ => null,
    };

    private static AttributeSyntax? AttributeOf(SyntaxNode root, Diagnostic found) =>
        root.FindNode(found.Location.SourceSpan).FirstAncestorOrSelf<AttributeSyntax>();

    private static SyntaxNode Fixed(SyntaxNode root, Diagnostic[] found)
    {
        // Two rules may find one attribute.
        var fixes = found.GroupBy(each => AttributeOf(root, each)!)
            .ToDictionary(static each => each.Key, static each => each.First().Properties["fix"]);
        var changed = root.TrackNodes(fixes.Keys);
        foreach (var fix in fixes)
        {
            var attribute = changed.GetCurrentNode(fix.Key)!;
            var list = (AttributeListSyntax)attribute.Parent!;
            changed = fix.Value == "remove" ? Without(attribute, list, changed)
                : TypeOf(list.Parent) is { } type ? changed.ReplaceNode(type, NullableOf(type))
                : changed;
        }
        return changed;
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
