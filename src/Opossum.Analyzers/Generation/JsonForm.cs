using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Opossum.Analyzers.Generation;

/// <summary>What of a class or struct is in its JSON, as the serializer finds it by reflection.</summary>
internal static class JsonForm
{
    private const string Serialization = "System.Text.Json.Serialization";

    /// <summary>What keeps the metadata of a type from being generated; null: nothing.</summary>
    public static string? FindProblem(INamedTypeSymbol type)
    {
        if (type.TypeKind is not (TypeKind.Class or TypeKind.Struct) || type.IsAbstract || type.IsTupleType
            || type.IsAnonymousType || type.IsRefLikeType)
        {
            return "is no class of its own";
        }
        if (type.IsGenericType)
            return "is generic";
        if (IsOfFramework(type.ContainingNamespace.ToDisplayString()))
            return "is a type of .NET without a value in JSON";
        if (type.BaseType is { SpecialType: not (SpecialType.System_Object or SpecialType.System_ValueType) })
            return "has a base class";
        if (type.AllInterfaces.Any(static each => each.SpecialType == SpecialType.System_Collections_IEnumerable))
            return "is a collection";
        if (AttributeOf(type) is { } attribute)
            return $"has the attribute {attribute}";
        if (type.GetMembers().OfType<IFieldSymbol>().FirstOrDefault(IsPublicField) is { } field)
            return $"has the public field {field.Name}";
        return FindProblemOfConstructor(type) ?? FindProblemOfProperties(type);
    }

    /// <summary>The constructor that a reader uses. A struct is made without one.</summary>
    public static IMethodSymbol? ConstructorOf(INamedTypeSymbol type)
    {
        if (type.TypeKind == TypeKind.Struct)
            return null;
        var all = type.InstanceConstructors.Where(IsPublic).ToList();
        return all.Find(static each => each.Parameters.Length == 0) ?? (all.Count == 1 ? all[0] : null);
    }

    /// <summary>The public properties, in the order of their declaration.</summary>
    public static IEnumerable<IPropertySymbol> PropertiesOf(INamedTypeSymbol type) =>
        type.GetMembers().OfType<IPropertySymbol>().Where(static each => each is { IsStatic: false, IsIndexer: false }
            && each.ExplicitInterfaceImplementations.IsEmpty && (IsPublic(each.GetMethod) || IsPublic(each.SetMethod)));

    public static bool IsIgnored(IPropertySymbol property) =>
        property.GetAttributes().Any(static each => NameOf(each) == "JsonIgnore");

    /// <summary>Whether the serializer has metadata of a property: not of an ignored one that no object can hold.</summary>
    public static bool IsDescribed(IPropertySymbol property) => !IsIgnored(property)
        || property.Type is { IsRefLikeType: false, TypeKind: not (TypeKind.Pointer or TypeKind.FunctionPointer) };

    public static string? GivenName(IPropertySymbol property) => property.GetAttributes()
        .FirstOrDefault(static each => NameOf(each) == "JsonPropertyName")?.ConstructorArguments[0].Value as string;

    public static bool IsSettable(IPropertySymbol property) => IsPublic(property.SetMethod);

    /// <summary>Whether a value may be null: without annotations nobody says that it may not.</summary>
    public static bool IsNullable(ITypeSymbol type, NullableAnnotation annotation) => type.IsValueType
        ? type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T
        : annotation != NullableAnnotation.NotAnnotated;

    /// <summary>Whether JSON without a property is refused, besides those that the constructor takes.</summary>
    public static bool IsRequired(INamedTypeSymbol type, IPropertySymbol property)
    {
        if (IsIgnored(property))
            return false;
        if (property.IsRequired)
            return ConstructorOf(type) is not { } used || !used.GetAttributes().Any(SetsRequired) || used.Parameters.Any(IsOfProperty);
        return type.IsValueType && ParameterOf(type, property) is { HasExplicitDefaultValue: false }
            && !IsNullable(property.Type, property.NullableAnnotation);

        bool IsOfProperty(IParameterSymbol parameter) => AreEqual(FindProperty(type, parameter), property);
    }

    /// <summary>The parameter of a struct's only constructor that sets a property: it is required, though it is not used.</summary>
    public static IParameterSymbol? ParameterOf(INamedTypeSymbol type, IPropertySymbol property) =>
        ParametersOf(type).FirstOrDefault(each => AreEqual(FindProperty(type, each), property));

    private static ImmutableArray<IParameterSymbol> ParametersOf(INamedTypeSymbol type)
    {
        var all = type.InstanceConstructors.Where(static each => IsPublic(each) && !each.IsImplicitlyDeclared).ToList();
        return all.Count == 1 && all[0].Parameters.All(each => FindProperty(type, each) is not null) ? all[0].Parameters : [];
    }

    private static string? FindProblemOfConstructor(INamedTypeSymbol type)
    {
        var isMade = type.TypeKind == TypeKind.Struct
            ? !type.InstanceConstructors.Any(static each => each is { Parameters.Length: 0, IsImplicitlyDeclared: false })
            : ConstructorOf(type) is not null;
        if (!isMade)
            return "has no constructor that a reader may use";
        if (type.InstanceConstructors.Any(static each => AttributeOf(each) is not null))
            return "has an attribute on a constructor";
        if (ConstructorOf(type)?.Parameters.Any(static each => each.RefKind != RefKind.None) == true)
            return "has a constructor with a parameter by reference";
        if (ConstructorOf(type)?.Parameters.FirstOrDefault(static each => each.GetAttributes().Any(SaysNull)) is { } special)
            return $"has an attribute that says when the parameter {special.Name} is null";
        return ConstructorOf(type)?.Parameters.FirstOrDefault(each => FindProperty(type, each) is null) is { } alone
            ? $"has a constructor with the parameter {alone.Name} and no property of its name and type"
            : null;
    }

