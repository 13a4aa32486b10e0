using System.Collections.Concurrent;
using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Opossum.Analyzers;

/// <summary>Finds handlers and queries of events that never have the tag that is asked for.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class MissingTagAnalyzer() : LibraryAnalyzer(Rules.MissingTag)
{
    private protected override void Register(CompilationStartAnalysisContext start, Library library) =>
        new Search(library).Register(start);

    private sealed class Search(Library library)
    {
        private readonly ConcurrentBag<(INamedTypeSymbol Type, string Key, Location Location)> asked = [];
        private readonly ConcurrentDictionary<ITypeSymbol, bool> made = new(SymbolEqualityComparer.Default);
        private readonly ConcurrentDictionary<ITypeSymbol, bool> tagged = new(SymbolEqualityComparer.Default);
        // The keys of tag rules; null is one that is not seen.
        private readonly ConcurrentBag<string?> ruled = [];

        public void Register(CompilationStartAnalysisContext start)
        {
            start.RegisterOperationAction(AddAsked, OperationKind.Invocation);
            start.RegisterOperationAction(AddMade, OperationKind.ObjectCreation);
            start.RegisterCompilationEndAction(Report);
        }

        private void AddAsked(OperationAnalysisContext context)
        {
            var call = (IInvocationOperation)context.Operation;
            var method = call.TargetMethod;
            if (method.TypeArguments.Length == 0 || method.Name is not ("On" or "For") || !library.IsOf(method)
                || (method.Name == "For" ? call : ProjectionOf(call)) is not { } tags)
            {
                return;
            }
            var keys = TagsOf(tags.Arguments).Select(KeyOf).Where(static each => each is not null).ToList();
            foreach (var type in method.TypeArguments.OfType<INamedTypeSymbol>())
            {
                if (SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, context.Compilation.Assembly)
                    && keys.Find(key => !HasTag(type, key!)) is { } missing)
                {
                    asked.Add((type, missing, call.Syntax.GetLocation()));
                }
            }
        }

        // The call of Create at the beginning of a chain; null: the projection comes from elsewhere.
        private static IInvocationOperation? ProjectionOf(IOperation? call) => call switch
        {
            IInvocationOperation { TargetMethod.Name: "Create", TargetMethod.ContainingType.Name: "DecisionProjection" } create => create,
            IInvocationOperation { TargetMethod.Name: "On" or "LastEventOnly", Instance: { } instance } => ProjectionOf(instance),
            _ => null,
        };

        private static ImmutableArray<IOperation> TagsOf(ImmutableArray<IArgumentOperation> arguments) =>
            arguments.FirstOrDefault(static each => each.Parameter?.Name == "tags")?.Value is IArrayCreationOperation { Initializer: { } elements }
                ? elements.ElementValues
                : [];

        private static string? KeyOf(IOperation tag) => tag switch
        {
            IObjectCreationOperation { Type.Name: "Tag" } creation => Constant(creation.Arguments),
            IInvocationOperation { TargetMethod: { Name: "From" or "Pseudonym", ContainingType.Name: "Tag" } } call => Constant(call.Arguments),
            _ => null,
        };

        private static string? Constant(ImmutableArray<IArgumentOperation> arguments) =>
            arguments.FirstOrDefault(static each => each.Parameter?.Name == "key")?.Value.ConstantValue.Value as string;

        private static bool HasTag(INamedTypeSymbol type, string key)
        {
            for (var each = type; each is not null; each = each.BaseType)
            {
                if (each.GetMembers().Any(member => DeclaresTag(member, key)))
                    return true;
            }
            return type.AllInterfaces.SelectMany(static each => each.GetMembers()).Any(member => DeclaresTag(member, key));
        }

        private static bool DeclaresTag(ISymbol member, string key) => member is IPropertySymbol && member.GetAttributes()
            .Any(each => each is { AttributeClass.Name: "TagAttribute", ConstructorArguments: { Length: 1 } arguments }
                && arguments[0].Value as string == key);

        private void AddMade(OperationAnalysisContext context)
        {
            var creation = (IObjectCreationOperation)context.Operation;
            if (creation.Type is null)
                return;
            if (creation is { Type.Name: "TagRule", Constructor: { } constructor } && library.IsOf(constructor))
                ruled.Add(Constant(creation.Arguments));
            if (!library.IsNewEvent(creation))
            {
                made.TryAdd(creation.Type, true);
            }
            else if (TagsOf(creation.Arguments).Any() || !HasArrayOfTags(creation))
            {
                if (Library.DataOf(creation)?.Type is { } type)
                    tagged.TryAdd(type, true);
            }
        }

        private static bool HasArrayOfTags(IObjectCreationOperation creation) =>
            creation.Arguments.FirstOrDefault(static each => each.Parameter?.Name == "tags")?.Value is null or IArrayCreationOperation;

        // An event may get the tag where it is appended; where that is not seen at all, nothing is known.
        private void Report(CompilationAnalysisContext context)
        {
            foreach (var (type, key, location) in asked)
            {
                if (ruled.Contains(key) || ruled.Contains(null))
                    continue;
                if (made.ContainsKey(type) && !tagged.Keys.Any(each => CanBe(type, each, context.Compilation)))
                    context.ReportDiagnostic(Diagnostic.Create(Rules.MissingTag, location, type.Name, key));
            }
        }

        private static bool CanBe(INamedTypeSymbol type, ITypeSymbol declared, Compilation compilation) =>
            declared is ITypeParameterSymbol or IDynamicTypeSymbol || compilation.ClassifyCommonConversion(type, declared).IsImplicit;
    }
}
