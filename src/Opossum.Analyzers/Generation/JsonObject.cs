using System.Globalization;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Opossum.Analyzers.Generation;

/// <summary>The code of the JSON metadata of a class or struct: its constructor and its properties.</summary>
internal sealed class JsonObject(INamedTypeSymbol type)
{
    private const string Metadata = "global::System.Text.Json.Serialization.Metadata";
    private const string Unsafe = "global::System.Runtime.CompilerServices.Unsafe";
    private const string Accessor = "global::System.Runtime.CompilerServices.UnsafeAccessor";
    private const string Always = "global::System.Text.Json.Serialization.JsonIgnoreCondition.Always";

    private readonly string name = Code.NameOf(type);
    private readonly string id = IdOf(type);
    private readonly IMethodSymbol? constructor = JsonForm.ConstructorOf(type);

    /// <summary>The properties whose values are in the JSON.</summary>
    public IEnumerable<IPropertySymbol> Stored =>
        JsonForm.PropertiesOf(type).Where(static each => !JsonForm.IsIgnored(each));

    public JsonShape Shape => new(name, Expression(), AddProperties(AddAccessors(new StringBuilder())).ToString());

    // Different names have different ids: no part of a name begins with a digit.
    private static string IdOf(INamedTypeSymbol type) => string.Concat(type.ToDisplayString(Code.Plain)
        .Select(static each => char.IsLetterOrDigit(each) ? each.ToString() : each == '.' ? "_" : $"_{(int)each}_"));

    private string Expression()
    {
        var values = $"{Creation()}, PropertyMetadataInitializer = _ => Properties_{id}(options)";
        return $"{Metadata}.JsonMetadataServices.CreateObjectInfo<{name}>(options, "
            + $"new {Metadata}.JsonObjectInfoValues<{name}> {{ {values} }})";
    }

    private string Creation()
    {
        if (constructor is null)
            return $"ObjectCreator = static () => default({name}){Defaults()}";
        var types = string.Join(", ", constructor.Parameters.Select(static each => $"typeof({Code.NameOf(each.Type)})"));
        var found = $"ConstructorAttributeProviderFactory = static () => typeof({name}).GetConstructor([{types}])!";
        if (constructor.Parameters.IsEmpty)
            return $"ObjectCreator = static () => Create_{id}(), {found}";
        var arguments = constructor.Parameters.Select(static (each, at) => $"({Code.NameOf(each.Type)})args[{at}]!");
        var parameters = string.Join(", ", constructor.Parameters.Select(Parameter));
        return $"ObjectWithParameterizedConstructorCreator = static args => Create_{id}({string.Join(", ", arguments)}), "
            + $"ConstructorParameterMetadataInitializer = static () => [{parameters}], {found}";
    }

    // Of a struct, which is made without its constructor.
    private string Defaults()
    {
        var values = Stored.Select(each => (each.Name, Parameter: JsonForm.ParameterOf(type, each)))
            .Where(static each => each.Parameter?.HasExplicitDefaultValue == true)
            .Select(static each => $"{Code.Identifier(each.Name)} = {DefaultOf(each.Parameter!)}").ToList();
        return values.Count == 0 ? "" : $" with {{ {string.Join(", ", values)} }}";
    }

    private static string Parameter(IParameterSymbol parameter, int position)
    {
        var isNullable = JsonForm.IsNullable(parameter.Type, parameter.NullableAnnotation);
        return $"new {Metadata}.JsonParameterInfoValues {{ Name = {Code.Literal(parameter.Name)}, "
            + $"ParameterType = typeof({Code.NameOf(parameter.Type)}), Position = {position}, "
            + $"HasDefaultValue = {(parameter.HasExplicitDefaultValue ? "true" : "false")}, DefaultValue = {DefaultOf(parameter)}, "
            + $"IsNullable = {(isNullable ? "true" : "false")} }}";
    }

    private static string DefaultOf(IParameterSymbol parameter)
    {
        var type = Code.NameOf(parameter.Type);
        if (!parameter.HasExplicitDefaultValue)
            return "null";
        return parameter.ExplicitDefaultValue is { } value ? $"({type})({Literal(value)})"
            : parameter.Type.IsValueType ? $"default({type})"
            : "null";
    }

