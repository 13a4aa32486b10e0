using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Opossum.Testing.Given;

/// <summary>
/// The content of a state as text, to compare states of any type: plain values as they print, collections by their elements, sets and dictionaries
/// whatever the order of theirs, other objects by their type and fields. What has no content of its own, such as a delegate, is left out.
/// </summary>
internal static class StateText
{
    private const int DepthMax = 32;

    public static string Of(object? state) => Of(state, 0);

    private static string Of(object? value, int depth)
    {
        var text = new StringBuilder();
        Write(text, value, depth);
        return text.ToString();
    }

    private static void Write(StringBuilder text, object? value, int depth)
    {
        switch (value)
        {
            case null:
                text.Append("null");
                break;
            case Delegate:
                break;
            case string or SequencedEvent:
                Quote(text, value);
                break;
            // 1.50 is equal to 1.5.
            case decimal number:
                text.Append(number.ToString("G29", CultureInfo.InvariantCulture));
                break;
            // A type of the app may print less than it has.
            case IFormattable formattable when value is Enum || IsOfLibrary(value.GetType()):
                var formatted = formattable.ToString(value is DateTime or DateTimeOffset or TimeOnly ? "O" : null, CultureInfo.InvariantCulture);
                if (value is ValueType)
                    text.Append(formatted);
                else
                    Quote(text, formatted);
                break;
            case ReadOnlyMemory<byte> bytes:
                text.Append(Convert.ToHexString(bytes.Span));
                break;
            case Memory<byte> bytes:
                text.Append(Convert.ToHexString(bytes.Span));
                break;
            case JsonDocument json:
                Write(text, json.RootElement, depth);
                break;
            case JsonElement { ValueKind: JsonValueKind.String } json:
                Quote(text, json.GetString());
                break;
            case bool or JsonElement:
                text.Append(value);
                break;
            case JsonValue json:
                text.Append(json.ToJsonString());
                break;
            case var _ when depth == DepthMax:
                text.Append("...");
                break;
            case IEnumerable elements when IsUnordered(value.GetType()):
                var texts = elements.Cast<object?>().Select(each => Of(each, depth + 1)).Order(StringComparer.Ordinal);
                text.Append('[').AppendJoin(", ", texts).Append(']');
                break;
            case IEnumerable elements:
                WriteAll(text, elements.Cast<object?>(), '[', ']', depth);
                break;
            case ITuple tuple:
                WriteAll(text, Enumerable.Range(0, tuple.Length).Select(at => tuple[at]), '(', ')', depth);
                break;
            case var _ when IsPair(value.GetType()):
                WriteFields(text, value, depth);
                break;
            // The library's own types have caches and pools among their fields.
            case var _ when IsOfLibrary(value.GetType()):
                Quote(text, value);
                break;
            default:
                // States of different types differ, although they may have the same fields.
                text.Append(value.GetType());
                WriteFields(text, value, depth);
                break;
        }
    }

    private static void Quote(StringBuilder text, object? value)
    {
        var escaped = value?.ToString()?.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal);
        text.Append('"').Append(escaped).Append('"');
    }

    private static void WriteAll(StringBuilder text, IEnumerable<object?> values, char open, char close, int depth)
    {
        text.Append(open);
        foreach (var value in values)
        {
            Write(text, value, depth + 1);
            text.Append(", ");
        }
        text.Append(close);
    }

    private static void WriteFields(StringBuilder text, object value, int depth) =>
        WriteAll(text, FieldsOf(value.GetType()).Select(field => field.GetValue(value)), '{', '}', depth);

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A collection that is enumerated keeps the interfaces of collections.")]
    private static bool IsUnordered(Type type) => Array.Exists(type.GetInterfaces(), static each =>
        each.IsGenericType && (each.GetGenericTypeDefinition() == typeof(IReadOnlySet<>) || each.GetGenericTypeDefinition() == typeof(ISet<>)
            || each.GetGenericTypeDefinition() == typeof(IReadOnlyDictionary<,>) || each.GetGenericTypeDefinition() == typeof(IDictionary<,>)));

    private static bool IsOfLibrary(Type type) => type.Namespace?.Split('.')[0] == nameof(System);

    private static bool IsPair(Type type) => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(KeyValuePair<,>);

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "Fields that trimming has removed are not read by the code under test.")]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "Fields that trimming has removed are not read by the code under test.")]
    private static IEnumerable<FieldInfo> FieldsOf(Type type)
    {
        for (var each = type; each is not null && each != typeof(object); each = each.BaseType)
        {
            foreach (var field in each.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
                yield return field;
        }
    }
}
