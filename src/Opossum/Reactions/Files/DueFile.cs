using System.Globalization;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Serialization;

namespace Opossum.Reactions.Files;

/// <summary>An event that is appended when its time has come: a file that the leader deletes once it has appended it, or need not.</summary>
/// <param name="When">The time, in UTC.</param>
/// <param name="Once">The tag of which the store holds at most one append.</param>
/// <param name="Event">The event, as an append stores it, without that tag.</param>
/// <param name="After">The position of the event that was handled.</param>
/// <param name="Unless">It is not appended when an event after that position matches this; null: it is.</param>
internal sealed record DueFile(DateTime When, Tag Once, PreparedEvent Event, long After, Query? Unless)
{
    private const int TicksDigits = 19;
    private const string Ending = ".json";

    // An append may have 256 MiB of JSON; the rest is small beside it.
    public const int BytesMax = 512 * 1024 * 1024;

    /// <summary>The member that has the event's data.</summary>
    public const string Data = "data";

    /// <summary>The members that have what the app says, not the store.</summary>
    public static readonly string[] EventMembers = [Data, "metadata", "tags", "unless"];

    /// <summary>The file's name, by which the leader knows the time without reading it.</summary>
    public string Name =>
        string.Create(CultureInfo.InvariantCulture, $"{When.Ticks:D19}-{Once.Value[(Once.Value.IndexOf('/') + 1)..].Replace('/', '-')}{Ending}");

    /// <summary>The time in a file's name; null: it is not a due file's name.</summary>
    public static DateTime? TimeOf(string fileName) =>
        fileName.Length > TicksDigits && fileName[TicksDigits] == '-' && fileName.EndsWith(Ending, StringComparison.Ordinal)
        && long.TryParse(fileName.AsSpan(0, TicksDigits), NumberStyles.None, CultureInfo.InvariantCulture, out var ticks)
        && ticks <= DateTime.MaxValue.Ticks
            ? new DateTime(ticks, DateTimeKind.Utc)
            : null;

    /// <summary>The names of a reaction's files, in no order; their ordinal order is that of their times.</summary>
    public static List<string> List(IFileSystem fileSystem, ReactionLayout layout) =>
        fileSystem.ListOwn(layout.Due).FindAll(static name => TimeOf(name) is not null);

    /// <summary>Writes the file and makes it durable.</summary>
    public void Write(IFileSystem fileSystem, ReactionLayout layout) => CheckedFile.Write(fileSystem, FilePath.Join(layout.Due, Name), json =>
    {
        json.WriteString("when"u8, When.ToString("O", CultureInfo.InvariantCulture));
        json.WriteString("once"u8, Once.Value);
        json.WriteNumber("after"u8, After);
        if (Unless is not null)
        {
            json.WritePropertyName("unless"u8);
            json.WriteRawValue(QueryText.Of(Unless));
        }
        json.WriteString("type"u8, Event.Type);
        json.WriteNumber("version"u8, Event.Version);
        json.WriteString("id"u8, Event.Id);
        json.WriteStartArray("tags"u8);
        foreach (var tag in Event.Tags)
            json.WriteStringValue(tag.ToString());
        json.WriteEndArray();
        json.WritePropertyName(Data);
        json.WriteRawValue(Event.Json);
        if (Event.Metadata.Length > 0)
        {
            json.WritePropertyName("metadata"u8);
            json.WriteRawValue(Event.Metadata);
        }
    });

    /// <summary>Reads a file; null if it is missing.</summary>
    /// <exception cref="DamagedFileException">The file is damaged, or is not what its name says.</exception>
    public static DueFile? Read(IFileSystem fileSystem, ReactionLayout layout, string fileName)
    {
        var path = FilePath.Join(layout.Due, fileName);
        var read = CheckedFile.Read(fileSystem, path, BytesMax, bytes => (JsonFile.ParseChecked(bytes, Of, out var problem), problem));
        return read is null || read.Name == fileName ? read
            : throw new DamagedFileException(path, $"does not have the contents that its name says: they belong to {read.Name}");
    }

    /// <summary>What a file says of its event, without the data; one that is damaged or cannot be read is named. Null if it is missing.</summary>
    public static ScheduledEvent? Describe(IFileSystem fileSystem, ReactionLayout layout, string fileName)
    {
        var scheduled = new ScheduledEvent { Name = fileName, When = TimeOf(fileName)!.Value };
        try
        {
            return Read(fileSystem, layout, fileName) is not { } due ? null : scheduled with
            {
                Type = due.Event.Type,
                Tags = due.Event.Tags,
                ScheduledBy = due.After,
                IsConditional = due.Unless is not null,
            };
        }
        catch (DamagedFileException e)
        {
            return scheduled with { Problem = $"{e.Message}." };
        }
        catch (FileSystemException e)
        {
            return scheduled with { Problem = e.Message };
        }
    }

    private static DueFile Of(JsonElement members)
    {
        try
        {
            return Make(members);
        }
        catch (ArgumentException e)
        {
            throw new FormatException(e.Message, e);
        }
    }

    private static DueFile Make(JsonElement members) =>
        new(
            members.GetProperty("when").GetDateTimeOffset().UtcDateTime,
            Tag.Trusted(ReactionContext.OnceKey, CheckedFile.GetText(members, "once")),
            new PreparedEvent(CheckedFile.GetText(members, "type"), members.GetProperty("version").GetInt32(), [.. TagsOf(members)],
                members.GetProperty("id").GetGuid(), BytesOf(members.GetProperty(Data)),
                members.TryGetProperty("metadata", out var metadata) ? BytesOf(metadata) : []),
            CheckedFile.GetPosition(members, "after"),
            members.TryGetProperty("unless", out var unless) ? QueryText.Read(unless) : null);

    private static IEnumerable<Tag> TagsOf(JsonElement members) => members.GetProperty("tags").EnumerateArray()
        .Select(static each => Tag.Parse(each.GetString() ?? throw new FormatException("One of its tags is null.")));

    // An editor may have reformatted the file.
    private static byte[] BytesOf(JsonElement json) => CanonicalText.Of(System.Text.Encoding.UTF8.GetBytes(json.GetRawText()));
}
