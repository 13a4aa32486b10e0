using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace Opossum.AspNetCore.Pages;

/// <summary>Which events a page shows: the fields of the form, which are also the query string of the page's address.</summary>
internal sealed record EventFilter
{
    public const string TypeField = "type";
    public const string TagField = "tag";
    public const string SinceField = "since";
    public const string UntilField = "until";
    public const string PositionField = "position";
    public const string BeforeField = "before";
    public const string AfterField = "after";

    private const int TagsMax = 20;

    private static readonly string[] timeForms =
        ["yyyy-MM-dd'T'HH:mm:ss.FFFFFFF", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK"];

    /// <summary>The event type; empty: any.</summary>
    public string Type { get; init; } = "";

    /// <summary>The tags, all of which an event must carry.</summary>
    public IReadOnlyList<Tag> Tags { get; init; } = [];

    /// <summary>The earliest time; null: from the first event.</summary>
    public DateTimeOffset? Since { get; init; }

    /// <summary>The latest time; null: up to the last event.</summary>
    public DateTimeOffset? Until { get; init; }

    /// <summary>The position before which the page ends; null: the last event.</summary>
    public long? Before { get; init; }

    /// <summary>The position after which the page begins; null: the page ends at <see cref="Before"/>.</summary>
    public long? After { get; init; }

    /// <summary>What is wrong with a field, by its name. The values of such fields are not used.</summary>
    public IReadOnlyDictionary<string, string> Errors { get; init; } = new Dictionary<string, string>();

    /// <summary>What was typed into a field, by its name.</summary>
    public IReadOnlyDictionary<string, string> Typed { get; init; } = new Dictionary<string, string>();

    public Query Query => Type.Length == 0 && Tags.Count == 0
        ? Query.All
        : Query.FromItems(new QueryItem { Types = Type.Length == 0 ? [] : [Type], Tags = Tags });

    public bool IsEmpty => Type.Length == 0 && Tags.Count == 0 && Since is null && Until is null;

    public static EventFilter Parse(IQueryCollection query)
    {
        var fields = new FieldReader(query);
        return new EventFilter
        {
            Type = fields.Read(TypeField, ParseType) ?? "",
            Tags = fields.ReadAll(TagField, Tag.Parse, TagsMax),
            Since = fields.Read(SinceField, ParseTime),
            Until = fields.Read(UntilField, ParseTime),
            // A position that is asked for comes first on its page.
            Before = fields.Read(PositionField, ParsePosition) + 1 ?? fields.Read(BeforeField, ParsePosition),
            After = fields.Read(AfterField, ParsePosition),
            Errors = fields.Errors,
            Typed = fields.Typed,
        };
    }

    /// <summary>The query string of a page of these events, of the first one unless a position says otherwise.</summary>
    public string Link(string? field = null, long? position = null)
    {
        var query = new StringBuilder("?");
        Append(query, TypeField, Type);
        foreach (var tag in Tags)
            Append(query, TagField, tag.ToString());
        Append(query, SinceField, InputTime(Since));
        Append(query, UntilField, InputTime(Until));
        if (field is not null)
            Append(query, field, string.Create(CultureInfo.InvariantCulture, $"{position}"));
        return query.ToString();
    }

    /// <summary>The same events, of those with a tag more.</summary>
    public EventFilter With(Tag tag) => this with { Tags = [.. Tags.Where(known => known != tag), tag] };

    /// <summary>The same events, and those without the tag.</summary>
    public EventFilter Without(Tag tag) => this with { Tags = [.. Tags.Where(known => known != tag)] };

    private static void Append(StringBuilder query, string name, string value)
    {
        if (value.Length > 0)
            query.Append(query.Length > 1 ? "&" : "").Append(name).Append('=').Append(Uri.EscapeDataString(value));
    }

    private static string InputTime(DateTimeOffset? time) =>
        time?.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture) ?? "";

    private static string ParseType(string text) => Query.FromEventTypes(text).Items[0].Types[0];

    private static DateTimeOffset? ParseTime(string text) =>
        DateTimeOffset.TryParseExact(text, timeForms, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time)
            ? time
            : throw new ArgumentException("This must be a date and a time in UTC, such as 2026-01-31T18:30.");

    private static long? ParsePosition(string text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var position) && position < long.MaxValue
            ? position
            : throw new ArgumentException("A position is a whole number, such as 12.");
}
