using System.Reflection;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>Refuses a type whose objects would not be read back as they were written, by the member's name.</summary>
internal sealed class RoundTripCheck
{
    private const string AskForIgnore = "If nothing is lost without it, mark it [JsonIgnore]";
    private const string AskForReflection = "and the JSON metadata that were generated do without it: code of another assembly does not see it. Make "
        + "it public, or register the event types by reflection, with AddAssembly(...) or Add<T>(), and not with AddGenerated() or a context.";

    private readonly string what;
    private readonly HashSet<Type> seen = [];
    private bool isUncertain;

    private RoundTripCheck(string what) => this.what = what;

    /// <summary>Checks a type and all types in it.</summary>
    /// <param name="what">What it is, as the beginning of a message.</param>
    /// <returns>Whether its values decide whether they can be read back, so that each has to be verified.</returns>
    /// <exception cref="InvalidOperationException">A member would be lost.</exception>
    public static bool Run(JsonTypeInfo type, string what)
    {
        var check = new RoundTripCheck(what);
        check.Check(type, "");
        return check.isUncertain || JsonContent.WritesReferences(type.Options);
    }

    /// <summary>Reads what is written of a value.</summary>
    /// <exception cref="NotSupportedException">It is another value.</exception>
    public static void Verify(object value, JsonTypeInfo type)
    {
        var written = JsonSerializer.SerializeToElement(value, type);
        var again = JsonSerializer.SerializeToElement(written.Deserialize(type), type);
        if (FindDifference(written, again, "") is { } path)
        {
            throw new NotSupportedException($"Its member {path} would be read back as another value: a member that is left out is read as the "
                + "value that the class gives it, a list that is filled when it is read keeps what the class puts in it, and extension data with the "
                + "name of a member is read as the member.");
        }
    }

    private void Check(JsonTypeInfo type, string path)
    {
        if (!seen.Add(type.Type))
            return;
        if (FSharpTypes.InnerOf(type) is { } inner)
            CheckIfKnown(type.Options, inner, path);
        else if (type.Kind == JsonTypeInfoKind.Object)
            CheckObject(type, path);
        else if (type.Kind == JsonTypeInfoKind.None)
            CheckValue(type, path);
        else
            CheckCollection(type, path);
    }

    // A context has no metadata for what only a converter writes.
    private void CheckIfKnown(JsonSerializerOptions options, Type type, string path)
    {
        if (options.TryGetTypeInfo(type, out var json))
            Check(json, path);
    }

    private void CheckValue(JsonTypeInfo type, string path)
    {
        // Its name alone tells; reading with it says why.
        if (type.Converter.GetType().Name.StartsWith("UnsupportedType", StringComparison.Ordinal))
            Read("0", type, path);
    }

    private void CheckCollection(JsonTypeInfo type, string path)
    {
        var isDictionary = type.Kind == JsonTypeInfoKind.Dictionary;
        if (type.Type.IsGenericType && type.Type.GetGenericTypeDefinition() == typeof(IAsyncEnumerable<>))
            throw Refused(path, $"is of type {type.Type}, which cannot be written at once. Make it a list.");
        if (IsStack(type.Type))
            throw Refused(path, $"is of type {type.Type}, which is read in reverse order. Make it a list.");
        if (isDictionary && type.Options.DictionaryKeyPolicy is { } policy && type.Options.TryGetTypeInfo(type.KeyType!, out var key)
            && ChangesKeys(policy, key))
        {
            throw Refused(path, "is a dictionary, and the options' DictionaryKeyPolicy changes its keys when they are written, and not back.");
        }
        Read(isDictionary ? "{}" : "[]", type, path);
        if (isDictionary && type.KeyType != typeof(string))
            Read("""{ "": null }""", type, path);
        // A property that shows what the elements say, such as their number, has no setter.
        if (ClassFields.NotRead(type).FirstOrDefault(static field => field.IsPublic || ClassFields.IsOfProperty(field, isSet: true)) is { } field
            && !IsOfFramework(field.DeclaringType!))
        {
            throw Refused(path, $"is a collection, of which only the elements are stored: {NameOf(field)} is not. Put both into a class.");
        }
        if (type.ElementType is { } element)
            CheckIfKnown(type.Options, element, path + (isDictionary ? "{}" : "[]"));
    }

