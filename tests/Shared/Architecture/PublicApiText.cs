using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Opossum.Tests.Architecture;

/// <summary>Writes an assembly's public API as text: types by name, members by kind and name, in a C# that is easy to compare line by line.</summary>
internal static class PublicApiText
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private const string NullableAttribute = "NullableAttribute";
    private const string NullableContextAttribute = "NullableContextAttribute";

    // What callers can see of an attribute's effect. Those that compilers add are told by the signature.
    private static readonly HashSet<string> attributesThatMatter =
    [
        nameof(AttributeUsageAttribute), nameof(FlagsAttribute), nameof(ObsoleteAttribute), "ExperimentalAttribute",
        "RequiresUnreferencedCodeAttribute",
        "RequiresDynamicCodeAttribute", "DynamicallyAccessedMembersAttribute", "EditorBrowsableAttribute", "NotNullWhenAttribute",
        "MaybeNullWhenAttribute",
        "NotNullAttribute", "MaybeNullAttribute", "AllowNullAttribute", "DisallowNullAttribute", "DoesNotReturnAttribute", "StringSyntaxAttribute",
        "EnumeratorCancellationAttribute", "OverloadResolutionPriorityAttribute",
    ];

    private static readonly Dictionary<Type, string> keywords = new()
    {
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(char)] = "char",
        [typeof(decimal)] = "decimal",
        [typeof(double)] = "double",
        [typeof(float)] = "float",
        [typeof(int)] = "int",
        [typeof(long)] = "long",
        [typeof(object)] = "object",
        [typeof(sbyte)] = "sbyte",
        [typeof(short)] = "short",
        [typeof(string)] = "string",
        [typeof(uint)] = "uint",
        [typeof(ulong)] = "ulong",
        [typeof(ushort)] = "ushort",
        [typeof(void)] = "void",
    };

    public static string Of(Assembly assembly)
    {
        var text = new StringBuilder();
        foreach (var type in assembly.GetExportedTypes().Where(IsWritten).OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            if (text.Length > 0)
                text.Append('\n');
            text.Append(Attributes(type)).Append(TypeLine(type)).Append('\n');
            foreach (var member in Members(type))
                text.Append("    ").Append(member).Append('\n');
        }
        return text.ToString();
    }

    // What the compiler makes of a block of extensions: its members show as the static methods that they are.
    private static bool IsWritten(Type type) => type.Name[0] != '<';

    private static string TypeLine(Type type)
    {
        var name =
            $"{(type.DeclaringType is { } outer ? FullName(outer) : type.Namespace)}.{Plain(type)}{TypeParameters(type.GetGenericArguments())}";
        var line = type.IsSubclassOf(typeof(MulticastDelegate))
            ? $"public delegate {Signature(type.GetMethod("Invoke")!, name)}"
            : $"public {Kind(type)} {name}{Bases(type)}";
        return line + Constraints(type.GetGenericArguments());
    }

    private static string Kind(Type type)
    {
        if (type.IsEnum)
            return "enum";
        if (type.IsInterface)
            return "interface";
        var isRecord = type.GetMethod("PrintMembers", Declared) is not null;
        if (type.IsValueType)
            return $"{(type.IsDefined(typeof(IsReadOnlyAttribute)) ? "readonly " : "")}{(type.IsByRefLike ? "ref " : "")}{(isRecord ? "record " : "")}struct";
        var modifier =
            (type.IsAbstract, type.IsSealed) switch { (true, true) => "static ", (true, _) => "abstract ", (_, true) => "sealed ", _ => "" };
        return modifier + (isRecord ? "record" : "class");
    }

    private static string Bases(Type type)
    {
        if (type.IsEnum)
            return type.GetEnumUnderlyingType() == typeof(int) ? "" : $" : {Name(type.GetEnumUnderlyingType())}";
        var inherited = type.BaseType?.GetInterfaces() ?? [];
        var bases =
            type.GetInterfaces().Except(inherited).Where(implemented => implemented.IsVisible).Select(Name).Order(StringComparer.Ordinal).ToList();
        if (type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType))
            bases.Insert(0, Name(parent));
        return bases.Count == 0 ? "" : $" : {string.Join(", ", bases)}";
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsSubclassOf(typeof(MulticastDelegate)))
            return [];
        if (type.IsEnum)
        {
            return type.GetFields(BindingFlags.Public | BindingFlags.Static).Select(field => $"{field.Name} = "
                + $"{Convert.ToString(field.GetRawConstantValue(), CultureInfo.InvariantCulture)}");
        }

        return [
            .. Sorted(type.GetFields(Declared).Where(field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly), Field),
            .. Sorted(type.GetConstructors(Declared).Where(IsVisible),
            constructor => $"{Access(constructor)}{Plain(type)}({Parameters(constructor)})"),
            .. Sorted(type.GetProperties(Declared).Where(property => property.GetAccessors(true).Any(IsVisible)
            && property.Name != "EqualityContract"), Property),
            .. Sorted(type.GetEvents(Declared).Where(happening => IsVisible(happening.AddMethod!)),
            happening => $"event {Name(happening.EventHandlerType!)} {happening.Name}"),
            .. Sorted(type.GetMethods(Declared).Where(IsWritten),
            method => $"{Access(method)}{Modifier(method)}{Signature(method, method.Name)}{Constraints(method.GetGenericArguments())}"),
        ];
    }

    private static IEnumerable<string> Sorted<T>(IEnumerable<T> members, Func<T, string> write) where T : MemberInfo =>
        members.Select(member => (member.Name, Text: Attributes(member, " ") + write(member))).OrderBy(member => member.Name,
            StringComparer.Ordinal).ThenBy(member => member.Text, StringComparer.Ordinal).Select(member => member.Text);

    private static bool IsVisible(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    // Accessors show with their property; what the compiler makes of every "record" is told by that word.
    private static bool IsWritten(MethodInfo method) =>
        IsVisible(method) && (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal))
            && (!method.IsDefined(typeof(CompilerGeneratedAttribute)) || method.Name == "Deconstruct");

    private static string Field(FieldInfo field)
    {
        var modifier = field.IsLiteral ? "const " : $"{(field.IsStatic ? "static " : "")}{(field.IsInitOnly ? "readonly " : "")}";
        var value = field.IsLiteral ? $" = {Literal(field.GetRawConstantValue(), field.FieldType)}" : "";
        return $"{(field.IsPublic ? "" : "protected ")}{modifier}{Annotated(field.FieldType, field, field.DeclaringType)} {field.Name}{value}";
    }

    private static string Property(PropertyInfo property)
    {
        var accessors = property.GetAccessors(true).Where(IsVisible).ToList();
        var widest = accessors.FirstOrDefault(accessor => accessor.IsPublic) ?? accessors[0];
        var required = property.IsDefined(typeof(RequiredMemberAttribute)) ? "required " : "";
        var parameters = property.GetIndexParameters();
        var name = parameters.Length == 0 ? property.Name : $"this[{string.Join(", ", parameters.Select(Parameter))}]";
        var body =
            string.Concat(
                accessors.OrderBy(
                    accessor =>
                        accessor.ReturnType == typeof(void)).Select(accessor =>
                            $"{(accessor.IsPublic == widest.IsPublic ? "" : Access(accessor))}{AccessorName(accessor)}; "));
        return $"{Access(widest)}{Modifier(widest)}{required}{Annotated(property.PropertyType, property, property.DeclaringType)} {name} {{ {body}}}";
    }

    private static string AccessorName(MethodInfo accessor)
    {
        if (accessor.ReturnType != typeof(void))
            return "get";
        return accessor.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)) ? "init" : "set";
    }

    private static string Access(MethodBase method) => method.IsPublic ? "" : "protected ";

    private static string Modifier(MethodInfo method)
    {
        if (method.IsStatic)
            return method.IsAbstract ? "static abstract " : "static ";
        if (method.DeclaringType!.IsInterface || !method.IsVirtual)
            return "";
        if (method.IsAbstract)
            return "abstract ";
        if (method.GetBaseDefinition() != method)
            return "override ";
        return method.IsFinal ? "" : "virtual ";
    }

    private static string Signature(MethodInfo method, string name)
    {
        var extended = method.IsDefined(typeof(ExtensionAttribute)) ? "this " : "";
        return $"{Annotated(method.ReturnType, method.ReturnParameter, method)} "
            + $"{name}{(method.IsGenericMethod ? TypeParameters(method.GetGenericArguments()) : "")}({extended}{Parameters(method)})";
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        var modifier = parameter.IsOut ? "out " : parameter.IsIn ? "in " : parameter.ParameterType.IsByRef ? "ref " : "";
        if (parameter.IsDefined(typeof(ParamArrayAttribute)) || parameter.IsDefined(typeof(ParamCollectionAttribute)))
            modifier = "params ";
        var value = parameter.HasDefaultValue ? $" = {Literal(parameter.RawDefaultValue, parameter.ParameterType)}" : "";
        return $"{Attributes(parameter.GetCustomAttributesData(), " ")}{modifier}{Annotated(parameter.ParameterType, parameter, parameter.Member)} {parameter.Name}{value}";
    }

    private static string Literal(object? value, Type type) => value switch
    {
        null => type.IsValueType && Nullable.GetUnderlyingType(type) is null ? "default" : "null",
        string text => $"\"{text}\"",
        bool truth => truth ? "true" : "false",
        _ when type.IsEnum => string.Join(" | ", Enum.ToObject(type, value).ToString()!.Split(", ").Select(name => $"{Name(type)}.{name}")),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    private static string TypeParameters(Type[] parameters) =>
        parameters.Length == 0 ? "" : $"<{string.Join(", ", parameters.Select(parameter => Variance(parameter) + parameter.Name))}>";

    private static string Variance(Type parameter) => (parameter.GenericParameterAttributes & GenericParameterAttributes.VarianceMask) switch
    {
        GenericParameterAttributes.Covariant => "out ",
        GenericParameterAttributes.Contravariant => "in ",
        _ => "",
    };

    private static string Constraints(Type[] parameters) =>
        string.Concat(parameters.Where(parameter => parameter.IsGenericParameter).Select(Constraint));

    private static string Constraint(Type parameter)
    {
        var attributes = parameter.GenericParameterAttributes;
        var parts = parameter.GetGenericParameterConstraints().Where(constraint => constraint != typeof(ValueType)).Select(Name).ToList();
        if (attributes.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint))
            parts.Insert(0, "struct");
        else if (attributes.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint))
            parts.Insert(0, "class");
        else if (IsNotNull(parameter))
            parts.Insert(0, "notnull");
        if (attributes.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint) && parts is not ["struct", ..])
            parts.Add("new()");
        return Attributes(parameter.GetCustomAttributesData(), "") is var marks && parts.Count + marks.Length == 0
            ? ""
            : $" where {marks}{parameter.Name}{(parts.Count == 0 ? "" : $" : {string.Join(", ", parts)}")}";
    }

    // "notnull" has no flag of its own: it is a nullability of 1, of the parameter itself or, when it has none, of what is around it.
    private static bool IsNotNull(Type parameter) =>
        (NullableFlags(parameter, NullableAttribute)?[0] ?? ContextFlag(parameter.DeclaringMethod ?? (MemberInfo)parameter.DeclaringType!)) == 1;

    // NullabilityInfoContext takes a type parameter of the declaring type for T? where the source says T. So the compiler's own flags are
    // read: one for each
    // part of the type that can be null, in the order in which the parts are written, or one for all of them.
    private static string Annotated(Type type, ICustomAttributeProvider declaration, MemberInfo? context)
    {
        var flags = NullableFlags(declaration, NullableAttribute) ?? [ContextFlag(context)];
        using var next = (flags.Length == 1 ? Enumerable.Repeat(flags[0], int.MaxValue) : flags).GetEnumerator();
        return Annotated(type, next);
    }

    private static string Annotated(Type type, IEnumerator<byte> flags)
    {
        if (type.IsByRef)
            return Annotated(type.GetElementType()!, flags);
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return $"{Annotated(underlying, flags)}?";
        if (type is { IsValueType: true, IsGenericType: false, IsGenericParameter: false })
            return Name(type);
        var mark = flags.MoveNext() && flags.Current == 2 ? "?" : "";
        if (type.IsArray)
            return $"{Annotated(type.GetElementType()!, flags)}[]{mark}";
        return type.IsGenericType
            ? $"{Plain(type)}<{string.Join(", ", type.GetGenericArguments().Select(argument => Annotated(argument, flags)))}>{mark}"
            : Name(type) + mark;
    }

    // What a declaration does not say, the method around it says, or the types around that.
    private static byte ContextFlag(MemberInfo? member) =>
        member is null ? (byte)0 : NullableFlags(member, NullableContextAttribute)?[0] ?? ContextFlag(member.DeclaringType);

    private static byte[]? NullableFlags(ICustomAttributeProvider declaration, string attribute)
    {
        var data = declaration switch
        {
            MemberInfo member => member.GetCustomAttributesData(),
            ParameterInfo parameter => parameter.GetCustomAttributesData(),
            _ => [],
        };
        return data.FirstOrDefault(each => each.AttributeType.Name == attribute)?.ConstructorArguments[0].Value switch
        {
            byte flag => [flag],
            IReadOnlyList<CustomAttributeTypedArgument> flags => [.. flags.Select(flag => (byte)flag.Value!)],
            _ => null,
        };
    }

    private static string Name(Type type)
    {
        if (keywords.TryGetValue(type, out var keyword))
            return keyword;
        if (type.IsArray)
            return $"{Name(type.GetElementType()!)}[]";
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return $"{Name(underlying)}?";
        var outer = type is { IsNested: true, IsGenericParameter: false } ? $"{Name(type.DeclaringType!)}." : "";
        return outer + Plain(type) + (type.IsGenericType ? $"<{string.Join(", ", type.GetGenericArguments().Select(Name))}>" : "");
    }

    private static string FullName(Type type) => $"{(type.DeclaringType is { } outer ? FullName(outer) : type.Namespace)}.{Plain(type)}";

    private static string Plain(Type type) => type.Name.Split('`')[0];

    private static string Attributes(MemberInfo member, string separator = "\n") => Attributes(member.GetCustomAttributesData(), separator);

    private static string Attributes(IEnumerable<CustomAttributeData> attributes, string separator) =>
        string.Concat(attributes.Where(Matters).Select(Attribute).Order(StringComparer.Ordinal).Select(text => text + separator));

    // Compilers mark constructors of types with required members as obsolete for the compilers before them.
    private static bool Matters(CustomAttributeData attribute) => attributesThatMatter.Contains(attribute.AttributeType.Name)
        && !(attribute.ConstructorArguments is [{ Value: string text }, ..]
        && text.StartsWith("Constructors of types with required members", StringComparison.Ordinal));

    private static string Attribute(CustomAttributeData attribute)
    {
        var arguments = attribute.ConstructorArguments.Select(argument => Literal(argument.Value, argument.ArgumentType))
            .Concat(attribute.NamedArguments.Select(argument => $"{argument.MemberName} = "
            + $"{Literal(argument.TypedValue.Value, argument.TypedValue.ArgumentType)}"))
            .ToList();
        return $"[{attribute.AttributeType.Name[..^"Attribute".Length]}{(arguments.Count == 0 ? "" : $"({string.Join(", ", arguments)})")}]";
    }
}