    private static string Literal(object value) => value switch
    {
        double.NaN => "double.NaN",
        double.PositiveInfinity => "double.PositiveInfinity",
        double.NegativeInfinity => "double.NegativeInfinity",
        float.NaN => "float.NaN",
        float.PositiveInfinity => "float.PositiveInfinity",
        float.NegativeInfinity => "float.NegativeInfinity",
        double number => number.ToString("R", CultureInfo.InvariantCulture) + "d",
        float number => number.ToString("R", CultureInfo.InvariantCulture) + "f",
        decimal number => number.ToString(CultureInfo.InvariantCulture) + "m",
        _ => SymbolDisplay.FormatPrimitive(value, quoteStrings: true, useHexadecimalNumbers: false)!,
    };

    // They reach what code may not call by its name: required members, and setters that only an initializer may use.
    private StringBuilder AddAccessors(StringBuilder members)
    {
        if (constructor is not null)
        {
            var parameters = constructor.Parameters.Select(static (each, at) => $"{Code.NameOf(each.Type)} p{at}");
            members.AppendLine($"    [{Accessor}({Accessor}Kind.Constructor)]");
            members.AppendLine($"    private static extern {name} Create_{id}({string.Join(", ", parameters)});");
        }
        foreach (var property in Stored.Where(static each => each.SetMethod is { IsInitOnly: true }))
        {
            members.AppendLine($"    [{Accessor}({Accessor}Kind.Method, Name = \"set_{property.Name}\")]");
            members.AppendLine($"    private static extern void Set_{id}_{property.Name}("
                + $"{(type.IsValueType ? "ref " : "")}{name} target, {Code.NameOf(property.Type)} value);");
        }
        return members;
    }

    private StringBuilder AddProperties(StringBuilder text)
    {
        var properties = JsonForm.PropertiesOf(type).Where(JsonForm.IsDescribed).ToList();
        text.AppendLine($"    private static {Metadata}.JsonPropertyInfo[] Properties_{id}({Code.Options} options)");
        text.AppendLine("    {").AppendLine($"        var properties = new {Metadata}.JsonPropertyInfo[]").AppendLine("        {");
        foreach (var property in properties)
            text.AppendLine($"            {Property(property)},");
        text.AppendLine("        };");
        for (var at = 0; at < properties.Count; at++)
        {
            if (JsonForm.IsRequired(type, properties[at]))
                text.AppendLine($"        properties[{at}].IsRequired = true;");
            // A personal property that can never be null needs a placeholder.
            if (IsNeverNull(properties[at]))
            {
                text.AppendLine($"        properties[{at}].IsGetNullable = false;");
                text.AppendLine($"        if (properties[{at}].Set is not null)").AppendLine($"            properties[{at}].IsSetNullable = false;");
            }
        }
        return text.AppendLine("        return properties;").AppendLine("    }");
    }

    private static bool IsNeverNull(IPropertySymbol property) => !JsonForm.IsIgnored(property) && !property.Type.IsValueType
        && !JsonForm.IsNullable(property.Type, property.NullableAnnotation);

    private string Property(IPropertySymbol property)
    {
        var value = Code.NameOf(property.Type);
        var form = JsonForm.IsIgnored(property) ? $"IgnoreCondition = {Always}"
            : $"Getter = static target => (({name})target).{Code.Identifier(property.Name)}, Setter = {Setter(property)}";
        var given = JsonForm.GivenName(property) is { } json ? Code.Literal(json) : "null";
        return $"{Metadata}.JsonMetadataServices.CreatePropertyInfo<{value}>(options, "
            + $"new {Metadata}.JsonPropertyInfoValues<{value}> {{ IsProperty = true, IsPublic = true, "
            + $"DeclaringType = typeof({name}), {form}, PropertyName = {Code.Literal(property.Name)}, "
            + $"JsonPropertyName = {given}, AttributeProviderFactory = static () => "
            + $"typeof({name}).GetProperty({Code.Literal(property.Name)})! }})";
    }

    private string Setter(IPropertySymbol property)
    {
        if (!JsonForm.IsSettable(property))
            return "null";
        var target = type.IsValueType ? $"{Unsafe}.Unbox<{name}>(target)" : $"(({name})target)";
        return property.SetMethod!.IsInitOnly
            ? $"static (target, value) => Set_{id}_{property.Name}({(type.IsValueType ? "ref " : "")}{target}, value!)"
            : $"static (target, value) => {target}.{Code.Identifier(property.Name)} = value!";
    }
}
