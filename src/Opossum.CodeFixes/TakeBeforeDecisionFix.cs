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

/// <summary>Takes the value of a clock or a random value into a variable before the statement that decides.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class TakeBeforeDecisionFix : CodeFixProvider
{
    private const string Title = "Take the value before the decision";

    public override ImmutableArray<string> FixableDiagnosticIds => [Rules.UnstableDecision.Id];

    public override FixAllProvider? GetFixAllProvider() => null;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        var model = await context.Document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false);
        if (root?.FindNode(context.Span, getInnermostNodeForTie: true) is not ExpressionSyntax value || model is null
            || value.FirstAncestorOrSelf<LambdaExpressionSyntax>() is not { } decide
            || decide.FirstAncestorOrSelf<StatementSyntax>() is not { Parent: BlockSyntax or GlobalStatementSyntax } statement
            || !IsDecision(decide, model) || IsTakenOften(value, decide) || IsDecidedElsewhere(decide, statement)
            || UsesLocals(value, statement, model) || !IsValue(value, model))
        {
            return;
        }
        var name = FreeName(NameFor(value), model, statement);
        context.RegisterCodeFix(CodeAction.Create(Title, _ => Task.FromResult(Fixed(context.Document, root, value, statement, name)), Title),
            context.Diagnostics);
    }

    // What follows a ?. is only a part of a value.
    private static bool IsValue(ExpressionSyntax value, SemanticModel model) =>
        model.GetTypeInfo(value).Type is { SpecialType: not SpecialType.System_Void }
        && !value.GetFirstToken().IsKind(SyntaxKind.DotToken) && !value.GetFirstToken().IsKind(SyntaxKind.OpenBracketToken);

    // And not another function within it, which may be called for each of several events.
    private static bool IsDecision(LambdaExpressionSyntax decide, SemanticModel model) =>
        decide.Parent is ArgumentSyntax { Parent.Parent: InvocationExpressionSyntax call }
        && model.GetSymbolInfo(call).Symbol?.ContainingNamespace.ToString().Split('.')[0] == "Opossum";

    private static bool IsTakenOften(ExpressionSyntax value, LambdaExpressionSyntax decide) =>
        value.Ancestors().TakeWhile(each => each != decide).Any(static each => each is ForStatementSyntax or CommonForEachStatementSyntax
            or WhileStatementSyntax or DoStatementSyntax or QueryExpressionSyntax or LocalFunctionStatementSyntax);

    // The statement is not what makes each decision: it declares a function that decides, or it decides several times.
    private static bool IsDecidedElsewhere(LambdaExpressionSyntax decide, StatementSyntax statement) =>
        statement is LocalFunctionStatementSyntax or WhileStatementSyntax or DoStatementSyntax or ForStatementSyntax
        || decide.Ancestors().TakeWhile(each => each != statement)
            .Any(static each => each is AnonymousFunctionExpressionSyntax or QueryExpressionSyntax);

    // What the function or the statement itself has is not there before it.
    private static bool UsesLocals(ExpressionSyntax value, StatementSyntax statement, SemanticModel model) =>
        value.DescendantNodesAndSelf().OfType<IdentifierNameSyntax>().Select(each => model.GetSymbolInfo(each).Symbol)
            .Any(symbol => symbol is ILocalSymbol or IParameterSymbol
                && symbol.DeclaringSyntaxReferences.Any(each => statement.Span.Contains(each.Span)));

    private static string NameFor(ExpressionSyntax value) => value.ToString() switch
    {
        var text when text.Contains("Guid") => "id",
        var text when text.Contains("Random") || text.Contains("Next") => "drawn",
        _ => "now",
    };

    // What is declared further inside would hide the value, or be read before it has one.
    private static string FreeName(string name, SemanticModel model, StatementSyntax statement)
    {
        var declared = DeclaredWith(statement);
        var free = name;
        for (var number = 2; declared.Contains(free) || !model.LookupSymbols(statement.SpanStart, name: free).IsEmpty; number++)
            free = name + number;
        return free;
    }

    private static HashSet<string> DeclaredWith(StatementSyntax statement)
    {
        var member = statement.Ancestors()
            .First(static each => each is MemberDeclarationSyntax and not GlobalStatementSyntax or CompilationUnitSyntax);
        var tokens = member.DescendantTokens(each => each == member || each is not (BaseTypeDeclarationSyntax or BaseNamespaceDeclarationSyntax));
        return [.. tokens.Where(static each => each.IsKind(SyntaxKind.IdentifierToken) && each.Parent is not SimpleNameSyntax)
            .Select(static each => each.ValueText)];
    }

    private static Document Fixed(Document document, SyntaxNode root, ExpressionSyntax value, StatementSyntax statement, string name)
    {
        var taken = SyntaxFactory.ParseStatement($"var {name} = {value.WithoutTrivia()};")
            .WithLeadingTrivia(statement.GetLeadingTrivia()).WithTrailingTrivia(LineEnds.Of(root))
            .WithAdditionalAnnotations(Formatter.Annotation);
        var indentation = statement.GetLeadingTrivia().Where(static each => each.IsKind(SyntaxKind.WhitespaceTrivia));
        var changed = statement.ReplaceNode(value, SyntaxFactory.IdentifierName(name).WithTriviaFrom(value)).WithLeadingTrivia(indentation);
        return document.WithSyntaxRoot(statement.Parent is GlobalStatementSyntax global
            ? root.ReplaceNode(global, [SyntaxFactory.GlobalStatement(taken), SyntaxFactory.GlobalStatement(changed)])
            : root.ReplaceNode(statement, [taken, changed]));
    }
}
