using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Opossum.Analyzers.Generation;

/// <summary>How symbols are written as code.</summary>
internal static class Code
{
    /// <summary>A name without <c>global::</c> and without question marks.</summary>
    public static readonly SymbolDisplayFormat Plain = SymbolDisplayFormat.CSharpErrorMessageFormat
        .RemoveMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier)
        .WithMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.UseSpecialTypes | SymbolDisplayMiscellaneousOptions.EscapeKeywordIdentifiers);

    /// <summary>A type's name that means the same everywhere.</summary>
    public static string NameOf(ITypeSymbol type) => type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat);

    public const string Options = "global::System.Text.Json.JsonSerializerOptions";

    /// <summary>A member's name, also where it is a keyword.</summary>
    public static string Identifier(string name) => SyntaxFacts.GetKeywordKind(name) == SyntaxKind.None ? name : "@" + name;

    public static string Literal(string text) => SymbolDisplay.FormatLiteral(text, quote: true);

    /// <summary>Whether code of the assembly can name a type.</summary>
    public static bool IsAccessible(ITypeSymbol type, Compilation compilation) => type switch
    {
        IArrayTypeSymbol array => IsAccessible(array.ElementType, compilation),
        INamedTypeSymbol { IsFileLocal: true } => false,
        { ContainingType: { } outer } when !IsAccessible(outer, compilation) => false,
        _ => !IsForbidden(type) && compilation.IsSymbolAccessibleWithin(type, compilation.Assembly),
    };

    /// <summary>Whether the compiler refuses code that names a type or a member: it is obsolete, as an error.</summary>
    public static bool IsForbidden(ISymbol symbol) => symbol.GetAttributes().Any(static each =>
        each.AttributeClass?.ToDisplayString() == "System.ObsoleteAttribute"
        && each.ConstructorArguments.LastOrDefault().Value is true);
}
