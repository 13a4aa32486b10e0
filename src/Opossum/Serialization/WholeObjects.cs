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
    /// <exception cref="InvalidOperationException">The metadata were changed after the resolver had made them.</exception>
    public static JsonTypeInfo Of(JsonTypeInfo given)
    {
        if (given.OriginatingResolver is null || given.Options.TypeInfoResolver is null
            || !made.GetValue(given.Options, Make).TryGetTypeInfo(given.Type, out var json))
        {
            return given;
        }
        RefuseChanged(given);
        return json;
    }

    /// <summary>Refuses metadata that are not as the options' resolver gives them: it is asked again for those that are used.</summary>
    /// <exception cref="InvalidOperationException">The metadata differ.</exception>
    public static void RefuseChanged(JsonTypeInfo type)
    {
        if (type.Options.TypeInfoResolver is null || !type.Options.TryGetTypeInfo(type.Type, out var known)
            || (known != type && !PartsOf(known).SequenceEqual(PartsOf(type))))
        {
            throw new InvalidOperationException($"The JsonTypeInfo of {type.Type} differs from what the resolver of its options gives. Change it by "
                + "a modifier of that resolver.");
        }
    }

    private static IEnumerable<object?> PartsOf(JsonTypeInfo type) =>
    [
        type.Converter.GetType(), type.NumberHandling, type.UnmappedMemberHandling, type.PreferredPropertyObjectCreationHandling,
        type.CreateObject is null, type.OnSerializing is null, type.OnSerialized is null, type.OnDeserializing is null, type.OnDeserialized is null,
        type.PolymorphismOptions?.DerivedTypes.Count,
        .. type.Properties.OrderBy(static each => each.Name, StringComparer.Ordinal).Select(static each => (
            each.Name, each.PropertyType, each.CustomConverter?.GetType(), each.IsRequired, each.IsExtensionData, each.Order, each.NumberHandling,
            each.ObjectCreationHandling, each.IsGetNullable, each.IsSetNullable, each.Get is null, each.Set is null, each.ShouldSerialize is null)),
    ];

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
