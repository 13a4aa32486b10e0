using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
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
            if (ValueOf(condition.Arguments, "FailIfEventsMatch") is not { } query || AfterOf(condition) is not { } after
                || OriginOf(after) is not { } origin)
            {
                return;
            }
            var before = reads.FindAll(each => ComesBefore(each.Moment, condition));
            var own = before.FindLast(each => AreSame(ValueOf(each.Call.Arguments, "query"), query));
            var moment = origin.TargetMethod.Name == "ReadAsync" ? before.FindLast(each => each.Call == origin)?.Moment : origin;
            if (own is null || moment is null || moment.Syntax.SpanStart < own.Moment.Syntax.SpanStart
                || AreSame(ValueOf(origin.Arguments, "query"), query))
            {
                return;
            }
            context.ReportDiagnostic(Diagnostic.Create(Rules.AfterOfAnotherRead, after.Syntax.GetLocation(),
                StreamOf(own.Call) is { } stream && IsThere(stream, after)
                    ? ImmutableDictionary<string, string?>.Empty.Add("stream", stream.Name) : null));
        }

        private static IOperation? AfterOf(IObjectCreationOperation condition) => ValueOf(condition.Arguments, "After")
            ?? condition.Initializer?.Initializers.OfType<ISimpleAssignmentOperation>()
                .FirstOrDefault(static each => each.Target is IPropertyReferenceOperation { Property.Name: "After" })?.Value;

        private static bool AreSame(IOperation? one, IOperation other) => one is not null && (SymbolOf(one) is { } symbol
            ? AreEqual(symbol, SymbolOf(other))
            : SyntaxFactory.AreEquivalent(Unwrap(one).Syntax, Unwrap(other).Syntax) && NamesIn(one).SequenceEqual(NamesIn(other),
                SymbolEqualityComparer.Default));

        private static IEnumerable<ISymbol?> NamesIn(IOperation value) => value.Syntax.DescendantNodesAndSelf().OfType<IdentifierNameSyntax>()
            .Select(each => value.SemanticModel!.GetSymbolInfo(each).Symbol);

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

        private void CheckCondition(IInvocationOperation append, List<Read> reads)
        {
            if (!IsOfStore(append) || (ValueOf(append.Arguments, "condition") is { } given && !IsNull(given))
                || SymbolOf(ReceiverOf(append)) is not { } store)
            {
                return;
            }
            var function = FunctionOf(append);
            var found = new Findings(append.SemanticModel!, function.Syntax, [.. reads.Where(each => FunctionOf(each.Moment) == function
                && ComesBefore(each.Moment, append) && AreEqual(SymbolOf(ReceiverOf(each.Call)), store)).Select(static each => each.Moment.Syntax)]);
            if (ChoicesOver(append.Syntax, function.Syntax).Any(found.Decide))
                context.ReportDiagnostic(Diagnostic.Create(Rules.MissingCondition, append.Syntax.GetLocation()));
        }

        // What decides whether code is reached: an if around it, and what stands before it and may leave.
        private static IEnumerable<StatementSyntax> ChoicesOver(SyntaxNode code, SyntaxNode function)
        {
            foreach (var each in code.AncestorsAndSelf().TakeWhile(each => each != function))
            {
                if (each is IfStatementSyntax around && !around.Condition.Span.Contains(code.Span))
                    yield return around;
                foreach (var before in StatementsOf(each.Parent).Where(other => other.SpanStart < each.SpanStart && MayLeave(other)))
                    yield return before;
            }
        }

        private static IEnumerable<StatementSyntax> StatementsOf(SyntaxNode? parent) => parent switch
        {
            BlockSyntax block => block.Statements,
            SwitchSectionSyntax section => section.Statements,
            CompilationUnitSyntax program => program.Members.OfType<GlobalStatementSyntax>().Select(static each => each.Statement),
            _ => [],
        };

        private static bool MayLeave(StatementSyntax statement) =>
            statement.DescendantNodes(static each => each is not (AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax)).Any(each =>
                each is ReturnStatementSyntax or ThrowStatementSyntax
                || (each is BreakStatementSyntax or ContinueStatementSyntax && statement is IfStatementSyntax
                    && each.Ancestors().TakeWhile(other => other != statement).All(static other =>
                        other is IfStatementSyntax or ElseClauseSyntax or BlockSyntax)));

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

    /// <summary>What some reads of a function found: they, and the variables that are written where it is used.</summary>
    private sealed class Findings
    {
        private readonly SemanticModel model;
        private readonly List<SyntaxNode> reads;
        private readonly HashSet<ISymbol> variables = new(SymbolEqualityComparer.Default);

        public Findings(SemanticModel model, SyntaxNode function, List<SyntaxNode> reads)
        {
            (this.model, this.reads) = (model, reads);
            foreach (var statement in function.DescendantNodes().OfType<StatementSyntax>().Where(Decide))
            {
                variables.UnionWith(model.AnalyzeDataFlow(statement)!.WrittenInside);
                // A call may change its object: a list that is added to.
                if (statement is ExpressionStatementSyntax
                    && statement.DescendantNodes().OfType<IdentifierNameSyntax>().FirstOrDefault() is { } changed
                    && model.GetSymbolInfo(changed).Symbol is ILocalSymbol local)
                {
                    variables.Add(local);
                }
            }
        }

        /// <summary>Whether what a statement does depends on what was found.</summary>
        public bool Decide(StatementSyntax statement) => statement switch
        {
            IfStatementSyntax choice => Has(choice.Condition),
            WhileStatementSyntax loop => Has(loop.Condition),
            CommonForEachStatementSyntax loop => Has(loop.Expression),
            LocalDeclarationStatementSyntax or ExpressionStatementSyntax => Has(statement),
            _ => false,
        };

        private bool Has(SyntaxNode node) => reads.Exists(each => node.Span.Contains(each.Span)) || (variables.Count > 0
            && node.DescendantNodesAndSelf().OfType<IdentifierNameSyntax>().Any(each => variables.Contains(model.GetSymbolInfo(each).Symbol!)));
    }
}
