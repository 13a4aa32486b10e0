using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json.Serialization.Metadata;

namespace Opossum;

/// <summary>Types that the compiler of F# made, of whose library nothing is used here.</summary>
internal static class FSharpTypes
{
    /// <summary>The type of the value that a nullable value or an option may have; null: the type is neither.</summary>
    public static Type? InnerOf(Type type) => Nullable.GetUnderlyingType(type) ?? (IsOption(type) ? type.GenericTypeArguments[0] : null);

    /// <summary>
    /// The same of a type whose JSON is that of the value: a context that a generator made, and converters of the app, write others.
    /// </summary>
    public static Type? InnerOf(JsonTypeInfo type) => type.ElementType is { } element && element == InnerOf(type.Type) ? element : null;

    /// <summary>Whether the compiler says on a type, or on a property, what it is in F#: a record or union, or a field of it.</summary>
    public static bool IsMapped(MemberInfo member) =>
        member.CustomAttributes.Any(static each => each.AttributeType.FullName == "Microsoft.FSharp.Core.CompilationMappingAttribute");

    /// <summary>Whether the type is that of a union's cases without fields, whose text is their name.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "F# code that makes a case with fields uses its members.")]
    public static bool IsCaseWithoutFields(Type type) => (IsMapped(type) || (type.BaseType is { } union && IsMapped(union)))
        && !type.GetProperties(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic).Any(IsMapped);

    /// <summary>A value, or what an option has, as JSON has it; null: nothing.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "F# code that makes an option uses its members.")]
    public static object? ValueOf(object? value)
    {
        if (value?.GetType() is not { } type || !IsOption(type))
            return value;
        // None of a class is null.
        return type.IsValueType && type.GetProperty("IsNone")!.GetValue(value) is true ? null : ValueOf(type.GetProperty("Value")!.GetValue(value));
    }

    private static bool IsOption(Type type) => type.IsGenericType
        && type.GetGenericTypeDefinition().FullName is "Microsoft.FSharp.Core.FSharpOption`1" or "Microsoft.FSharp.Core.FSharpValueOption`1";
}
