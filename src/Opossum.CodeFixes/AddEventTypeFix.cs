using System.Collections.Immutable;
using System.Composition;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Simplification;
using Opossum.Analyzers;

namespace Opossum.CodeFixes;

/// <summary>Gives a class a name for its events, made from its own.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class AddEventTypeFix : CodeFixProvider
{
    public override ImmutableArray<string> FixableDiagnosticIds => [Rules.MissingEventType.Id];

    public override FixAllProvider? GetFixAllProvider() => null;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        // The diagnostic has the places of the class.
        var place = context.Diagnostics[0].AdditionalLocations is { Count: > 0 } places ? places[0] : null;
        if (place?.SourceTree is not { } tree || context.Document.Project.Solution.GetDocument(tree) is not { } document)
            return;
        var root = await tree.GetRootAsync(context.CancellationToken).ConfigureAwait(false);
        if (root.FindNode(place.SourceSpan).FirstAncestorOrSelf<TypeDeclarationSyntax>() is not { } type)
            return;
        var title = $"Add [EventType(\"{NameOf(type.Identifier.Text)}\")]";
        context.RegisterCodeFix(CodeAction.Create(title, _ => Task.FromResult(Fixed(document, root, type)), title), context.Diagnostics);
    }

    // OrderPlaced becomes order-placed.
    private static string NameOf(string type)
    {
        var name = new StringBuilder();
        for (var at = 0; at < type.Length; at++)
        {
            var isStart = char.IsUpper(type[at]) && at > 0 && (!char.IsUpper(type[at - 1]) || (at + 1 < type.Length && char.IsLower(type[at + 1])));
            if (isStart)
                name.Append('-');
            name.Append(char.ToLowerInvariant(type[at]));
        }
        return name.ToString();
    }

    private static Document Fixed(Document document, SyntaxNode root, TypeDeclarationSyntax type)
    {
        var name = SyntaxFactory.LiteralExpression(SyntaxKind.StringLiteralExpression, SyntaxFactory.Literal(NameOf(type.Identifier.Text)));
        var attribute = SyntaxFactory.Attribute(SyntaxFactory.ParseName("Opossum.EventType").WithAdditionalAnnotations(Simplifier.Annotation))
            .AddArgumentListArguments(SyntaxFactory.AttributeArgument(name));
        var list = SyntaxFactory.AttributeList(SyntaxFactory.SingletonSeparatedList(attribute))
            .WithLeadingTrivia(type.GetLeadingTrivia()).WithTrailingTrivia(LineEnds.Of(root));
        var indented = type.WithLeadingTrivia(type.GetLeadingTrivia().Where(static each => each.IsKind(SyntaxKind.WhitespaceTrivia)));
        return document.WithSyntaxRoot(root.ReplaceNode(type, indented.WithAttributeLists(indented.AttributeLists.Insert(0, list))
            .WithAdditionalAnnotations(Microsoft.CodeAnalysis.Formatting.Formatter.Annotation)));
    }
}
