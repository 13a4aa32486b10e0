using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>Refuses to write an object as its base class, which would leave out the members that the base class does not have.</summary>
internal static class WholeObjects
{
    // Options keep the metadata of their types, so they are made once.
    private static readonly ConditionalWeakTable<JsonSerializerOptions, JsonSerializerOptions> made = new();

    /// <summary>Makes options refuse such objects that have a resolver and are not in use yet.</summary>
    public static void Apply(JsonSerializerOptions options) =>
        options.TypeInfoResolver = options.TypeInfoResolver!.WithAddedModifier(RefuseDerived);

    /// <summary>The metadata of a type, with options that refuse such objects.</summary>
    /// <param name="given">The metadata. What was made by hand, and not by a resolver, stays as it is.</param>
    public static JsonTypeInfo Of(JsonTypeInfo given) =>
        given.OriginatingResolver is not null && given.Options.TypeInfoResolver is not null
            && made.GetValue(given.Options, Make).TryGetTypeInfo(given.Type, out var json)
                ? json
                : given;

    private static JsonSerializerOptions Make(JsonSerializerOptions given)
    {
        // With an encoder the serializer does not use the code that a context generates for writing, which would ask nobody.
        var options = new JsonSerializerOptions(given) { Encoder = ReadableJsonEncoder.Instance };
        Apply(options);
        options.MakeReadOnly();
        return options;
    }

    private static void RefuseDerived(JsonTypeInfo type)
    {
        if (type.Kind == JsonTypeInfoKind.Object && !type.Type.IsValueType && !type.Type.IsSealed)
            type.OnSerializing += value => RefuseUnlessExact(value, type.Type);
    }

    // System.Text.Json adds the path to this exception.
    private static void RefuseUnlessExact(object value, Type type)
    {
        var actual = value.GetType();
        if (actual != type)
        {
            throw new NotSupportedException($"A {actual} stands where a {type} is declared, and only what {type.Name} has would be stored. Put "
                + $"[JsonDerivedType(typeof({actual.Name}), \"...\")] on {type.Name}, or declare the member as {actual.Name}.");
        }
    }
}