    private void CheckObject(JsonTypeInfo type, string path)
    {
        var derived = type.PolymorphismOptions?.DerivedTypes ?? [];
        foreach (var each in derived.Where(each => each.DerivedType != type.Type))
        {
            if (each.TypeDiscriminator is null)
            {
                throw Refused(path, $"may be a {each.DerivedType}, and JSON does not say so. Give it a name: "
                    + $"[JsonDerivedType(typeof({each.DerivedType.Name}), \"...\")] on {type.Type.Name}.");
            }
            CheckIfKnown(type.Options, each.DerivedType, path);
        }
        if (type.Type.IsAbstract && derived.Count > 0)
            return;
        CheckMarks(type, path);
        CheckConstructor(type, path);
        foreach (var property in type.Properties)
            CheckMember(type, property, path);
        CheckFields(type, path);
    }

    // Reflection finds all. A generator sees nothing of a class of another assembly that is not public: reference assemblies lack it.
    private void CheckMarks(JsonTypeInfo type, string path)
    {
        if (type.OriginatingResolver is DefaultJsonTypeInfoResolver)
            return;
        if (ClassFields.Included(type.Type).FirstOrDefault(each => !type.Properties.Any(property => property.AttributeProvider is null
            || ClassFields.NameOf(property) == each.Name)) is { } lost)
        {
            throw Refused(path, $"is of type {type.Type}, whose {lost.DeclaringType}.{lost.Name} is marked [JsonInclude], {AskForReflection}");
        }
        if (ClassFields.MarkedConstructor(type.Type) is { } marked
            && (type.ConstructorAttributeProvider is { } used ? !used.Equals(marked) : !marked.IsPublic))
        {
            throw Refused(path, $"is of type {type.Type}, which has a constructor that is marked [JsonConstructor], {AskForReflection}");
        }
    }

    private void CheckConstructor(JsonTypeInfo type, string path)
    {
        if (type.CreateObject is not null)
            return;
        if (type.Type.IsAbstract)
        {
            throw Refused(path, $"is declared as {type.Type}, of which there are no objects. Declare the class, or name each class that it may be: "
                + $"[JsonDerivedType(typeof(...), \"...\")] on {type.Type.Name}.");
        }
        if (type.ConstructorAttributeProvider is null && !type.Properties.Any(static each => each.AssociatedParameter is not null))
        {
            throw Refused(path, $"is of type {type.Type}, which has no constructor that a reader may use. Make the only one public, or mark one "
                + "[JsonConstructor].");
        }
        foreach (var parameter in (type.ConstructorAttributeProvider as ConstructorInfo)?.GetParameters() ?? [])
        {
            if (!type.Properties.Any(each => each.AssociatedParameter?.Name == parameter.Name))
            {
                throw Refused(path, $"is of type {type.Type}, whose constructor has the parameter {parameter.Name}, and no property of that name "
                    + $"is of its type, {parameter.ParameterType}. Add one, or mark another constructor [JsonConstructor].");
            }
        }
    }

    private void CheckMember(JsonTypeInfo type, JsonPropertyInfo property, string path)
    {
        var isRead = ClassFields.IsRead(type, property);
        // An entry of extension data may have the name of a member, in another case or of an ignored one.
        isUncertain |= property.IsExtensionData;
        if (property.IsExtensionData || (property.Get is null && !isRead))
            return;
        var own = MemberPath.Member(path, property.Name);
        var name = $"{type.Type}.{ClassFields.NameOf(property)}";
        if (property.Get is null)
        {
            if (ClassFields.FieldOf(type.Type, property) is not null)
                throw Refused(own, $"is read and never written: {name} has no public getter. Give it one, or mark it [JsonInclude].");
        }
        else if (!isRead)
        {
            // Without a field whose value is lost, the property is computed from members that are read.
            if (ClassFields.NotRead(type).FirstOrDefault() is { } field)
                throw Refused(own, $"is written and never read: {HowToRead(type.Type, name)}{Shows(field, property)}. {AskForIgnore}.");
        }
        else
        {
            if (property.Set is null && IsLeftOut(property))
                throw Refused(own, $"is read and never written: {name} has no setter, and the options ignore members without one.");
            isUncertain |= property.ShouldSerialize is not null || ClassFields.IsPopulated(type, property)
                || property.Options.DefaultIgnoreCondition != JsonIgnoreCondition.Never;
            if (property.CustomConverter is null)
                CheckIfKnown(type.Options, property.PropertyType, own);
        }
    }

    private void CheckFields(JsonTypeInfo type, string path)
    {
        var isEmpty = !type.Properties.Any(static each => each.Get is not null);
        if (ClassFields.NotRead(type).FirstOrDefault(field => isEmpty || field.IsPublic || ClassFields.IsOfProperty(field)) is { } lost)
        {
            throw Refused(path, $"is of type {type.Type}, whose {NameOf(lost)} is not stored: it is not public, is a field, or is hidden by "
                + $"another member. Make it a public property, or mark it [JsonInclude]. {AskForIgnore}.");
        }
    }

