using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Opossum.Cli.Events;

namespace Opossum.Cli.Migration;

/// <summary>The stable name for each CLR type, in a JSON file that the user edits.</summary>
internal sealed class TypeTable(SortedDictionary<string, string> names)
{
    /// <summary>The stable names by CLR types, without assemblies.</summary>
    public IReadOnlyDictionary<string, string> Names => names;

    /// <summary>Proposes a name for each type: <c>Shop.CourseDefined</c> becomes <c>course-defined</c>, or more of it where two would be the
    /// same.</summary>
    public static TypeTable Propose(IEnumerable<string> clrTypes)
    {
        var names = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var taken = new HashSet<string>(StringComparer.Ordinal);
        foreach (var group in clrTypes.Order(StringComparer.Ordinal).GroupBy(static type => KebabCase.Of(LastPart(type)), StringComparer.Ordinal))
        {
            var isUnique = group.Count() == 1;
            foreach (var type in group)
            {
                var name = isUnique ? group.Key : KebabCase.Of(type);
                var other = name;
                for (var number = 2; !taken.Add(other); number++)
                    other = $"{name}-{number}";
                names.Add(type, other);
            }
        }
        return new TypeTable(names);
    }

    /// <summary>Reads the table; null when the file is missing.</summary>
    /// <exception cref="CliException">The file is no table.</exception>
    public static TypeTable? TryRead(string path)
    {
        if (!File.Exists(path))
            return null;
        try
        {
            var names = new SortedDictionary<string, string>(StringComparer.Ordinal);
            var bytes = File.ReadAllBytes(path);
            if (JsonBytes.FindBadByte(bytes) is { } bad)
                throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"At byte {bad}, {JsonBytes.NotUtf8}"));
            using var document = JsonDocument.Parse(JsonBytes.WithoutByteOrderMark(bytes), JsonBytes.Options with
            {
                CommentHandling = JsonCommentHandling.Skip,
                AllowTrailingCommas = true,
            });
            foreach (var member in document.RootElement.EnumerateObject())
                names[member.Name] = member.Value.GetString() ?? throw new FormatException($"The name of {member.Name} is null.");
            return new TypeTable(names);
        }
        catch (Exception e) when (e is JsonException or FormatException or InvalidOperationException)
        {
            throw new CliException(ExitCode.Usage, $"{path} is not a table of type names: {e.Message} It is a JSON object with a text for each CLR "
                + "type. Correct it, or delete it to have it proposed again. Nothing was changed.", e);
        }
    }

    /// <exception cref="CliException">A type has no name, or one that no event type may have.</exception>
    public void ThrowIfMissing(IEnumerable<string> clrTypes, string path)
    {
        foreach (var type in clrTypes)
        {
            if (!names.TryGetValue(type, out var name))
            {
                throw new CliException(ExitCode.Usage, $"{path} has no name for {type}. Add one, or delete the file to have it proposed again. "
                    + "Nothing was changed.");
            }
            if (string.IsNullOrWhiteSpace(name))
                throw new CliException(ExitCode.Usage, $"{path} has an empty name for {type}. Write a name there. Nothing was changed.");
        }
    }

    public void Write(string path)
    {
        using var text = new MemoryStream();
        // Types are written for people, so with < and > as they are.
        using var writer = new Utf8JsonWriter(text,
            new JsonWriterOptions { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
        writer.WriteStartObject();
        foreach (var (type, name) in names)
            writer.WriteString(type, name);
        writer.WriteEndObject();
        writer.Flush();
        NewFile.Write(path, $"{Encoding.UTF8.GetString(text.ToArray())}\n");
    }

    private static string LastPart(string type)
    {
        var end = type.IndexOf('`', StringComparison.Ordinal);
        var name = end < 0 ? type : type[..end];
        return name[(name.LastIndexOfAny(['.', '+']) + 1)..];
    }
}
