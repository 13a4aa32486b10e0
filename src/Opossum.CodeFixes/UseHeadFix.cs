using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Opossum.Analyzers;

namespace Opossum.CodeFixes;

/// <summary>Gives a condition the head of the read of its own query.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class UseHeadFix : CodeFixProvider
{
    public override ImmutableArray<string> FixableDiagnosticIds => [Rules.AfterOfAnotherRead.Id];

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        if (!context.Diagnostics[0].Properties.TryGetValue("stream", out var stream) || stream is null
            || root?.FindNode(context.Span, getInnermostNodeForTie: true) is not ExpressionSyntax after)
        {
            return;
        }
        var title = $"Use {stream}.Head";
        var head = SyntaxFactory.ParseExpression($"{stream}.Head").WithTriviaFrom(after);
        context.RegisterCodeFix(CodeAction.Create(title, _ => Task.FromResult(context.Document.WithSyntaxRoot(root.ReplaceNode(after, head))), title),
            context.Diagnostics);
    }
}
