using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Opossum.Analyzers;

/// <summary>Finds appends whose task nobody awaits, where the compiler does not warn: in methods that are not async, and discards.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class IgnoredAppendAnalyzer() : LibraryAnalyzer(Rules.IgnoredAppend)
{
    private protected override void Register(CompilationStartAnalysisContext start, Library library) =>
        start.RegisterOperationAction(operation => Check(operation, library), OperationKind.Invocation);

    private static void Check(OperationAnalysisContext context, Library library)
    {
        var call = (IInvocationOperation)context.Operation;
        if (call.TargetMethod.Name is not ("AppendAsync" or "ExecuteDecisionAsync" or "ScheduleAsync") || !library.IsOf(call.TargetMethod))
            return;
        if (IsIgnored(call))
            context.ReportDiagnostic(Diagnostic.Create(Rules.IgnoredAppend, call.Syntax.GetLocation(), call.TargetMethod.Name));
    }

    private static bool IsIgnored(IOperation call)
    {
        var (value, parent) = (call, call.Parent);
        while (HasSameTask(parent, value))
            (value, parent) = (parent!, parent!.Parent);
        return parent switch
        {
            IExpressionStatementOperation => value is IConditionalAccessOperation || !IsWarnedAbout(value),
            ISimpleAssignmentOperation { Target: IDiscardOperation, Parent: IExpressionStatementOperation } => true,
            IVariableInitializerOperation { Parent: IVariableDeclaratorOperation { Symbol.Name: "_" } } => true,
            _ => false,
        };
    }

    private static bool HasSameTask(IOperation? outer, IOperation value) => outer switch
    {
        IConditionalAccessOperation access => access.WhenNotNull == value,
        IInvocationOperation { TargetMethod.Name: "ConfigureAwait" or "WaitAsync" } same => same.Instance == value,
        ISwitchExpressionOperation choice => choice.Value != value,
        IConversionOperation or IConditionalOperation or ICoalesceOperation or ISwitchExpressionArmOperation => true,
        _ => false,
    };

    // CS4014 is the compiler's own warning about the rest. In an expression that is the whole body it does not appear.
    private static bool IsWarnedAbout(IOperation statement)
    {
        foreach (var node in statement.Syntax.AncestorsAndSelf())
        {
            switch (node)
            {
                case AnonymousFunctionExpressionSyntax lambda:
                    return lambda.Modifiers.Any(SyntaxKind.AsyncKeyword);
                case LocalFunctionStatementSyntax function:
                    return function.Modifiers.Any(SyntaxKind.AsyncKeyword);
                case BaseMethodDeclarationSyntax method:
                    return method.Modifiers.Any(SyntaxKind.AsyncKeyword);
                case AccessorDeclarationSyntax or BasePropertyDeclarationSyntax:
                    return false;
                case CompilationUnitSyntax unit:
                    return unit.DescendantNodes(static each => each is not (MemberDeclarationSyntax and not GlobalStatementSyntax)
                        && each is not (AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax)).Any(static each => IsAwait(each));
                default:
                    continue;
            }
        }
        return false;
    }

    private static bool IsAwait(SyntaxNode node) => node is AwaitExpressionSyntax
        or CommonForEachStatementSyntax { AwaitKeyword.RawKind: not 0 }
        or LocalDeclarationStatementSyntax { AwaitKeyword.RawKind: not 0 }
        or UsingStatementSyntax { AwaitKeyword.RawKind: not 0 };
}
