using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;
using Opossum.Analyzers;

namespace Opossum.CodeFixes;

/// <summary>Awaits an append, in what is async or can be made so: a method or local function that returns nothing.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class AwaitAppendFix : CodeFixProvider
{
    private const string Title = "Await the append";

    public override ImmutableArray<string> FixableDiagnosticIds => [Rules.IgnoredAppend.Id];

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        var statement = root?.FindNode(context.Span, getInnermostNodeForTie: true).AncestorsAndSelf()
            .TakeWhile(static each => each is not AnonymousFunctionExpressionSyntax).OfType<ExpressionStatementSyntax>().FirstOrDefault();
        // Without a store there is no task: an await would throw.
        if (statement is null || TaskOf(statement) is ConditionalAccessExpressionSyntax
            || FunctionOf(statement) is not { } function || !CanAwait(function))
        {
            return;
        }
        context.RegisterCodeFix(CodeAction.Create(Title, _ => Task.FromResult(Fixed(context.Document, root!, statement, function)), Title),
            context.Diagnostics);
    }

    private static ExpressionSyntax TaskOf(ExpressionStatementSyntax statement) =>
        statement.Expression is AssignmentExpressionSyntax discard ? discard.Right : statement.Expression;

    private static SyntaxNode? FunctionOf(SyntaxNode statement) => statement.Ancestors().FirstOrDefault(static each => each
        is AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax or BaseMethodDeclarationSyntax or AccessorDeclarationSyntax
        or CompilationUnitSyntax);

    private static bool CanAwait(SyntaxNode function) => function switch
    {
        CompilationUnitSyntax => true,
        AnonymousFunctionExpressionSyntax lambda => lambda.Modifiers.Any(SyntaxKind.AsyncKeyword),
        LocalFunctionStatementSyntax local => local.Modifiers.Any(SyntaxKind.AsyncKeyword) || IsVoid(local.ReturnType),
        MethodDeclarationSyntax method => method.Modifiers.Any(SyntaxKind.AsyncKeyword)
            || (IsVoid(method.ReturnType) && !method.Modifiers.Any(SyntaxKind.OverrideKeyword) && method.ExplicitInterfaceSpecifier is null),
        _ => false,
    };

    private static bool IsVoid(TypeSyntax type) => type is PredefinedTypeSyntax { Keyword.RawKind: (int)SyntaxKind.VoidKeyword };

    private static Document Fixed(Document document, SyntaxNode root, ExpressionStatementSyntax statement, SyntaxNode function)
    {
        var awaited = SyntaxFactory.AwaitExpression(TaskOf(statement).WithoutTrivia())
            .WithTriviaFrom(statement.Expression).WithAdditionalAnnotations(Formatter.Annotation);
        var withAwait = function.ReplaceNode(statement.Expression, awaited);
        return document.WithSyntaxRoot(root.ReplaceNode(function, MakeAsync(withAwait)));
    }

    private static SyntaxNode MakeAsync(SyntaxNode function) => function switch
    {
        LocalFunctionStatementSyntax local when !local.Modifiers.Any(SyntaxKind.AsyncKeyword) => local.WithReturnType(TaskFor(local.ReturnType))
            .WithLeadingTrivia().AddModifiers(SyntaxFactory.Token(SyntaxKind.AsyncKeyword)).WithLeadingTrivia(local.GetLeadingTrivia()),
        MethodDeclarationSyntax method when !method.Modifiers.Any(SyntaxKind.AsyncKeyword) => method.WithReturnType(TaskFor(method.ReturnType))
            .WithLeadingTrivia().AddModifiers(SyntaxFactory.Token(SyntaxKind.AsyncKeyword)).WithLeadingTrivia(method.GetLeadingTrivia()),
        _ => function,
    };

    private static TypeSyntax TaskFor(TypeSyntax nothing) => SyntaxFactory.ParseTypeName("System.Threading.Tasks.Task")
        .WithTrailingTrivia(nothing.GetTrailingTrivia()).WithAdditionalAnnotations(Microsoft.CodeAnalysis.Simplification.Simplifier.Annotation);
}
