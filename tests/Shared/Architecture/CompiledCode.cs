using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace Opossum.Tests.Architecture;

/// <summary>What compiled code refers to: the types of its signatures, and the types and members its instructions name.</summary>
internal static class CompiledCode
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<short, OpCode> opCodes = typeof(OpCodes).GetFields()
        .Select(field => (OpCode)field.GetValue(null)!)
        .ToDictionary(opCode => opCode.Value);

    /// <summary>All types and members that a type refers to, those nested in it (lambdas and state machines too) included.</summary>
    public static IEnumerable<MemberInfo> References(Type type) => Family(type).SelectMany(ReferencesOfOne).SelectMany(Parts).Distinct();

    /// <summary>The methods of a type and of those nested in it, constructors included.</summary>
    public static IEnumerable<MethodBase> Methods(Type type) =>
        Family(type).SelectMany(member => member.GetMethods(Declared).Cast<MethodBase>().Concat(member.GetConstructors(Declared)));

    /// <summary>What the instructions of a method name; those of its state machine, when it is asynchronous or an iterator.</summary>
    public static IEnumerable<MemberInfo> References(MethodBase method)
    {
        if (method.GetCustomAttribute<StateMachineAttribute>() is { StateMachineType: var machine })
            method = machine.GetMethod("MoveNext", Declared)!;
        return method.GetMethodBody() is { } body ? Operands(method, body.GetILAsByteArray() ?? []) : [];
    }

    private static IEnumerable<Type> Family(Type type) =>
        type.GetNestedTypes(BindingFlags.Public | BindingFlags.NonPublic).SelectMany(Family).Prepend(type);

    private static IEnumerable<MemberInfo> ReferencesOfOne(Type type)
    {
        if (type.BaseType is { } parent)
            yield return parent;
        foreach (var implemented in type.GetInterfaces())
            yield return implemented;
        foreach (var attribute in type.GetCustomAttributesData())
            yield return attribute.AttributeType;
        foreach (var field in type.GetFields(Declared))
            yield return field.FieldType;
        foreach (var method in type.GetMethods(Declared).Cast<MethodBase>().Concat(type.GetConstructors(Declared)))
        {
            if (method is MethodInfo { ReturnType: var returned })
                yield return returned;
            foreach (var parameter in method.GetParameters())
                yield return parameter.ParameterType;
            if (method.GetMethodBody() is not { } body)
                continue;
            foreach (var local in body.LocalVariables)
                yield return local.LocalType;
            foreach (var clause in body.ExceptionHandlingClauses)
            {
                if (clause.Flags == ExceptionHandlingClauseOptions.Clause && clause.CatchType is { } caught)
                    yield return caught;
            }
            foreach (var member in Operands(method, body.GetILAsByteArray() ?? []))
                yield return member;
        }
    }

    private static IEnumerable<MemberInfo> Operands(MethodBase method, byte[] il)
    {
        var typeArguments = method.DeclaringType is { IsGenericType: true } type ? type.GetGenericArguments() : null;
        var methodArguments = method.IsGenericMethod ? method.GetGenericArguments() : null;
        for (var at = 0; at < il.Length;)
        {
            var value = il[at] == 0xFE ? unchecked((short)(0xFE00 | il[at + 1])) : il[at];
            var opCode = opCodes[value];
            at += opCode.Size;
            if (opCode.OperandType is OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType)
            {
                if (method.Module.ResolveMember(BitConverter.ToInt32(il, at), typeArguments, methodArguments) is { } member)
                    yield return member;
            }
            at += OperandSize(opCode.OperandType, il, at);
        }
    }

    private static int OperandSize(OperandType operand, byte[] il, int at) => operand switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        OperandType.InlineSwitch => 4 + (4 * BitConverter.ToInt32(il, at)),
        _ => 4,
    };

    // A member stands for itself and for its declaring type; List<Tag[]> stands for List<>, and for Tag.
    private static IEnumerable<MemberInfo> Parts(MemberInfo member)
    {
        if (member is not Type type)
        {
            IEnumerable<Type> arguments = member is MethodInfo { IsGenericMethod: true } method ? method.GetGenericArguments() : [];
            return arguments.Append(member.DeclaringType!).SelectMany(Parts).Prepend(member);
        }
        if (type.IsGenericParameter)
            return [];
        if (type.HasElementType)
            return Parts(type.GetElementType()!);
        if (type.IsGenericType && !type.IsGenericTypeDefinition)
            return type.GetGenericArguments().SelectMany(Parts).Append(type.GetGenericTypeDefinition());
        return [type];
    }
}
