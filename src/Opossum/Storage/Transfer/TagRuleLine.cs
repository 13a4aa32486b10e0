using System.Buffers;
using System.Text.Json;
using Opossum.Serialization;
using Opossum.Storage.Definitions;

namespace Opossum.Storage.Transfer;

/// <summary>A line of an export that is a tag rule: what queries find depends on the rules as on the events.</summary>
internal static class TagRuleLine
{
    private const int StartMax = 32;

    private static readonly JsonWriterOptions writerOptions = new() { Encoder = ReadableJsonEncoder.Instance };

    private static ReadOnlySpan<byte> Name => "tagRule"u8;

    public static byte[] Write(TagRule rule)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, writerOptions))
        {
            writer.WriteStartObject();
            writer.WritePropertyName(Name);
            TagRuleFiles.Write(writer, rule);
            writer.WriteEndObject();
        }
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>Reads the rule; null when the line is something else, or is no rule.</summary>
    /// <param name="problem">Why it is no rule, although it should be one; else null.</param>
    public static TagRule? Read(ReadOnlySpan<byte> line, out string? problem)
    {
        problem = null;
        if (line[..Math.Min(line.Length, StartMax)].IndexOf("\"tagRule\""u8) is not (> 0 and var at) || line[..at].Trim(" \t"u8) is not [(byte)'{'])
            return null;
        var rule = JsonFile.Parse(line, static json => TagRuleSet.Of([TagRuleFiles.Read(json.GetProperty(Name))]).Rules[0], out var invalid);
        problem = invalid is null ? null : $"is not a tag rule: {invalid}";
        return rule;
    }
}
