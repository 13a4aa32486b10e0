using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Opossum.Analyzers;

/// <summary>Finds [Tag] and [Personal] where they have no effect, or are refused when a store opens.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class MisplacedAttributeAnalyzer() : LibraryAnalyzer(Rules.MisplacedAttribute, Rules.MisplacedAttributeInside)
{
    private protected override void Register(CompilationStartAnalysisContext start, Library library)
    {
        if (start.Compilation.GetTypeByMetadataName("Opossum.TagAttribute") is { } tag
            && start.Compilation.GetTypeByMetadataName("Opossum.PersonalAttribute") is { } personal)
        {
            new InnerTags(library, tag).Register(start);
            start.RegisterSymbolAction(symbol => Check(symbol, tag, personal), SymbolKind.Property);
        }
    }

    private static void Check(SymbolAnalysisContext context, INamedTypeSymbol tag, INamedTypeSymbol personal)
    {
        var property = (IPropertySymbol)context.Symbol;
        var its = property.GetAttributes();
        if (its.IsEmpty)
            return;
        var (tagged, secret) = (Find(its, tag), Find(its, personal));
        if (tagged is not null && WhyNoTag(property) is { } noTag)
            Report(context, tagged, "[Tag]", noTag, "remove");
        if (secret is not null && WhyNotPersonal(property, tagged, secret) is { } notPersonal)
            Report(context, secret, "[Personal]", notPersonal.Why, notPersonal.Fix);
    }

    private static string? WhyNoTag(IPropertySymbol property) => property switch
    {
        { IsStatic: true } => "is not of an object",
        { IsIndexer: true } => "takes a parameter",
        { GetMethod: null } => "cannot be read",
        _ => null,
    };

    // It is removed only where nothing is stored: elsewhere that would store personal data in plain.
    private static (string Why, string? Fix)? WhyNotPersonal(IPropertySymbol property, AttributeData? tagged, AttributeData secret) => property switch
    {
        { IsStatic: true } => ("is not of an object", "remove"),
        { GetMethod: null } => ("cannot be read", "remove"),
        _ when tagged is not null && !HasValue(tagged, "IsPseudonym", true) => ("is a tag, which is stored readable", null),
        _ when IsIgnored(property) => ("is left out of the JSON", "remove"),
        _ when IsNeverNull(property) && !secret.NamedArguments.Any(static each => each.Key == "Placeholder") =>
            ("can be neither null nor a placeholder once the person is forgotten", "nullable"),
        _ when MissingSubject(property, secret) is { } missing =>
            ($"names the property {missing}, which {property.ContainingType.Name} does not have", null),
        _ => null,
    };

    private static AttributeData? Find(ImmutableArray<AttributeData> its, INamedTypeSymbol attribute) =>
        its.FirstOrDefault(each => SymbolEqualityComparer.Default.Equals(each.AttributeClass, attribute));

    private static bool HasValue(AttributeData attribute, string name, object value) =>
        attribute.NamedArguments.Any(each => each.Key == name && Equals(each.Value.Value, value));

    private static bool IsIgnored(IPropertySymbol property) => property.GetAttributes()
        .Any(static each => each is { AttributeClass.Name: "JsonIgnoreAttribute", NamedArguments.IsEmpty: true });

    // Without annotations nobody says that it is never null.
    private static bool IsNeverNull(IPropertySymbol property) => property.Type.IsValueType
        ? property.Type.OriginalDefinition.SpecialType != SpecialType.System_Nullable_T
        : property.Type is not ITypeParameterSymbol && property.NullableAnnotation == NullableAnnotation.NotAnnotated;

    private static string? MissingSubject(IPropertySymbol property, AttributeData secret)
    {
        if (secret.NamedArguments.FirstOrDefault(static each => each.Key == "SubjectProperty").Value.Value is not string name)
            return null;
        // A derived class may have it, and JSON may know it by another name.
        var names = property.ContainingType.GetMembers().OfType<IPropertySymbol>().ToList();
        var isKnown = !property.ContainingType.IsSealed || names.Exists(each => string.Equals(each.Name, name, StringComparison.OrdinalIgnoreCase)
            || each.GetAttributes().Any(static attribute => attribute.AttributeClass?.Name == "JsonPropertyNameAttribute"));
        return isKnown || property.ContainingType.BaseType is { SpecialType: SpecialType.None } ? null : name;
    }

    /// <summary>What tells the fix how to mend it: by "remove", "nullable" or, for null, not at all.</summary>
    public static ImmutableDictionary<string, string?> FixBy(string? fix) => ImmutableDictionary<string, string?>.Empty.Add("fix", fix);

    private static void Report(SymbolAnalysisContext context, AttributeData attribute, string name, string why, string? fix)
    {
        var place = attribute.ApplicationSyntaxReference?.GetSyntax(context.CancellationToken).GetLocation() ?? context.Symbol.Locations[0];
        context.ReportDiagnostic(Diagnostic.Create(Rules.MisplacedAttribute, place, FixBy(fix), name, context.Symbol.Name, why));
    }
}
