namespace Opossum;

/// <summary>Gives a CLR type the stable name under which its events are stored.</summary>
/// <param name="name">1 to 1,000 characters, such as <c>student-enrolled</c>. It must never change once events are stored; the CLR type may.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct, Inherited = false)]
public sealed class EventTypeAttribute(string name) : Attribute
{
    /// <summary>The stable name.</summary>
    public string Name { get; } = name;

    /// <summary>
    /// The version of the JSON shape that the CLR type has. Default: 1. Raise it when the shape changes, and register an upcaster for each
    /// step from an earlier version.
    /// </summary>
    public int Version { get; set; } = 1;
}
