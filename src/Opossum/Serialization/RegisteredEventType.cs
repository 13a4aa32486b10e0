using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>A CLR type under its stable name, with the metadata to write and read it.</summary>
internal sealed class RegisteredEventType(Type clrType, string name, int version, DeclaredTags declaredTags)
{
    private readonly Func<JsonTypeInfo>? makeJson;

    public Type ClrType { get; } = clrType;

    public string Name { get; } = name;

    public int Version { get; } = version;

    public DeclaredTags DeclaredTags { get; } = declaredTags;

    /// <summary>The JSON metadata that was passed with the registration; null: none was.</summary>
    public JsonTypeInfo? GivenJson { get; set; }

    /// <summary>The JSON metadata of the type: found when the registry is frozen.</summary>
    public JsonTypeInfo? Json { get => field ??= makeJson?.Invoke(); set; }

    /// <summary>Whether each object has to be verified when it is written, because its values decide whether it can be read back.</summary>
    public bool IsVerified { get; set; }

    /// <summary>
    /// The members of the type's JSON; found when the registry is frozen. Null: the library's own type, which has nothing personal.
    /// </summary>
    public JsonContent? Content { get; set; }

    public JsonTypeInfo JsonToWrite => Content?.ToWrite ?? Json!;

    /// <summary>Whether the library registered the type, not the user.</summary>
    public bool IsBuiltIn => makeJson is not null;

    /// <summary>A type of the library, without declared tags. Its metadata is made when it is used: making the first takes milliseconds.</summary>
    public static RegisteredEventType BuiltIn(Type clrType, string name, Func<JsonTypeInfo> makeJson) => new(clrType, name, makeJson);

    private RegisteredEventType(Type clrType, string name, Func<JsonTypeInfo> makeJson)
        : this(clrType, name, 1, DeclaredTags.None)
        => this.makeJson = makeJson;
}
