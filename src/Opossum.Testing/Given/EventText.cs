using System.Globalization;
using System.Text;

namespace Opossum.Testing.Given;

/// <summary>Events as lines of text, for messages.</summary>
internal static class EventText
{
    private const int JsonLengthMax = 200;

    public static string Of(SequencedEvent e, bool withPosition = true)
    {
        var position = withPosition ? e.Position.ToString(CultureInfo.InvariantCulture) + " " : "";
        return $"{position}{e.Type} {Shorten(Encoding.UTF8.GetString(e.Json.Span))}{Tags(e.Tags)}";
    }

    public static string Of(NewEvent e)
    {
        var text = e.Data?.ToString() ?? $"{e.Type} {Shorten(Encoding.UTF8.GetString(e.Json.Span))}";
        return text + Tags(e.Tags);
    }

    /// <summary>A head line, and below it each event without its position; "(nothing)" if there is none.</summary>
    public static string List(string head, IEnumerable<SequencedEvent> events) => List(head, events.Select(static e => Of(e, withPosition: false)));

    /// <summary>A head line, and below it each line with an indent; "(nothing)" if there is none.</summary>
    public static string List(string head, IEnumerable<string> lines)
    {
        var text = new StringBuilder(head);
        var isEmpty = true;
        foreach (var line in lines)
        {
            text.Append("\n  ").Append(line);
            isEmpty = false;
        }
        return isEmpty ? $"{head}\n  (nothing)" : text.ToString();
    }

    /// <summary>The tags of the app: without those that the store reserves.</summary>
    public static IEnumerable<Tag> OwnTags(IEnumerable<Tag> tags) => tags.Where(static tag => !tag.Key.StartsWith('$'));

    private static string Tags(IReadOnlyList<Tag> tags) => OwnTags(tags).Any() ? $" [{string.Join(", ", OwnTags(tags))}]" : "";

    private static string Shorten(string json) => json.Length <= JsonLengthMax ? json : json[..JsonLengthMax] + "...";
}