    private static string? FindProblemOfProperties(INamedTypeSymbol type)
    {
        foreach (var member in type.GetMembers().Where(static each => each is IPropertySymbol or IFieldSymbol))
        {
            var isProperty = member is IPropertySymbol property && PropertiesOf(type).Contains(property, SymbolEqualityComparer.Default);
            if (member.GetAttributes().Select(NameOf).FirstOrDefault(each => each is not null && !(isProperty && IsCovered(each))) is { } attribute)
                return $"has the attribute {attribute} on {member.Name}";
        }
        foreach (var property in PropertiesOf(type))
        {
            if (!IsPublic(property.GetMethod))
                return $"has a property without a public getter, {property.Name}";
            if (IsIgnored(property) ? Code.IsForbidden(property.Type) : UsedOf(property).Any(Code.IsForbidden))
                return $"has a property that code may not use, {property.Name}";
            if (property.IsRequired && IsIgnored(property))
                return $"has a property that is required and ignored, {property.Name}";
            if (AllAttributesOf(property).Any(SaysNull))
                return $"has an attribute that says when {property.Name} is null";
            if (type.TypeKind == TypeKind.Struct && !IsIgnored(property) && !IsSettable(property))
                return $"is a struct with a property without a setter, {property.Name}";
            // The constructor, which the code does not call, may give it an initial value.
            if (type.TypeKind == TypeKind.Struct && !IsIgnored(property) && !ParametersOf(type).IsEmpty && ParameterOf(type, property) is null)
                return $"is a struct with a property that is no parameter of its constructor, {property.Name}";
            // Nor does it make another value of what the JSON lacks.
            if (ParameterOf(type, property) is not null && type.TypeKind == TypeKind.Struct && !IsRequired(type, property) && !IsPositional(property))
                return $"is a struct whose constructor may change {property.Name}";
        }
        return null;
    }

    // A setter that only an initializer may use is not called by its name.
    private static IEnumerable<ISymbol> UsedOf(IPropertySymbol property) => IsSettable(property) && !property.SetMethod!.IsInitOnly
        ? [property, property.GetMethod!, property.SetMethod]
        : [property, property.GetMethod!];

    private static bool IsPositional(IPropertySymbol property) =>
        property.DeclaringSyntaxReferences.Any(static each => each.GetSyntax() is ParameterSyntax);

    private static IPropertySymbol? FindProperty(INamedTypeSymbol type, IParameterSymbol parameter) => PropertiesOf(type)
        .FirstOrDefault(each => !IsIgnored(each) && parameter.RefKind == RefKind.None && AreEqual(each.Type, parameter.Type)
            && string.Equals(each.Name, parameter.Name, StringComparison.OrdinalIgnoreCase));

    private static string? AttributeOf(ISymbol symbol) =>
        symbol.GetAttributes().Select(NameOf).FirstOrDefault(static each => each is not null);

    // The serializer's attributes change the form, as do those that a user derives from them; others do not.
    private static string? NameOf(AttributeData attribute)
    {
        var type = attribute.AttributeClass;
        while (type is not null && type.ContainingNamespace.ToDisplayString() != Serialization)
            type = type.BaseType;
        if (type is null)
            return null;
        var name = type.Name.Substring(0, type.Name.Length - nameof(Attribute).Length);
        return name == "JsonIgnore" && attribute.NamedArguments.Length > 0 ? "JsonIgnore with a condition" : name;
    }

    private static bool IsCovered(string attribute) => attribute is "JsonPropertyName" or "JsonIgnore";

    private static bool IsOfFramework(string space) =>
        space == "System" || space.StartsWith("System.", StringComparison.Ordinal);

    private static bool IsPublic(IMethodSymbol? method) => method is { DeclaredAccessibility: Accessibility.Public };

    private static bool IsPublicField(IFieldSymbol field) =>
        field is { IsStatic: false, DeclaredAccessibility: Accessibility.Public };

    private static bool SetsRequired(AttributeData attribute) =>
        attribute.AttributeClass?.Name == "SetsRequiredMembersAttribute";

    // Of such a value, the annotation of the type is not all that the serializer looks at.
    private static bool SaysNull(AttributeData attribute) => attribute.AttributeClass?.ToDisplayString()
        is "System.Diagnostics.CodeAnalysis.AllowNullAttribute" or "System.Diagnostics.CodeAnalysis.DisallowNullAttribute"
        or "System.Diagnostics.CodeAnalysis.MaybeNullAttribute" or "System.Diagnostics.CodeAnalysis.NotNullAttribute";

    private static IEnumerable<AttributeData> AllAttributesOf(IPropertySymbol property) => [.. property.GetAttributes(),
        .. property.GetMethod?.GetReturnTypeAttributes() ?? [], .. property.SetMethod?.Parameters.Last().GetAttributes() ?? []];

    private static bool AreEqual(ISymbol? one, ISymbol? other) => SymbolEqualityComparer.Default.Equals(one, other);
}
