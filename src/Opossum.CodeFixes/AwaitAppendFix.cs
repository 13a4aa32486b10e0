using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.FindSymbols;
using Microsoft.CodeAnalysis.Formatting;
using Microsoft.CodeAnalysis.Text;
using Opossum.Analyzers;

namespace Opossum.CodeFixes;

/// <summary>Awaits an append, in what is async or can be made so: a method or local function that returns nothing.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp), Shared]
public sealed class AwaitAppendFix : CodeFixProvider
{
    private const string Title = "Await the append";

    public override ImmutableArray<string> FixableDiagnosticIds => [Rules.IgnoredAppend.Id];

    // All of a document at once: several appends make the same method async.
    public override FixAllProvider GetFixAllProvider() => FixAllProvider.Create(static async (context, document, found) =>
        (await FindFixAsync(document, [.. found.Select(static each => each.Location.SourceSpan)], context.CancellationToken)
            .ConfigureAwait(false))?.Invoke());

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        if (await FindFixAsync(context.Document, [context.Span], context.CancellationToken).ConfigureAwait(false) is { } fix)
            context.RegisterCodeFix(CodeAction.Create(Title, _ => Task.FromResult(fix()), Title), context.Diagnostics);
    }

    // Null: none of them can be awaited.
    private static async Task<Func<Document>?> FindFixAsync(Document document, TextSpan[] appends, CancellationToken cancellationToken)
    {
        var root = await document.GetSyntaxRootAsync(cancellationToken).ConfigureAwait(false);
        var model = await document.GetSemanticModelAsync(cancellationToken).ConfigureAwait(false);
        var (wholes, functions) = (new HashSet<SyntaxNode>(), new HashSet<SyntaxNode>());
        foreach (var append in appends)
        {
            var whole = root?.FindNode(append, getInnermostNodeForTie: true).AncestorsAndSelf()
                .TakeWhile(static each => each is not AnonymousFunctionExpressionSyntax)
                .Select(WholeOf).FirstOrDefault(static each => each is not null);
            // Without a store there is no task: an await would throw.
            if (whole is null || model is null || TaskOf(whole) is ConditionalAccessExpressionSyntax
                || FunctionOf(whole) is not { } function || IsLocked(whole, function) || !CanAwait(function, model)
                || (function is not CompilationUnitSyntax
                    && model.GetDeclaredSymbol(function, cancellationToken) is IMethodSymbol { IsAsync: false } method
                    && await IsHandlerAsync(method, document.Project.Solution, cancellationToken).ConfigureAwait(false)))
            {
                continue;
            }
            wholes.Add(whole);
            functions.Add(function);
        }
        return wholes.Count == 0 ? null : () => document.WithSyntaxRoot(root!.ReplaceNodes(wholes.Concat(functions),
            (original, changed) => wholes.Contains(original) ? Awaited((ExpressionSyntax)changed) : MakeAsync(changed)));
    }

    // A statement, or all that a method does.
    private static ExpressionSyntax? WholeOf(SyntaxNode node) => node switch
    {
        ExpressionStatementSyntax statement => statement.Expression,
        ArrowExpressionClauseSyntax arrow => arrow.Expression,
        _ => null,
    };

    private static ExpressionSyntax TaskOf(ExpressionSyntax whole) => whole is AssignmentExpressionSyntax discard ? discard.Right : whole;

    private static bool IsChoice(ExpressionSyntax task) =>
        task is ConditionalExpressionSyntax or SwitchExpressionSyntax or BinaryExpressionSyntax;

    private static SyntaxNode? FunctionOf(SyntaxNode whole) => whole.Ancestors().FirstOrDefault(static each => each
        is AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax or BaseMethodDeclarationSyntax or AccessorDeclarationSyntax
        or CompilationUnitSyntax);

    private static bool IsLocked(SyntaxNode whole, SyntaxNode function) =>
        whole.Ancestors().TakeWhile(each => each != function).Any(static each => each is LockStatementSyntax);

    private static bool CanAwait(SyntaxNode function, SemanticModel model) => function switch
    {
        CompilationUnitSyntax => true,
        AnonymousFunctionExpressionSyntax lambda => lambda.Modifiers.Any(SyntaxKind.AsyncKeyword),
        LocalFunctionStatementSyntax or MethodDeclarationSyntax =>
            model.GetDeclaredSymbol(function) is IMethodSymbol method && (method.IsAsync || CanBeAsync(method)),
        _ => false,
    };

    // Another declaration that says what it returns cannot be changed with it.
    private static bool CanBeAsync(IMethodSymbol method) => method is
    {
        ReturnsVoid: true, IsVirtual: false, IsOverride: false,
        PartialDefinitionPart: null
    } && !IsOfInterface(method)
        && method.Parameters.All(static each => each is { RefKind: RefKind.None, Type.IsRefLikeType: false });

    // What a delegate, an event or an interface that another class implements with it takes returns nothing.
    private static async Task<bool> IsHandlerAsync(IMethodSymbol method, Solution solution, CancellationToken cancellationToken)
    {
        if (method.Parameters.Length == 2 && IsEventArgs(method.Parameters[1].Type))
            return true;
        foreach (var found in await SymbolFinder.FindReferencesAsync(method, solution, cancellationToken).ConfigureAwait(false))
        {
            // Not where the definition is another one: a project has one for each target framework.
            if (found.Definition.ContainingType is { TypeKind: TypeKind.Interface })
                return true;
            foreach (var each in found.Locations)
            {
                var root = await each.Document.GetSyntaxRootAsync(cancellationToken).ConfigureAwait(false);
                if (root?.FindNode(each.Location.SourceSpan, getInnermostNodeForTie: true) is SimpleNameSyntax name && !IsCalled(name))
                    return true;
            }
        }
        return false;
    }

    private static bool IsEventArgs(ITypeSymbol? type) =>
        type is not null && (type is { Name: "EventArgs", ContainingNamespace.Name: "System" } || IsEventArgs(type.BaseType));

    private static bool IsCalled(SimpleNameSyntax name) =>
        (name.Parent is MemberAccessExpressionSyntax or MemberBindingExpressionSyntax ? name.Parent : name).Parent is InvocationExpressionSyntax;

    private static bool IsOfInterface(IMethodSymbol method) => method.ContainingType.AllInterfaces.SelectMany(static each => each.GetMembers())
        .Any(each => SymbolEqualityComparer.Default.Equals(method.ContainingType.FindImplementationForInterfaceMember(each), method));

    private static AwaitExpressionSyntax Awaited(ExpressionSyntax whole)
    {
        var task = TaskOf(whole).WithoutTrivia();
        return SyntaxFactory.AwaitExpression(IsChoice(task) ? SyntaxFactory.ParenthesizedExpression(task) : task)
            .WithTriviaFrom(whole).WithAdditionalAnnotations(Formatter.Annotation);
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
