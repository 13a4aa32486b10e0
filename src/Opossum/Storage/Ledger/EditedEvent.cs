using System.Text.Json;
using Opossum.Serialization;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>Decides whether an event file that was edited by hand still is the event of its position.</summary>
internal static class EditedEvent
{
    /// <summary>
    /// Finds a change to what ties the event to its position: id, commit and timestamp, on which other events and systems rely. Returns it as the
    /// end of a sentence that begins with the file's path; null when nothing of that changed.
    /// </summary>
    /// <param name="copy">The event's line; null when the index has none: then the event is compared with its neighbours.</param>
    public static string? FindAstray(StoredEvent edited, StoredEvent? copy, EventFiles eventFiles)
    {
        if (copy is not null)
        {
            if (edited.Commit != copy.Commit || edited.Content.Id != copy.Content.Id)
            {
                return $"has another id or commit than the event had: {copy.Content.Id}, first {copy.Commit.First}, last {copy.Commit.Last}, "
                    + $"after {copy.Commit.After}";
            }

            return edited.Commit.Count > 1 && !edited.IsOfSameAppend(copy) ? "has another timestamp than the other events of its append" : null;
        }
        return Fits(-1, static each => each.Last + 1) && Fits(1, static each => each.First - 1)
            ? null
            : $"has a commit (first {edited.Commit.First}, last {edited.Commit.Last}, after {edited.Commit.After}) or a timestamp that "
            + "contradicts its neighbours'";

        // Neighbours belong to the same append, or one append ends where the next begins. An invalid neighbour proves nothing.
        bool Fits(int step, Func<CommitRange, long> placeBeside)
        {
            var neighbour = edited.Position + step;
            if (neighbour < 1 || eventFiles.Read(neighbour, out _) is not { } stored)
                return true;
            return neighbour >= edited.Commit.First && neighbour <= edited.Commit.Last
                ? stored.IsOfSameAppend(edited)
                : placeBeside(stored.Commit) == edited.Position;
        }
    }

    /// <summary>
    /// Whether an invalid file was edited. A store creates a file empty and writes it once, so a file that a crash left lacks its end or contains
    /// zeros. A whole file whose checksum matches was copied from elsewhere.
    /// </summary>
    public static bool WasEdited(ReadOnlySpan<byte> file)
    {
        if (ChecksumTrailer.Judge(file) is null)
            return false;
        // A file saved as UTF-16, which is full of zeros.
        if (file is [0xFF, 0xFE, ..] or [0xFE, 0xFF, ..])
            return true;
        return !file.Contains((byte)0) && (ChecksumTrailer.Stated(file) is not null || IsWhole(CanonicalText.WithoutByteOrderMark(file)));
    }

    // Whether it begins with a complete JSON object.
    private static bool IsWhole(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json, isFinalBlock: false, new JsonReaderState(EventFile.ReaderOptions));
        try
        {
            while (reader.Read())
            {
                if (reader.TokenType == JsonTokenType.EndObject && reader.CurrentDepth == 0)
                    return true;
            }
        }
        catch (JsonException)
        {
            // Text that is invalid JSON before its end was neither written by a store nor edited into an event.
        }
        return false;
    }
}
