using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Opossum.Analyzers;

/// <summary>Finds classes without a name for their events, where the library looks for the name.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class MissingEventTypeAnalyzer() : LibraryAnalyzer(Rules.MissingEventType, Rules.MissingEventTypeOfNewEvent)
{
    private protected override void Register(CompilationStartAnalysisContext start, Library library) =>
        new Search(library).Register(start);

    private sealed class Search(Library library)
    {
        private readonly ConcurrentBag<(ITypeSymbol Type, Location Location)> appended = [];
        private readonly ConcurrentDictionary<ITypeSymbol, bool> named = new(SymbolEqualityComparer.Default);
        private volatile bool isNamedElsewhere;

        public void Register(CompilationStartAnalysisContext start)
        {
            start.RegisterOperationAction(CheckCall, OperationKind.Invocation);
            start.RegisterOperationAction(CheckNewEvent, OperationKind.ObjectCreation);
            start.RegisterSymbolAction(AddBases, SymbolKind.NamedType);
            start.RegisterCompilationEndAction(ReportAppended);
        }

        private void CheckCall(OperationAnalysisContext context)
        {
            var call = (IInvocationOperation)context.Operation;
            var method = call.TargetMethod;
            if (method.TypeArguments.Length == 0 || method.Name is not ("On" or "For" or "Add")
                || !SymbolEqualityComparer.Default.Equals(method.ContainingAssembly, library.Store.ContainingAssembly))
            {
                return;
            }
            var hasName = method.Parameters.Any(static each => each.Type.SpecialType == SpecialType.System_String);
            foreach (var type in method.TypeArguments)
            {
                if (hasName)
                    AddNamed(type);
                else if (type is INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct } && !library.HasEventType(type))
                    context.ReportDiagnostic(Diagnostic.Create(Rules.MissingEventType, call.Syntax.GetLocation(), type.Locations, type.Name));
            }
        }

        private void AddNamed(ITypeSymbol type)
        {
            if (type is ITypeParameterSymbol)
                isNamedElsewhere = true;
            else
                named.TryAdd(type, true);
        }

        private void CheckNewEvent(OperationAnalysisContext context)
        {
            var creation = (IObjectCreationOperation)context.Operation;
            if (!library.IsNewEvent(creation) || Library.DataOf(creation) is not { } data)
                return;
            if (data.Type is INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct, IsAbstract: false, IsAnonymousType: false } type
                && SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, context.Compilation.Assembly) && !library.HasEventType(type))
            {
                appended.Add((type, data.Syntax.GetLocation()));
            }
        }

        // What is appended as its base class has the name of its own class.
        private void AddBases(SymbolAnalysisContext context)
        {
            var type = (INamedTypeSymbol)context.Symbol;
            if (!library.HasEventType(type))
                return;
            for (var each = type.BaseType; each is { SpecialType: SpecialType.None }; each = each.BaseType)
                named.TryAdd(each, true);
        }

        private void ReportAppended(CompilationAnalysisContext context)
        {
            if (isNamedElsewhere)
                return;
            foreach (var (type, location) in appended)
            {
                if (!named.ContainsKey(type))
                    context.ReportDiagnostic(Diagnostic.Create(Rules.MissingEventTypeOfNewEvent, location, type.Locations, type.Name));
            }
        }
    }
}
