using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Opossum.Serialization;

/// <summary>The tags that <see cref="TagAttribute"/> declares on a type's properties.</summary>
internal sealed class DeclaredTags
{
    public const DynamicallyAccessedMemberTypes Members = DynamicallyAccessedMemberTypes.PublicProperties
        | DynamicallyAccessedMemberTypes.NonPublicProperties | DynamicallyAccessedMemberTypes.Interfaces;

    private readonly List<Declaration> declarations = [];

    private DeclaredTags()
    {
    }

    public static DeclaredTags None { get; } = new();

    /// <summary>Finds a type's declarations, as <see cref="DeclaredAttributes"/> does.</summary>
    /// <exception cref="ArgumentException">The attribute is on a property that cannot be read, or its key or type is not allowed.</exception>
    /// <exception cref="InvalidOperationException">Two interfaces declare different ones for one property.</exception>
    public DeclaredTags([DynamicallyAccessedMembers(Members)] Type type)
    {
        var own = DeclaredAttributes.PropertiesOf(type).ToLookup(static property => property.Name);
        foreach (var properties in own)
        {
            if (DeclaredAttributes.Find<TagAttribute>(type, properties.Key) is not var (attribute, on))
                continue;
            // The interface's getter gives the value of the property that implements it, which may be another one of this name.
            Add(type, attribute, on, on.DeclaringType!.IsInterface
                ? on.GetMethod
                : properties.Select(static each => each.GetMethod).FirstOrDefault(static each => each is not null));
        }
        foreach (var property in DeclaredAttributes.InterfacePropertiesOf(type).Where(property => !own.Contains(property.Name)))
        {
            if (property.GetCustomAttribute<TagAttribute>(inherit: false) is { } attribute)
                Add(type, attribute, property, property.GetMethod);
        }
    }

    /// <summary>The keys of the tags, in the order of the properties, and of a pseudonym that it is one: no key has a colon.</summary>
    public IEnumerable<string> Forms =>
        declarations.Select(static declaration => declaration.IsPseudonym ? $"{declaration.Key}:pseudonym" : declaration.Key);

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

    private void Add(Type type, TagAttribute attribute, PropertyInfo on, MethodInfo? getter)
    {
        if (getter is not { IsStatic: false } || getter.GetParameters().Length > 0)
            throw new ArgumentException($"[Tag] is on {type}.{on.Name}, which is not an instance property with a getter.");
        try
        {
            NameRules.CheckTagKey(attribute.Key, nameof(attribute.Key));
            NameRules.CheckTagType(getter.ReturnType);
        }
        catch (ArgumentException exception)
        {
            throw new ArgumentException($"The [Tag] on {on.DeclaringType}.{on.Name} is not allowed. {exception.Message}", exception);
        }
        declarations.Add(new Declaration(on.Name, attribute.Key, attribute.IsPseudonym, MethodInvoker.Create(getter)));
    }

    private static void Add(List<Tag> tags, Declaration declaration, object? given)
    {
        if (FSharpTypes.ValueOf(given) is not { } value)
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

    private sealed record Declaration(string Property, string Key, bool IsPseudonym, MethodInvoker Getter);
}
