using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Opossum.Analyzers.Generation;

namespace Opossum.Analyzers;

/// <summary>Finds event classes that a program uses and does not register, where it registers others.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class UnregisteredEventTypeAnalyzer() : LibraryAnalyzer(Rules.UnregisteredEventType)
{
    private protected override void Register(CompilationStartAnalysisContext start, Library library)
    {
        // Who uses a library registers its event types.
        if (start.Compilation.Options.OutputKind is OutputKind.ConsoleApplication or OutputKind.WindowsApplication)
            new Search(library).Register(start);
    }

    private sealed class Search(Library library)
    {
        private readonly ConcurrentBag<(ITypeSymbol Type, Location Location)> used = [];
        private readonly ConcurrentDictionary<ITypeSymbol, bool> registered = new(SymbolEqualityComparer.Default);
        private volatile bool isUncertain;
        private volatile bool isGenerated;

        public void Register(CompilationStartAnalysisContext start)
        {
            start.RegisterOperationAction(AddCall, OperationKind.Invocation);
            start.RegisterOperationAction(AddNewEvent, OperationKind.ObjectCreation);
            start.RegisterCompilationEndAction(Report);
        }

        private void AddCall(OperationAnalysisContext context)
        {
            var call = (IInvocationOperation)context.Operation;
            var method = call.TargetMethod;
            if (IsOfRegistry(method))
                AddRegistered(method);
            else if (method.Name is "On" or "For" && method.TypeArguments.Length > 0 && library.IsOf(method))
                AddUsed(context.Compilation, call, [.. method.TypeArguments]);
        }

        private static bool IsOfRegistry(IMethodSymbol method) => method.Name.StartsWith("Add", StringComparison.Ordinal)
            && (method.ContainingType.Name == "EventTypeRegistry" || method.Parameters.FirstOrDefault()?.Type.Name == "EventTypeRegistry"
                || method.ReducedFrom?.Parameters.FirstOrDefault()?.Type.Name == "EventTypeRegistry");

        // Another method that takes a type or an assembly, or is the program's own, may register any of them.
        private void AddRegistered(IMethodSymbol method)
        {
            if (method.Name is "AddUpcaster" or "AddPersonal")
                return;
            if (method.Name == "Add" && method.TypeArguments.Length == 1 && method.TypeArguments[0] is INamedTypeSymbol type && library.IsOf(method))
                registered.TryAdd(type, true);
            else if (method is { Name: "AddGenerated", ContainingType.Name: "GeneratedEventTypes" })
                isGenerated = true;
            else
                isUncertain = true;
        }

        private void AddNewEvent(OperationAnalysisContext context)
        {
            var creation = (IObjectCreationOperation)context.Operation;
            if (library.IsNewEvent(creation) && Library.DataOf(creation) is { Type: { } type } data)
                AddUsed(context.Compilation, data, type);
        }

        private void AddUsed(Compilation compilation, IOperation place, params ITypeSymbol[] types)
        {
            foreach (var type in types)
            {
                if (library.HasEventType(type) && SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, compilation.Assembly))
                    used.Add((type, place.Syntax.GetLocation()));
            }
        }

        private void Report(CompilationAnalysisContext context)
        {
            if (isUncertain || (registered.IsEmpty && !isGenerated))
                return;
            foreach (var (type, location) in used)
            {
                if (!registered.ContainsKey(type) && !(isGenerated && EventTypesGenerator.Registers(type, context.Compilation)))
                    context.ReportDiagnostic(Diagnostic.Create(Rules.UnregisteredEventType, location, type.Name));
            }
        }
    }
}
