using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Opossum.Analyzers.Generation;

/// <summary>Generates <c>AddGenerated()</c>, which registers every event type of the assembly, with its JSON metadata.</summary>
[Generator(LanguageNames.CSharp)]
public sealed class EventTypesGenerator : IIncrementalGenerator
{
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        // What it generates is the assembly's own, also where another one sees its internal types.
        context.RegisterPostInitializationOutput(static output => output.AddEmbeddedAttributeDefinition());
        var classes = context.SyntaxProvider.ForAttributeWithMetadataName("Opossum.EventTypeAttribute",
                static (node, _) => node is TypeDeclarationSyntax,
                static (found, _) => ClassOf((INamedTypeSymbol)found.TargetSymbol, found.SemanticModel.Compilation))
            .Where(static each => each is not null).Collect();
        context.RegisterSourceOutput(classes, static (output, found) => Write(output, found!));
    }

    /// <summary>Whether an event class is registered. What cannot be an event is refused where it is used.</summary>
    public static bool Registers(ITypeSymbol type, Compilation compilation) =>
        type is INamedTypeSymbol { IsAbstract: false, IsStatic: false, IsRefLikeType: false, IsGenericType: false }
        && Code.IsAccessible(type, compilation);

    private static EventClass? ClassOf(INamedTypeSymbol type, Compilation compilation) =>
        Registers(type, compilation) ? JsonShapes.Of(type, compilation) : null;

    private static void Write(SourceProductionContext output, ImmutableArray<EventClass> classes)
    {
        if (!classes.IsEmpty)
            output.AddSource("EventTypes.g.cs", EventTypesCode.Of(classes));
    }
}
