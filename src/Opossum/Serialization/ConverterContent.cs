using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json.Serialization;

namespace Opossum.Serialization;

/// <summary>What a class holds whose JSON a converter of its own writes: the serializer shows nothing of it.</summary>
internal static class ConverterContent
{
    private const BindingFlags Fields =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private const string Kept = "Without trimming all is found; what was trimmed, no converter uses.";

    private static readonly ConcurrentDictionary<(Type, Assembly), string?> known = [];

    /// <summary>Whether a converter is not one of the framework's.</summary>
    public static bool IsOwn(JsonConverter? converter) =>
        converter is not null && converter.GetType().Assembly != typeof(JsonConverter).Assembly;

    /// <summary>A personal property that a value of the type may hold: by the types declared in it, and those derived.</summary>
    /// <param name="assembly">Where the classes are that an object may be of.</param>
    /// <returns>Class and property; null: there is none.</returns>
    public static string? FindPersonal(Type type, Assembly assembly) =>
        known.GetOrAdd((type, assembly), static key => Search(key.Item1, key.Item2));

    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = Kept)]
    [UnconditionalSuppressMessage("Trimming", "IL2080", Justification = Kept)]
    private static string? Search(Type first, Assembly assembly)
    {
        var seen = new HashSet<(Type, Assembly)>();
        var open = new Queue<(Type, Assembly)>([(first, assembly)]);
        while (open.TryDequeue(out var next))
        {
            if (!seen.Add(next))
                continue;
            var (type, home) = next;
            Type?[] content = [type.GetElementType(), .. type.GetGenericArguments()];
            if (type == typeof(object))
                content = TypesOf(home);
            if (!IsOfFramework(type))
            {
                home = type.Assembly;
                var properties = DeclaredAttributes.PropertiesOf(type)
                    .Where(static each => each.GetMethod is { IsStatic: false }).ToList();
                foreach (var property in properties)
                {
                    if (DeclaredAttributes.Find<PersonalAttribute>(type, property.Name) is not null)
                        return $"{type}.{property.Name}";
                }
                content =
                [
                    .. content,
                    .. properties.Select(static each => each.PropertyType),
                    .. type.GetFields(Fields).Select(static each => each.FieldType),
                    .. type.IsSealed ? [] : TypesOf(home).Where(type.IsAssignableFrom),
                    type.BaseType == typeof(object) ? null : type.BaseType,
                ];
            }
            foreach (var each in content)
            {
                if (each is not null)
                    open.Enqueue((each, home));
            }
        }
        return null;
    }

    private static bool IsOfFramework(Type type) =>
        type.Namespace is { } name && (name == "System" || name.StartsWith("System.", StringComparison.Ordinal));

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = Kept)]
    private static Type[] TypesOf(Assembly assembly)
    {
        try
        {
            return assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException e)
        {
            return [.. e.Types.OfType<Type>()];
        }
    }
}