    // JSON of another kind than the type's is no matter: only what can never be read counts.
    private void Read(string json, JsonTypeInfo type, string path)
    {
        try
        {
            JsonSerializer.Deserialize(json, type);
        }
        catch (NotSupportedException e)
        {
            var end = e.Message.IndexOf(" Path: ", StringComparison.Ordinal);
            throw Refused(path, $"is of type {type.Type}, which cannot be read. {(end < 0 ? e.Message : e.Message[..end])}", e);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or FormatException or ArgumentException)
        {
            // It can be read from other JSON.
        }
    }

    // An enum's own converter decides for itself. That of texts may leave their names to the framework's.
    private static bool ChangesKeys(JsonNamingPolicy policy, JsonTypeInfo key) => key.Type == typeof(string)
        || (key.Type.IsEnum && !ConverterContent.IsOwn(key.Converter) && ChangesKeys(policy, key, Enum.GetNames(key.Type)));

    // A name of an enum is read without regard to case, and so is what is written where it is a value.
    private static bool ChangesKeys(JsonNamingPolicy policy, JsonTypeInfo key, string[] names) =>
        names.Distinct(StringComparer.OrdinalIgnoreCase).Count() < names.Length
        || !names.All(name => new[] { name, JsonSerializer.SerializeToElement(Enum.Parse(key.Type, name), key).ToString() }
            .Contains(policy.ConvertName(name), StringComparer.OrdinalIgnoreCase));

    private static string HowToRead(Type type, string name) => type.IsValueType
        ? $"{name} has no setter. Mark the constructor that sets it [JsonConstructor]"
        : $"{name} has no setter that a reader may use, and no parameter of the constructor has its name. Give it a public init or set, or mark "
            + "it [JsonInclude]";

    private static string Shows(FieldInfo field, JsonPropertyInfo property) =>
        string.Equals(ClassFields.PropertyNameOf(field), ClassFields.NameOf(property), StringComparison.OrdinalIgnoreCase) ? ""
            : $"; it may show the field {field.Name}, which is not stored";

    private static string NameOf(FieldInfo field) =>
        $"{field.DeclaringType}.{(ClassFields.IsAutomatic(field) ? ClassFields.PropertyNameOf(field) : field.Name)}";

    private static bool IsLeftOut(JsonPropertyInfo property) => property.AttributeProvider is FieldInfo
        ? property.Options.IgnoreReadOnlyFields
        : property.Options.IgnoreReadOnlyProperties;

    private static bool IsOfFramework(Type type) =>
        type.Assembly == typeof(object).Assembly || type.Assembly.GetName().Name!.StartsWith("System.", StringComparison.Ordinal);

    private static bool IsStack(Type type)
    {
        for (var each = type; each is not null; each = each.BaseType)
        {
            if (each.Namespace?.StartsWith("System.Collections", StringComparison.Ordinal) == true
                && each.Name.Contains(nameof(Stack<>), StringComparison.Ordinal))
            {
                return true;
            }
        }
        return false;
    }

    private static string? FindDifference(JsonElement one, JsonElement other, string path)
    {
        if (JsonElement.DeepEquals(one, other))
            return null;
        if (one.ValueKind == JsonValueKind.Object && other.ValueKind == JsonValueKind.Object)
        {
            foreach (var name in one.EnumerateObject().Concat(other.EnumerateObject()).Select(static member => member.Name))
            {
                var own = MemberPath.Member(path, name);
                if (!one.TryGetProperty(name, out var left) || !other.TryGetProperty(name, out var right))
                    return own;
                if (FindDifference(left, right, own) is { } found)
                    return found;
            }
            // Of members with the same name the last was compared.
            if (one.EnumerateObject().GroupBy(static member => member.Name).FirstOrDefault(static each => each.Skip(1).Any()) is { } twice)
                return MemberPath.Member(path, twice.Key);
        }
        if (one.ValueKind == JsonValueKind.Array && other.ValueKind == JsonValueKind.Array && one.GetArrayLength() == other.GetArrayLength())
        {
            for (var at = 0; at < one.GetArrayLength(); at++)
            {
                if (FindDifference(one[at], other[at], MemberPath.Element(path, at)) is { } found)
                    return found;
            }
        }
        return path;
    }

    private InvalidOperationException Refused(string path, string problem, Exception? cause = null) => new(
        $"{what} cannot be read back as it is written: {(path.Length == 0 ? "it" : $"its member {path}")} {problem}", cause);
}
