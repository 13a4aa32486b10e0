using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Opossum.Serialization;

/// <summary>The tags that <see cref="TagAttribute"/> declares on a type's properties.</summary>
internal sealed class DeclaredTags
{
    public const DynamicallyAccessedMemberTypes Members =
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.NonPublicProperties;

    private readonly List<Declaration> declarations = [];

    private DeclaredTags()
    {
    }

    /// <summary>Of a type that declares none.</summary>
    public static DeclaredTags None { get; } = new();

    /// <summary>Finds a type's declarations, including inherited ones.</summary>
    /// <exception cref="ArgumentException">The attribute is on a property that cannot be read, or its key is not allowed.</exception>
    public DeclaredTags([DynamicallyAccessedMembers(Members)] Type type)
    {
        foreach (var property in type.GetProperties(BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic))
        {
            if (property.GetCustomAttribute<TagAttribute>() is not { } attribute)
                continue;
            if (property.GetMethod is not { IsStatic: false } getter || getter.GetParameters().Length > 0)
                throw new ArgumentException($"[Tag] is on {type}.{property.Name}, which is not an instance property with a getter.");
            declarations.Add(new Declaration(property.Name, CheckKey(attribute.Key, property), attribute.IsPseudonym, MethodInvoker.Create(getter)));
        }
    }

    /// <summary>The keys of the tags, in the order of the properties.</summary>
    public IEnumerable<string> Keys => declarations.Select(static declaration => declaration.Key);

    /// <summary>Adds the tags of an event's data.</summary>
    /// <exception cref="ArgumentException">A value cannot be converted to a tag; the message names the property.</exception>
    public void AddTo(List<Tag> tags, object data)
    {
        foreach (var declaration in declarations)
        {
            try
            {
                Add(tags, declaration, declaration.Getter.Invoke(data));
            }
            catch (Exception exception)
            {
                var cause = exception is TargetInvocationException { InnerException: { } inner } ? inner : exception;
                throw new ArgumentException($"The property {declaration.Property} declares the tag {NameRules.Quote(declaration.Key)}, but its "
                    + $"value cannot be converted to a tag. {cause.Message}", cause);
            }
        }
    }

    private static void Add(List<Tag> tags, Declaration declaration, object? value)
    {
        if (value is null)
            return;
        if (NameRules.TagValueOf(value) is { } text)
            tags.Add(declaration.IsPseudonym ? Tag.Pseudonym(declaration.Key, text) : new Tag(declaration.Key, text));
        else
            AddEach(tags, declaration, (IEnumerable)value);
    }

    private static void AddEach(List<Tag> tags, Declaration declaration, IEnumerable elements)
    {
        foreach (var element in elements)
            Add(tags, declaration, element);
    }

    private static string CheckKey(string key, PropertyInfo property)
    {
        try
        {
            NameRules.CheckTagKey(key, nameof(key));
            return key;
        }
        catch (ArgumentException exception)
        {
            throw new ArgumentException($"The [Tag] on {property.DeclaringType}.{property.Name} is not allowed. {exception.Message}", exception);
        }
    }

    private sealed record Declaration(string Property, string Key, bool IsPseudonym, MethodInvoker Getter);
}
