using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Opossum.Analyzers;

/// <summary>The types of the library that the rules are about. A compilation without them has nothing to check.</summary>
internal sealed class Library
{
    private Library(INamedTypeSymbol store, INamedTypeSymbol newEvent, INamedTypeSymbol eventType)
    {
        Store = store;
        NewEvent = newEvent;
        EventType = eventType;
    }

    public INamedTypeSymbol Store { get; }

    public INamedTypeSymbol NewEvent { get; }

    public INamedTypeSymbol EventType { get; }

    public static Library? Of(Compilation compilation) =>
        compilation.GetTypeByMetadataName("Opossum.IEventStore") is { } store
        && compilation.GetTypeByMetadataName("Opossum.NewEvent") is { } newEvent
        && compilation.GetTypeByMetadataName("Opossum.EventTypeAttribute") is { } eventType
            ? new Library(store, newEvent, eventType)
            : null;

    /// <summary>Whether a method is of the library, or one of the contract that a user's store implements.</summary>
    public bool IsOf(IMethodSymbol method) => SymbolEqualityComparer.Default.Equals(method.ContainingAssembly, Store.ContainingAssembly)
        || method.ContainingType.AllInterfaces.Contains(Store, SymbolEqualityComparer.Default);

    /// <summary>Whether a class has a name for its events. It is not inherited.</summary>
    public bool HasEventType(ITypeSymbol type) =>
        type.GetAttributes().Any(each => SymbolEqualityComparer.Default.Equals(each.AttributeClass, EventType));

    /// <summary>The object that an event is made of, as it is declared; null: the event is made of JSON.</summary>
    public static IOperation? DataOf(IObjectCreationOperation newEvent)
    {
        var data = newEvent.Arguments.FirstOrDefault(static each => each.Parameter?.Name == "data")?.Value;
        return data is IConversionOperation { IsImplicit: true } conversion ? conversion.Operand : data;
    }

    public bool IsNewEvent(IObjectCreationOperation creation) => SymbolEqualityComparer.Default.Equals(creation.Type, NewEvent);
}
