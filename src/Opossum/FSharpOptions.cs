using System.Diagnostics.CodeAnalysis;

namespace Opossum;

/// <summary>The options of F#, of whose library nothing is used here.</summary>
internal static class FSharpOptions
{
    public static bool Are(Type type) => type.IsGenericType
        && type.GetGenericTypeDefinition().FullName is "Microsoft.FSharp.Core.FSharpOption`1" or "Microsoft.FSharp.Core.FSharpValueOption`1";

    /// <summary>A value, or what an option has, as JSON has it; null: nothing.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "F# code that makes an option uses its members.")]
    public static object? ValueOf(object? value)
    {
        if (value?.GetType() is not { } type || !Are(type))
            return value;
        // None of a class is null.
        return type.IsValueType && type.GetProperty("IsNone")!.GetValue(value) is true ? null : ValueOf(type.GetProperty("Value")!.GetValue(value));
    }
}
