using System.Globalization;
using System.Text.Json;
using Opossum.Cli.Commands;

namespace Opossum.Cli.Events;

/// <summary>The file that has an event, and the append that it says the event belongs to.</summary>
/// <param name="Path">The path of the event's own file, of its sealed folder's, or of the segment that has its line.</param>
/// <param name="Commit">Its append; null when the file does not say.</param>
/// <param name="Problem">Why the file does not say; null when it does.</param>
internal sealed record EventFile(string Path, EventCommit? Commit, string? Problem)
{
    public const long FolderPositions = 10_000;

    private const string LinesEnding = ".jsonl";

    /// <summary>Reads the event at a position; null when there is none.</summary>
    public static async Task<SequencedEvent?> ReadEventAsync(IEventStore store, long position, CancellationToken cancellationToken)
    {
        if (position < 1)
            return null;
        var options = new ReadOptions { After = position - 1, UpTo = position };
        await foreach (var read in store.ReadAsync(Query.All, options, cancellationToken).ConfigureAwait(false))
            return read;
        return null;
    }

    /// <summary>Finds the file of an event of a store; see docs/storage-format.md for its names.</summary>
    public static EventFile Of(StoreStatus store, SequencedEvent sought)
    {
        var folder = FolderOf(store.Path, sought.Position);
        var own = OwnFile(folder, sought.Position);
        var path = own;
        try
        {
            foreach (var place in Places(store, sought, folder, own))
            {
                if (TextOf(place, sought.Position, sought.Id) is not { } text)
                    continue;
                path = place;
                var members = JsonSerializer.Deserialize(text, ReportJson.Default.EventFileMembers);
                return new EventFile(path, members?.Commit, members?.Commit is null ? "its file does not say" : null);
            }
            return new EventFile(own, null, WhyMissing(store, sought));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            return new EventFile(path, null, $"its file cannot be read ({e.Message}); opossum check {store.Path} names the remedy");
        }
    }

    /// <summary>The append that an event belongs to, by its sealed folder's file, its own, or its line in the log; null when none says.</summary>
    public static EventCommit? FindCommit(string store, long position)
    {
        var folder = FolderOf(store, position);
        var text = TextOf(folder + LinesEnding, position, id: null) ?? TextOf(OwnFile(folder, position), position, id: null)
            ?? TextOf(SegmentOf(store, folder), position, id: null);
        try
        {
            return text is null ? null : JsonSerializer.Deserialize(text, ReportJson.Default.EventFileMembers)?.Commit;
        }
        catch (JsonException)
        {
            // A line may be cut off, as by a crash.
            return null;
        }
    }

    /// <summary>The first and the last position in a sealed file, by its name; null when it has another name.</summary>
    public static (long First, long Last)? PositionsOfSealed(string path)
    {
        var name = System.IO.Path.GetFileNameWithoutExtension(path);
        return path.EndsWith(LinesEnding, StringComparison.Ordinal)
            && long.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out var folder) && name == Digits(folder)
            ? (Math.Max(1, folder), folder + FolderPositions - 1)
            : null;
    }

    private static bool HasOnlyLine(StoreStatus store, SequencedEvent sought) => sought.Position > store.Head - store.EventsInJournal;

    private static string WhyMissing(StoreStatus store, SequencedEvent sought) =>
        HasOnlyLine(store, sought) ? "its file follows, see the journal in docs/durability.md"
            : $"it has no file; opossum check {store.Path} names the remedy";

    private static IEnumerable<string> Places(StoreStatus store, SequencedEvent sought, string folder, string own)
    {
        // Where both are there, the sealed file counts.
        yield return folder + LinesEnding;
        yield return own;
        if (HasOnlyLine(store, sought))
            yield return SegmentOf(store.Path, folder);
        // It may have got its file meanwhile.
        yield return own;
    }

    private static string FolderOf(string store, long position) =>
        System.IO.Path.Combine(store, "Events", Digits(position / FolderPositions * FolderPositions));

    private static string OwnFile(string folder, long position) => System.IO.Path.Combine(folder, Digits(position) + ".json");

    private static string SegmentOf(string store, string folder) =>
        System.IO.Path.Combine(store, "Log", System.IO.Path.GetFileName(folder) + LinesEnding);

    private static string? TextOf(string path, long position, Guid? id)
    {
        using var file = OpenToRead(path);
        if (file is null)
            return null;
        if (path.EndsWith(LinesEnding, StringComparison.Ordinal))
            return FindLine(file, position, id);
        return file.ReadToEnd();
    }

    // The log may have the line of an event that was cut off since: the id tells, or else that it comes first.
    private static string? FindLine(TextReader lines, long position, Guid? id)
    {
        var start = string.Create(CultureInfo.InvariantCulture, $"{{\"position\":{position},");
        string? last = null;
        while (lines.ReadLine() is { } line)
        {
            if (!line.StartsWith(start, StringComparison.Ordinal))
                continue;
            if (id is not null && line.Contains($"\"id\":\"{id}\"", StringComparison.Ordinal))
                return line;
            last = line;
        }
        return id is null ? last : null;
    }

    // On Windows another process can write to the file, or remove it, only if this one allows that.
    private static StreamReader? OpenToRead(string path)
    {
        try
        {
            return new StreamReader(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
    }

    private static string Digits(long number) => number.ToString("D10", CultureInfo.InvariantCulture);
}
