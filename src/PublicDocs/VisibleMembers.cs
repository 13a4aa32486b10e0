using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace PublicDocs;

/// <summary>
/// The public and protected types and members of an assembly, by the names of the XML documentation; of a method, the number of its parameters
/// stands in place of their types.
/// </summary>
internal sealed class VisibleMembers
{
    private readonly MetadataReader metadata;
    private readonly HashSet<string> keys = new(StringComparer.Ordinal);

    private VisibleMembers(MetadataReader metadata) => this.metadata = metadata;

    public static HashSet<string> Of(string assembly)
    {
        using var file = new PEReader(File.OpenRead(assembly));
        var members = new VisibleMembers(file.GetMetadataReader());
        foreach (var handle in members.metadata.TypeDefinitions)
        {
            var type = members.metadata.GetTypeDefinition(handle);
            if (members.IsVisible(type))
                members.Add(type, members.NameOf(type));
        }
        return members.keys;
    }

    /// <summary>The key of a name such as <c>M:Opossum.NewEvent.FromJson(System.String,System.String)</c>.</summary>
    public static string KeyOf(string name)
    {
        var open = name.IndexOf('(');
        if (open < 0)
            return name[0] is 'M' ? $"{name}/0" : name;
        return $"{name[..open]}/{ParametersOf(name)}";
    }

    public static int ParametersOf(string name)
    {
        var open = name.IndexOf('(');
        if (open < 0)
            return 0;
        var (count, depth) = (1, 0);
        foreach (var letter in name.AsSpan(open + 1))
        {
            depth += letter is '{' or '[' or '(' ? 1 : letter is '}' or ']' or ')' ? -1 : 0;
            if (depth == 0 && letter == ',')
                count++;
        }
        return count;
    }

    private void Add(TypeDefinition type, string name)
    {
        keys.Add($"T:{name}");
        var visible = new Dictionary<MethodDefinitionHandle, int>();
        foreach (var handle in type.GetMethods())
        {
            var method = metadata.GetMethodDefinition(handle);
            if (!IsVisible((int)(method.Attributes & MethodAttributes.MemberAccessMask)))
                continue;
            var (typeParameters, parameters) = CountsOf(method);
            visible.Add(handle, parameters);
            var methodName = metadata.GetString(method.Name).Replace('.', '#');
            keys.Add($"M:{name}.{methodName}{(typeParameters > 0 ? $"``{typeParameters}" : "")}/{parameters}");
        }
        foreach (var handle in type.GetFields())
        {
            var field = metadata.GetFieldDefinition(handle);
            if (IsVisible((int)(field.Attributes & FieldAttributes.FieldAccessMask)))
                keys.Add($"F:{name}.{metadata.GetString(field.Name)}");
        }
        foreach (var handle in type.GetProperties())
        {
            var property = metadata.GetPropertyDefinition(handle);
            var accessors = property.GetAccessors();
            if (visible.TryGetValue(accessors.Getter, out var parameters))
                keys.Add($"P:{name}.{metadata.GetString(property.Name)}{(parameters > 0 ? $"/{parameters}" : "")}");
            else if (visible.TryGetValue(accessors.Setter, out parameters))
                keys.Add($"P:{name}.{metadata.GetString(property.Name)}{(parameters > 1 ? $"/{parameters - 1}" : "")}");
        }
        foreach (var handle in type.GetEvents())
        {
            var e = metadata.GetEventDefinition(handle);
            if (visible.ContainsKey(e.GetAccessors().Adder))
                keys.Add($"E:{name}.{metadata.GetString(e.Name)}");
        }
    }

    private (int TypeParameters, int Parameters) CountsOf(MethodDefinition method)
    {
        var signature = metadata.GetBlobReader(method.Signature);
        var typeParameters = signature.ReadSignatureHeader().IsGeneric ? signature.ReadCompressedInteger() : 0;
        return (typeParameters, signature.ReadCompressedInteger());
    }

    private bool IsVisible(TypeDefinition type) => (type.Attributes & TypeAttributes.VisibilityMask) switch
    {
        TypeAttributes.Public => true,
        TypeAttributes.NestedPublic or TypeAttributes.NestedFamily or TypeAttributes.NestedFamORAssem =>
            IsVisible(metadata.GetTypeDefinition(type.GetDeclaringType())),
        _ => false,
    };

    // The bits of fields are those of methods.
    private static bool IsVisible(int access) =>
        (MethodAttributes)access is MethodAttributes.Public or MethodAttributes.Family or MethodAttributes.FamORAssem;

    private string NameOf(TypeDefinition type)
    {
        var name = metadata.GetString(type.Name);
        if (type.IsNested)
            return $"{NameOf(metadata.GetTypeDefinition(type.GetDeclaringType()))}.{name}";
        return type.Namespace.IsNil ? name : $"{metadata.GetString(type.Namespace)}.{name}";
    }
}
