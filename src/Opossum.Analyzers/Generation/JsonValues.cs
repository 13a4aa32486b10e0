using Microsoft.CodeAnalysis;

namespace Opossum.Analyzers.Generation;

/// <summary>The values and collections whose JSON metadata System.Text.Json makes without reflection.</summary>
internal static class JsonValues
{
    private const string Services = "global::System.Text.Json.Serialization.Metadata.JsonMetadataServices";
    private const string Values = "global::System.Text.Json.Serialization.Metadata.JsonCollectionInfoValues";
    private const string Immutable = "System.Collections.Immutable";

    // Types of the namespace System; each has the converter of its name.
    private static readonly HashSet<string> values = new(StringComparer.Ordinal)
    {
        "Boolean", "Byte", "Char", "DateOnly", "DateTime", "DateTimeOffset", "Decimal", "Double", "Guid", "Half", "Int128", "Int16", "Int32", "Int64",
        "SByte", "Single", "String", "TimeOnly", "TimeSpan", "UInt128", "UInt16", "UInt32", "UInt64", "Uri", "Version",
    };

    // The kind of metadata by the definition of a collection of one element type.
    private static readonly Dictionary<string, string> lists = new(StringComparer.Ordinal)
    {
        ["System.Collections.Generic.List<T>"] = "List",
        ["System.Collections.Generic.IList<T>"] = "IList",
        ["System.Collections.Generic.ICollection<T>"] = "ICollection",
        ["System.Collections.Generic.IEnumerable<T>"] = "IEnumerable",
        ["System.Collections.Generic.IReadOnlyCollection<T>"] = "IEnumerable",
        ["System.Collections.Generic.IReadOnlyList<T>"] = "IEnumerable",
        ["System.Collections.Generic.HashSet<T>"] = "ISet",
        ["System.Collections.Generic.ISet<T>"] = "ISet",
    };

    private static readonly Dictionary<string, string> dictionaries = new(StringComparer.Ordinal)
    {
        ["System.Collections.Generic.Dictionary<TKey, TValue>"] = "Dictionary",
        ["System.Collections.Generic.IDictionary<TKey, TValue>"] = "IDictionary",
        ["System.Collections.Generic.IReadOnlyDictionary<TKey, TValue>"] = "IReadOnlyDictionary",
    };

    /// <summary>The code that makes a value's metadata, and the types in it; null: it is not one of these.</summary>
    public static (string Expression, ITypeSymbol[] Inner)? Find(ITypeSymbol type)
    {
        var name = Code.NameOf(type);
        if (type.ContainingNamespace?.ToDisplayString() == "System" && values.Contains(type.Name))
            return ($"{Services}.CreateValueInfo<{name}>(options, {Services}.{type.Name}Converter)", []);
        if (type.TypeKind == TypeKind.Enum)
        {
            return ($"{Services}.CreateValueInfo<{name}>(options, new global::System.Text.Json.Serialization.JsonStringEnumConverter<{name}>()"
                + $".CreateConverter(typeof({name}), options)!)", []);
        }
        return type switch
        {
            IArrayTypeSymbol { Rank: 1, ElementType: { SpecialType: SpecialType.System_Byte } } =>
                ($"{Services}.CreateValueInfo<byte[]>(options, {Services}.ByteArrayConverter)", []),
            IArrayTypeSymbol { Rank: 1, ElementType: { } element } =>
                ($"{Services}.CreateArrayInfo<{Code.NameOf(element)}>(options, new {Values}<{name}>())", [element]),
            INamedTypeSymbol { IsGenericType: true } generic => FindGeneric(generic, name),
            _ => null,
        };
    }

    private static (string Expression, ITypeSymbol[] Inner)? FindGeneric(INamedTypeSymbol type, string name)
    {
        var arguments = type.TypeArguments.ToArray();
        var inner = string.Join(", ", arguments.Select(Code.NameOf));
        var definition = type.OriginalDefinition.ToDisplayString(Code.Plain);
        // A class is made by its constructor, an interface by a list or dictionary that the serializer chooses.
        var creator = type.TypeKind == TypeKind.Class ? $" {{ ObjectCreator = static () => new {name}() }}" : "()";
        var values = $"new {Values}<{name}>{creator}";
        if (type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T)
            return ($"{Services}.CreateValueInfo<{name}>(options, {Services}.GetNullableConverter<{inner}>(options))", arguments);
        if (lists.TryGetValue(definition, out var list))
            return ($"{Services}.Create{list}Info<{name}, {inner}>(options, {values})", arguments);
        if (dictionaries.TryGetValue(definition, out var dictionary))
            return ($"{Services}.Create{dictionary}Info<{name}, {inner}>(options, {values})", arguments);
        if (type.ContainingNamespace.ToDisplayString() == Immutable && type.Name is "ImmutableArray" or "ImmutableList" or "ImmutableHashSet")
        {
            return ($"{Services}.CreateImmutableEnumerableInfo<{name}, {inner}>(options, new {Values}<{name}>(), "
                + $"global::{Immutable}.{type.Name}.CreateRange<{inner}>)", arguments);
        }
        return null;
    }
}
