using System.Globalization;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Reactions.Files;

/// <summary>
/// The files that describe parked events, and those that record that one was skipped. People read them; the checkpoint is what counts.
/// </summary>
internal static class ParkedFile
{
    /// <summary>How many attempts a file describes: the first one and the last nine.</summary>
    public const int AttemptsMax = 10;

    private const int KeyLengthMax = 1_000;

    // Ten attempts fit into a small file whatever their characters are.
    private const int EarlierErrorLengthMax = 1_000;

    public static void Write(IFileSystem fileSystem, ReactionLayout layout, ParkedEvent parked)
    {
        fileSystem.CreateOwnFolderDurably(layout.Parked);
        CheckedFile.Write(fileSystem, layout.ParkedFile(parked.Position), json => WriteMembers(json, parked));
    }

    public static void WriteSkipped(IFileSystem fileSystem, ReactionLayout layout, ParkedEvent parked, string reason, DateTimeOffset at)
    {
        fileSystem.CreateOwnFolderDurably(layout.Skipped);
        CheckedFile.Write(fileSystem, layout.SkippedFile(parked.Position), json =>
        {
            json.WriteString("reason"u8, reason);
            json.WriteString("skippedAt"u8, TextOf(at));
            WriteMembers(json, parked);
        });
    }

    /// <summary>What a file says of a parked event; a file that is missing or damaged, or cannot be read, is named.</summary>
    public static ParkedEvent Read(IFileSystem fileSystem, ReactionLayout layout, long position) =>
        Read(fileSystem, layout.ParkedFile(position), position);

    /// <summary>What a file says of a skipped event; a file that is missing or damaged, or cannot be read, is named.</summary>
    public static ParkedEvent ReadSkipped(IFileSystem fileSystem, ReactionLayout layout, long position) =>
        Read(fileSystem, layout.SkippedFile(position), position);

    public static string Cut(string key) => LedFolder.Cut(key, KeyLengthMax);

    private static ParkedEvent Read(IFileSystem fileSystem, string path, long position)
    {
        try
        {
            return CheckedFile.Read(fileSystem, path, members => Of(members, position))
                ?? new ParkedEvent { Position = position, Problem = $"{path} does not exist: it was deleted or moved." };
        }
        catch (DamagedFileException e)
        {
            return new ParkedEvent { Position = position, Problem = $"{e.Message}." };
        }
        catch (FileSystemException e)
        {
            return new ParkedEvent { Position = position, Problem = e.Message };
        }
    }

    private static void WriteMembers(Utf8JsonWriter json, ParkedEvent parked)
    {
        json.WriteNumber("position"u8, parked.Position);
        json.WriteString("id"u8, parked.Id);
        json.WriteString("type"u8, parked.Type);
        json.WriteString("key"u8, parked.Key);
        json.WriteBoolean("keyWaits"u8, parked.KeyWaits);
        if (parked.ParkedAt is { } at)
            json.WriteString("parkedAt"u8, TextOf(at));
        json.WriteStartArray("attempts"u8);
        for (var each = 0; each < parked.Attempts.Count; each++)
        {
            var attempt = parked.Attempts[each];
            json.WriteStartObject();
            json.WriteNumber("number"u8, attempt.Number);
            json.WriteString("endedAt"u8, TextOf(attempt.EndedAt));
            json.WriteString("error"u8, each == parked.Attempts.Count - 1 ? attempt.Error : LedFolder.Cut(attempt.Error, EarlierErrorLengthMax));
            json.WriteEndObject();
        }
        json.WriteEndArray();
    }

    private static ParkedEvent Of(JsonElement members, long position) =>
        CheckedFile.GetPosition(members, "position") != position
            ? throw new FormatException("Its position does not match its name.")
            : new ParkedEvent
            {
                Position = position,
                Id = members.GetProperty("id").GetGuid(),
                Type = CheckedFile.GetText(members, "type"),
                Key = CheckedFile.GetText(members, "key"),
                KeyWaits = members.GetProperty("keyWaits").GetBoolean(),
                ParkedAt = members.TryGetProperty("parkedAt", out var at) ? at.GetDateTimeOffset() : null,
                SkipReason = members.TryGetProperty("reason", out var reason) ? reason.GetString() : null,
                SkippedAt = members.TryGetProperty("skippedAt", out var skipped) ? skipped.GetDateTimeOffset() : null,
                Attempts = [.. members.GetProperty("attempts").EnumerateArray().Select(static each => new ReactionAttempt
                {
                    Number = each.GetProperty("number").GetInt32(),
                    EndedAt = each.GetProperty("endedAt").GetDateTimeOffset(),
                    Error = CheckedFile.GetText(each, "error"),
                })],
            };

    private static string TextOf(DateTimeOffset at) => at.UtcDateTime.ToString("O", CultureInfo.InvariantCulture);
}
