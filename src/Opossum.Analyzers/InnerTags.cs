using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Opossum.Analyzers;

/// <summary>Finds [Tag] in classes that are only in the members of events: a tag is declared by the event's own class.</summary>
internal sealed class InnerTags(Library library, INamedTypeSymbol tag)
{
    private readonly ConcurrentBag<(INamedTypeSymbol Type, IPropertySymbol Property, AttributeData Tag)> declared = [];
    private readonly ConcurrentDictionary<ITypeSymbol, bool> inner = new(SymbolEqualityComparer.Default);
    private readonly ConcurrentDictionary<ITypeSymbol, bool> maybeEvents = new(SymbolEqualityComparer.Default);
    private volatile bool isUncertain;

    public void Register(CompilationStartAnalysisContext start)
    {
        start.RegisterSymbolAction(AddType, SymbolKind.NamedType);
        start.RegisterOperationAction(AddCall, OperationKind.Invocation);
        start.RegisterOperationAction(AddNewEvent, OperationKind.ObjectCreation);
        start.RegisterCompilationEndAction(Report);
    }

    private void AddType(SymbolAnalysisContext context)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        var isEvent = library.HasEventType(type);
        foreach (var property in type.GetMembers().OfType<IPropertySymbol>())
        {
            if (isEvent)
                AddInner(property.Type);
            else if (property.GetAttributes().FirstOrDefault(each => SymbolEqualityComparer.Default.Equals(each.AttributeClass, tag)) is { } its)
                declared.Add((type, property, its));
        }
        // What an event or a state derives from declares its tags.
        for (var each = type.BaseType; each is { SpecialType: SpecialType.None }; each = each.BaseType)
        {
            if (isEvent)
                maybeEvents.TryAdd(each, true);
            foreach (var argument in each.TypeArguments)
                maybeEvents.TryAdd(argument, true);
        }
    }

    private void AddInner(ITypeSymbol type)
    {
        if (type is IArrayTypeSymbol array)
        {
            AddInner(array.ElementType);
        }
        else if (type is INamedTypeSymbol named && inner.TryAdd(named, true))
        {
            foreach (var argument in named.TypeArguments)
                AddInner(argument);
        }
    }

    private void AddCall(OperationAnalysisContext context)
    {
        var method = ((IInvocationOperation)context.Operation).TargetMethod;
        if (method.TypeArguments.Length == 0 || !library.IsOf(method))
            return;
        foreach (var type in method.TypeArguments)
        {
            isUncertain |= type is ITypeParameterSymbol && method.Name == "Add";
            maybeEvents.TryAdd(type, true);
        }
    }

    private void AddNewEvent(OperationAnalysisContext context)
    {
        var creation = (IObjectCreationOperation)context.Operation;
        if (library.IsNewEvent(creation) && Library.DataOf(creation)?.Type is { } type)
            maybeEvents.TryAdd(type, true);
    }

    private void Report(CompilationAnalysisContext context)
    {
        foreach (var (type, property, its) in declared)
        {
            if (isUncertain || type.TypeKind == TypeKind.Interface || type.IsAbstract || !inner.ContainsKey(type) || maybeEvents.ContainsKey(type))
                continue;
            var place = its.ApplicationSyntaxReference?.GetSyntax(context.CancellationToken).GetLocation() ?? property.Locations[0];
            context.ReportDiagnostic(Diagnostic.Create(Rules.MisplacedAttributeInside, place, MisplacedAttributeAnalyzer.FixBy("remove"), "[Tag]",
                property.Name, $"is in {type.Name}, which is only a member of events"));
        }
    }
}
