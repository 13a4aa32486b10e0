using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Opossum.Analyzers;

/// <summary>Finds clocks, random values and side effects in the functions that decide: they are called once for each attempt.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class DecisionAnalyzer() : LibraryAnalyzer(Rules.UnstableDecision, Rules.EffectInDecision)
{
    private protected override void Register(CompilationStartAnalysisContext start, Library library) =>
        start.RegisterOperationAction(operation => Check(operation, library), OperationKind.Invocation);

    private static void Check(OperationAnalysisContext context, Library library)
    {
        var call = (IInvocationOperation)context.Operation;
        // A scenario of Opossum.Testing decides, too.
        if (call.TargetMethod.Name is not ("ExecuteDecisionAsync" or "When")
            || call.TargetMethod.ContainingNamespace?.ToDisplayString() is not ("Opossum" or "Opossum.Testing"))
        {
            return;
        }
        var decide = call.Arguments.FirstOrDefault(static each => each.Parameter?.Name == "decide")?.Value;
        var bodies = new List<IOperation>();
        AddBodies(BodyOf(decide), bodies);
        foreach (var body in bodies)
        {
            foreach (var operation in body.Descendants())
            {
                if (Judge(operation, body, library) is var (rule, what))
                    context.ReportDiagnostic(Diagnostic.Create(rule, operation.Syntax.GetLocation(), what));
            }
        }
    }

    private static IOperation? BodyOf(IOperation? decide) => decide switch
    {
        IConversionOperation conversion => BodyOf(conversion.Operand),
        IDelegateCreationOperation creation => BodyOf(creation.Target),
        IAnonymousFunctionOperation function => function,
        IMethodReferenceOperation reference => BodyOf(reference.Method, reference),
        _ => null,
    };

    // A method of another file is not looked into.
    private static IOperation? BodyOf(IMethodSymbol method, IOperation use) =>
        method.DeclaringSyntaxReferences is { Length: 1 } declared && declared[0].SyntaxTree == use.Syntax.SyntaxTree
            ? use.SemanticModel?.GetOperation(declared[0].GetSyntax())
            : null;

    // What is called on another object may change that one only, and it may be new in each attempt.
    private static void AddBodies(IOperation? body, List<IOperation> bodies)
    {
        if (body is null || bodies.Exists(each => each.Syntax.Span.OverlapsWith(body.Syntax.Span)))
            return;
        bodies.Add(body);
        foreach (var call in body.Descendants().OfType<IInvocationOperation>())
        {
            if (call.Instance is null or IInstanceReferenceOperation)
                AddBodies(BodyOf(call.TargetMethod, call), bodies);
        }
    }

    private static (DiagnosticDescriptor Rule, string What)? Judge(IOperation operation, IOperation body, Library library) => operation switch
    {
        IPropertyReferenceOperation { Property: { } property } when Impure.IsUnstable(property) => (Rules.UnstableDecision, NameOf(property)),
        IInvocationOperation { TargetMethod: { } method } when Impure.IsUnstable(method) => (Rules.UnstableDecision, NameOf(method)),
        IInvocationOperation { TargetMethod: { } method } when Impure.IsEffect(method) || IsAppend(method, library) =>
            (Rules.EffectInDecision, NameOf(method)),
        IInvocationOperation { TargetMethod: { } method, Instance: { } list }
            when Impure.IsChangeOfCollection(method) && IsOutside(list, body) => (Rules.EffectInDecision, NameOf(method)),
        IIncrementOrDecrementOperation { Target: { } target } when IsOutside(target, body) => Change(target),
        ICompoundAssignmentOperation { Target: { } target } when IsOutside(target, body) => Change(target),
        _ => null,
    };

    private static (DiagnosticDescriptor Rule, string What) Change(IOperation target) =>
        (Rules.EffectInDecision, $"The change of {target.Syntax}");

    private static bool IsAppend(IMethodSymbol method, Library library) =>
        method.Name is "AppendAsync" or "ExecuteDecisionAsync" or "ScheduleAsync" && library.IsOf(method);

    private static string NameOf(ISymbol symbol) => $"{symbol.ContainingType.Name}.{symbol.Name}";

    // What the function itself declares is new in each attempt. What is set, and not counted, has the value of the last attempt.
    private static bool IsOutside(IOperation target, IOperation body) => target switch
    {
        ILocalReferenceOperation { Local: { } local } => !IsWithin(local, body),
        IParameterReferenceOperation { Parameter: { } parameter } => !IsWithin(parameter, body),
        IFieldReferenceOperation { Instance: null or IInstanceReferenceOperation } => true,
        IFieldReferenceOperation { Instance: { } instance } => IsOutside(instance, body),
        IArrayElementReferenceOperation { ArrayReference: { } array } => IsOutside(array, body),
        IPropertyReferenceOperation { Instance: null or IInstanceReferenceOperation } => true,
        IPropertyReferenceOperation { Instance: { } instance } => IsOutside(instance, body),
        _ => false,
    };

    private static bool IsWithin(ISymbol symbol, IOperation body) => symbol.DeclaringSyntaxReferences
        .Any(each => each.SyntaxTree == body.Syntax.SyntaxTree && body.Syntax.Span.Contains(each.Span));
}
