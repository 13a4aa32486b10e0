using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Opossum.Analyzers;

/// <summary>Finds conditions whose After is of another read, and appends that depend on a read and have no condition.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ConditionAnalyzer() : LibraryAnalyzer(Rules.AfterOfAnotherRead, Rules.MissingCondition)
{
    private protected override void Register(CompilationStartAnalysisContext start, Library library) =>
        start.RegisterOperationBlockAction(block => new Body(block, library).Check());

    /// <summary>The calls of a method's body, in the order of the code.</summary>
    private sealed class Body(OperationBlockAnalysisContext context, Library library)
    {
        private readonly List<IInvocationOperation> calls = [.. context.OperationBlocks.SelectMany(static each => each.Descendants())
            .OfType<IInvocationOperation>()
            .Where(call => call.TargetMethod.Name.EndsWith("Async", StringComparison.Ordinal) && library.IsOf(call.TargetMethod))
            .OrderBy(static each => each.Syntax.SpanStart)];

        public void Check()
        {
            var reads = calls.Where(static each => each.TargetMethod.Name is "ReadAsync" or "ReadLastAsync" or "ExistsAsync")
                .SelectMany(each => MomentsOf(each).Select(moment => new Read(each, moment)))
                .OrderBy(static each => each.Moment.Syntax.SpanStart).ToList();
            if (reads.Count == 0)
                return;
            foreach (var condition in context.OperationBlocks.SelectMany(static each => each.Descendants()).OfType<IObjectCreationOperation>()
                .Where(static each => each.Type is { Name: "AppendCondition", ContainingNamespace.Name: "Opossum" }))
            {
                CheckAfter(condition, reads);
            }
            foreach (var append in calls.Where(static each => each.TargetMethod.Name == "AppendAsync"))
                CheckCondition(append, reads);
        }

        // A position that is older than the read is safe: it refuses too much, not too little.
        private void CheckAfter(IObjectCreationOperation condition, List<Read> reads)
        {
            if (SymbolOf(ValueOf(condition.Arguments, "FailIfEventsMatch")) is not { } query || ValueOf(condition.Arguments, "After") is not { } after
                || OriginOf(after) is not { } origin)
            {
                return;
            }
            var before = reads.FindAll(each => ComesBefore(each.Moment, condition));
            var own = before.FindLast(each => AreEqual(SymbolOf(ValueOf(each.Call.Arguments, "query")), query));
            var moment = origin.TargetMethod.Name == "ReadAsync" ? before.FindLast(each => each.Call == origin)?.Moment : origin;
            if (own is null || moment is null || moment.Syntax.SpanStart < own.Moment.Syntax.SpanStart
                || AreEqual(SymbolOf(ValueOf(origin.Arguments, "query")), query))
            {
                return;
            }
            context.ReportDiagnostic(Diagnostic.Create(Rules.AfterOfAnotherRead, after.Syntax.GetLocation(),
                StreamOf(own.Call) is { } stream && IsThere(stream, after)
                    ? ImmutableDictionary<string, string?>.Empty.Add("stream", stream.Name) : null));
        }

        private static bool IsThere(ILocalSymbol local, IOperation place) =>
            place.SemanticModel!.LookupSymbols(place.Syntax.SpanStart, name: local.Name).Any(each => AreEqual(each, local));

        // The call that a position comes from: a read whose head it is, or GetHeadAsync.
        private IInvocationOperation? OriginOf(IOperation after) => Unwrap(after) switch
        {
            IPropertyReferenceOperation { Property.Name: "Head", Instance: ILocalReferenceOperation { Local: { } stream } } =>
                calls.Find(each => AreEqual(StreamOf(each), stream)),
            IAwaitOperation awaited => calls.Find(each => each.TargetMethod.Name == "GetHeadAsync" && AwaitOf(each) == awaited),
            ILocalReferenceOperation { Local: { } local } => calls.Find(each => each.TargetMethod.Name == "GetHeadAsync"
                && AwaitOf(each) is { Parent: IVariableInitializerOperation { Parent: IVariableDeclaratorOperation declarator } }
                && AreEqual(declarator.Symbol, local)),
            _ => null,
        };

        private static IAwaitOperation? AwaitOf(IInvocationOperation call) =>
            (call.Parent is IInvocationOperation { TargetMethod.Name: "ConfigureAwait" } same ? same.Parent : call.Parent) as IAwaitOperation;

        private static ILocalSymbol? StreamOf(IInvocationOperation read) => read is
        {
            TargetMethod.Name: "ReadAsync", Parent: IVariableInitializerOperation { Parent: IVariableDeclaratorOperation declarator },
        } ? declarator.Symbol : null;

        // A stream is read where it is enumerated: where the variable that has it is used.
        private IEnumerable<IOperation> MomentsOf(IInvocationOperation read)
        {
            IOperation each = read;
            while (each.Parent is IInvocationOperation or IArgumentOperation or IConversionOperation or IVariableInitializerOperation)
                each = each.Parent;
            return read.TargetMethod.Name == "ReadAsync" && each.Parent is IVariableDeclaratorOperation { Symbol: { } variable }
                && variable.Type.Name is not ("Task" or "ValueTask")
                ? context.OperationBlocks.SelectMany(static block => block.Descendants()).OfType<ILocalReferenceOperation>().Where(use =>
                    AreEqual(use.Local, variable) && use.Parent is not (INameOfOperation or IPropertyReferenceOperation { Property.Name: "Head" }))
                : [read];
        }

        // Only where an if stands between the read and the append, the append depends on what was read.
        private void CheckCondition(IInvocationOperation append, List<Read> reads)
        {
            if (!IsOfStore(append) || (ValueOf(append.Arguments, "condition") is { } given && !IsNull(given)))
                return;
            var function = FunctionOf(append);
            if (append.Syntax.FirstAncestorOrSelf<IfStatementSyntax>() is not { } choice || SymbolOf(ReceiverOf(append)) is not { } store)
                return;
            if (reads.Exists(each => each.Moment.Syntax.SpanStart < choice.Condition.Span.End && FunctionOf(each.Moment) == function
                && ComesBefore(each.Moment, append) && AreEqual(SymbolOf(ReceiverOf(each.Call)), store)))
            {
                context.ReportDiagnostic(Diagnostic.Create(Rules.MissingCondition, append.Syntax.GetLocation()));
            }
        }

        private bool IsOfStore(IInvocationOperation append) =>
            ReceiverOf(append)?.Type is { } type && (AreEqual(type, library.Store) || type.AllInterfaces.Any(each => AreEqual(each, library.Store)));

        private static bool AreEqual(ISymbol? one, ISymbol? other) => SymbolEqualityComparer.Default.Equals(one, other);

        private static IOperation? ReceiverOf(IInvocationOperation call) =>
            call.Instance ?? (call.TargetMethod.IsExtensionMethod && call.Arguments.Length > 0 ? Unwrap(call.Arguments[0].Value) : null);

        // What another lambda or another branch reads need not have been read.
        private static bool ComesBefore(IOperation read, IOperation later)
        {
            var (first, second) = (read.Syntax, later.Syntax.Span);
            if (first.SpanStart >= second.Start || !FunctionOf(read).Syntax.Span.Contains(second))
                return false;
            return first.Ancestors().First(each => each.Span.Contains(second)) switch
            {
                IfStatementSyntax choice => choice.Condition.Span.Contains(first.Span),
                SwitchStatementSyntax choice => choice.Expression.Span.Contains(first.Span),
                SwitchExpressionSyntax choice => choice.GoverningExpression.Span.Contains(first.Span),
                ConditionalExpressionSyntax choice => choice.Condition.Span.Contains(first.Span),
                _ => true,
            };
        }

        private static IOperation FunctionOf(IOperation operation)
        {
            var each = operation;
            while (each.Parent is { } parent && each is not (IAnonymousFunctionOperation or ILocalFunctionOperation))
                each = parent;
            return each;
        }

        private static IOperation? ValueOf(ImmutableArray<IArgumentOperation> arguments, string parameter) =>
            arguments.FirstOrDefault(each => each.Parameter?.Name == parameter && each.ArgumentKind != ArgumentKind.DefaultValue)?.Value;

        private static IOperation Unwrap(IOperation value) => value is IConversionOperation conversion ? Unwrap(conversion.Operand) : value;

        private static bool IsNull(IOperation value) => Unwrap(value).ConstantValue is { HasValue: true, Value: null };

        private static ISymbol? SymbolOf(IOperation? value) => value is null ? null : Unwrap(value) switch
        {
            ILocalReferenceOperation local => local.Local,
            IParameterReferenceOperation parameter => parameter.Parameter,
            IFieldReferenceOperation { Instance: null or IInstanceReferenceOperation } field => field.Field,
            IPropertyReferenceOperation { Instance: null or IInstanceReferenceOperation } property => property.Property,
            _ => null,
        };
    }

    /// <summary>A read, and the operation at which it happens.</summary>
    private sealed record Read(IInvocationOperation Call, IOperation Moment);
}
