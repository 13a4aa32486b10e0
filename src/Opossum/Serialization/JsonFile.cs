using System.Buffers;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>The text of the store's small JSON files, which people read too.</summary>
internal static class JsonFile
{
    // An event's data, or a state, is a level deeper in its file.
    private static readonly JsonDocumentOptions options = new() { AllowDuplicateProperties = false, MaxDepth = JsonText.DepthMax + 1 };

    public static Utf8JsonWriter NewWriter(ArrayBufferWriter<byte> buffer) => new(buffer, ReadableJsonEncoder.InFiles);

    /// <summary>The text of a file without a checksum.</summary>
    /// <param name="write">Writes its value.</param>
    public static byte[] Of(Action<Utf8JsonWriter> write)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = NewWriter(buffer))
            write(writer);
        buffer.Write("\n"u8);
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>The text of a file with a checksum.</summary>
    /// <param name="writeMembers">Writes the members of its object.</param>
    public static ReadOnlySpan<byte> Checked(Action<Utf8JsonWriter> writeMembers)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using var writer = NewWriter(buffer);
        writer.WriteStartObject();
        writeMembers(writer);
        Seal(writer, buffer, 0);
        return buffer.WrittenSpan;
    }

    /// <summary>Ends an object that a writer has written except for its closing brace, with its checksum.</summary>
    public static void Seal(Utf8JsonWriter writer, ArrayBufferWriter<byte> buffer, int start)
    {
        writer.Flush();
        ChecksumTrailer.Append(buffer, start);
    }

    /// <summary>Converts the value of a file; null if it is not valid.</summary>
    /// <param name="make">Converts it; if it is not valid, throws a JSON, format or argument exception, or that of a missing member.</param>
    /// <param name="problem">Why it is not valid, as a sentence that may quote it; null if it is valid.</param>
    public static T? Parse<T>(ReadOnlySpan<byte> text, Func<JsonElement, T?> make, out string? problem)
    {
        problem = null;
        try
        {
            return make(JsonElement.Parse(CanonicalText.WithoutByteOrderMark(text), options));
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException or ArgumentException)
        {
            problem = e.Message;
            return default;
        }
    }

    /// <summary>The same for a file with a checksum.</summary>
    /// <param name="problem">What is wrong, as the end of a sentence that starts with the file; null if nothing is.</param>
    public static T? ParseChecked<T>(ReadOnlySpan<byte> text, Func<JsonElement, T?> make, out string? problem)
        where T : class
    {
        problem = ChecksumTrailer.Judge(text);
        if (problem is not null)
            return null;
        var made = Parse(text, make, out var invalid);
        problem = invalid is null ? null : $"does not have the contents of such a file, although its checksum matches: {invalid}";
        return made;
    }
}
