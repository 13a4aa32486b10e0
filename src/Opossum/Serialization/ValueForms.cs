using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>What JSON Schema does not say of a value: how large a number may be, and which of all texts are read.</summary>
internal static class ValueForms
{
    private const string Integer = "integer";
    private const string Number = "number";

    // Of the types that are not here, the schema says enough: an integer has 32 bits, a number is a decimal.
    private static readonly Dictionary<Type, string> forms = new()
    {
        [typeof(sbyte)] = "integer int8",
        [typeof(byte)] = "integer uint8",
        [typeof(short)] = "integer int16",
        [typeof(ushort)] = "integer uint16",
        [typeof(uint)] = "integer uint32",
        [typeof(long)] = "integer int64",
        [typeof(ulong)] = "integer uint64",
        [typeof(Int128)] = "integer int128",
        [typeof(UInt128)] = "integer uint128",
        [typeof(Half)] = "number half",
        [typeof(float)] = "number float",
        [typeof(double)] = "number double",
        [typeof(char)] = "string char",
        [typeof(DateTime)] = "string date-time of any kind",
        [typeof(TimeSpan)] = "string time-span",
        [typeof(Version)] = "string version",
        [typeof(byte[])] = "string base64",
        [typeof(Memory<byte>)] = "string base64",
        [typeof(ReadOnlyMemory<byte>)] = "string base64",
    };

    private static readonly Dictionary<Type, string> keys = new(forms)
    {
        [typeof(int)] = Integer,
        [typeof(decimal)] = Number,
        [typeof(bool)] = "boolean",
        [typeof(DateTimeOffset)] = "string date-time",
        [typeof(DateOnly)] = "string date",
        [typeof(TimeOnly)] = "string time",
        [typeof(Guid)] = "string uuid",
        [typeof(Uri)] = "string uri",
    };

    /// <summary>The forms of a type's values; none when the schema says enough. Those of an enum are its values.</summary>
    public static IReadOnlyList<string> Of(JsonTypeInfo type)
    {
        if (type.Type.IsEnum)
            return [.. Enum.GetNames(type.Type).Select(name => Of(Enum.Parse(type.Type, name), name, type)).Distinct()];
        return forms.TryGetValue(type.Type, out var form) ? [form] : [];
    }

    public static IReadOnlyList<string> OfKey(Type key, JsonSerializerOptions options)
    {
        if (keys.TryGetValue(key, out var form))
            return [form];
        return key.IsEnum && options.TryGetTypeInfo(key, out var json) ? Of(json) : ["any"];
    }

    /// <summary>Whether every number of one form is a number of another one, without rounding.</summary>
    public static bool Includes(string form, string other) =>
        form == other || (IntegerOf(form), IntegerOf(other), DigitsOf(form), DigitsOf(other)) switch
        {
            ({ IsSigned: false }, { IsSigned: true }, _, _) => false,
            ({ IsSigned: true } now, { IsSigned: false } before, _, _) => now.Bits > before.Bits,
            ({ } now, { } before, _, _) => now.Bits >= before.Bits,
            (null, { } before, { } digits, _) => before.Bits - (before.IsSigned ? 1 : 0) <= digits,
            // A decimal has more digits than a double, and a smaller range.
            (null, null, { } digits, { } before) => form != Number && other != Number && digits >= before,
            _ => false,
        };

    // An enum may be written as a text or as a number.
    private static string Of(object value, string name, JsonTypeInfo type)
    {
        var written = JsonSerializer.SerializeToElement(value, type);
        return written.ValueKind == JsonValueKind.String ? $"'{written.GetString()}'" : $"{written.GetRawText()}={name}";
    }

    private static (bool IsSigned, int Bits)? IntegerOf(string form)
    {
        if (form == Integer)
            return (true, 32);
        if (BitsOf(form, "integer int") is { } signed)
            return (true, signed);
        return BitsOf(form, "integer uint") is { } bits ? (false, bits) : null;
    }

    private static int? BitsOf(string form, string beginning) => form.StartsWith(beginning, StringComparison.Ordinal)
        && int.TryParse(form.AsSpan(beginning.Length), NumberStyles.None, CultureInfo.InvariantCulture, out var bits)
            ? bits
            : null;

    // The binary digits that a number keeps.
    private static int? DigitsOf(string form) => form switch
    {
        "number half" => 11,
        "number float" => 24,
        "number double" => 53,
        Number => 96,
        _ => null,
    };
}
