using System.Globalization;
using System.Text.Json;
using Opossum.Cli.Commands;

namespace Opossum.Cli.Events;

/// <summary>The file that has an event, and the append that it says the event belongs to.</summary>
/// <param name="Path">The path of the event's own file, of its sealed folder's, or of the journal's.</param>
/// <param name="Commit">Its append; null when the file does not say.</param>
/// <param name="Problem">Why the file does not say; null when it does.</param>
internal sealed record EventFile(string Path, EventCommit? Commit, string? Problem)
{
    /// <summary>The positions of a folder.</summary>
    public const long FolderPositions = 10_000;

    private const string SealedEnding = ".jsonl";

    /// <summary>Reads the event at a position; null when there is none.</summary>
    public static async Task<SequencedEvent?> ReadEventAsync(IEventStore store, long position, CancellationToken cancellationToken)
    {
        var options = new ReadOptions { From = position, UpTo = position };
        await foreach (var read in store.ReadAsync(Query.All, options, cancellationToken).ConfigureAwait(false))
            return read;
        return null;
    }

    /// <summary>Finds the file of an event of a store; see docs/storage-format.md for its names.</summary>
    public static EventFile Of(StoreStatus store, SequencedEvent sought)
    {
        var folder = System.IO.Path.Combine(store.Path, "Events", Digits(sought.Position / FolderPositions * FolderPositions));
        var own = System.IO.Path.Combine(folder, Digits(sought.Position) + ".json");
        try
        {
            // Where both are there, the sealed file counts. An event leaves the journal after it has got its own file, which is read again then.
            var (path, text) = FindLine(folder + SealedEnding, sought) ?? Read(own, sought) ?? FindInJournal(store.Path, sought)
                ?? Read(own, sought) ?? (own, null);
            if (text is null)
                return new EventFile(own, null, WhyMissing(store, sought));
            var members = JsonSerializer.Deserialize(text, ReportJson.Default.EventFileMembers);
            return new EventFile(path, members?.Commit, members?.Commit is null ? "its file does not say" : null);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            return new EventFile(own, null, $"its file cannot be read ({e.Message}); opossum check {store.Path} names the remedy");
        }
    }

    /// <summary>The first and the last position in a sealed file, by its name; null when it has another name.</summary>
    public static (long First, long Last)? PositionsOfSealed(string path)
    {
        var name = System.IO.Path.GetFileNameWithoutExtension(path);
        return path.EndsWith(SealedEnding, StringComparison.Ordinal)
            && long.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out var folder) && name == Digits(folder)
            ? (Math.Max(1, folder), folder + FolderPositions - 1)
            : null;
    }

    // On a network file system the event may be in the file of another one.
    private static string WhyMissing(StoreStatus store, SequencedEvent sought) =>
        sought.Position > store.Head - store.EventsInJournal ? "its file follows, see the journal in docs/durability.md"
            : $"it has no file; opossum check {store.Path} names the remedy";

    private static (string Path, string? Text)? FindInJournal(string store, SequencedEvent sought)
    {
        var journal = System.IO.Path.Combine(store, "Journal");
        return Directory.Exists(journal)
            ? Directory.EnumerateFiles(journal, "*.jsonl").Select(file => FindLine(file, sought)).FirstOrDefault(static found => found is not null)
            : null;
    }

    // A journal may have lines of an earlier use, whose events were cut off since: their ids tell.
    private static (string Path, string? Text)? FindLine(string path, SequencedEvent sought)
    {
        var start = string.Create(CultureInfo.InvariantCulture, $"{{\"position\":{sought.Position},");
        if (OpenToRead(path) is not { } lines)
            return null;
        using (lines)
        {
            while (lines.ReadLine() is { } line)
            {
                if (line.StartsWith(start, StringComparison.Ordinal) && line.Contains($"\"id\":\"{sought.Id}\"", StringComparison.Ordinal))
                    return (path, line);
            }
        }
        return null;
    }

    // On a network file system the file may have the lines of a group for a while.
    private static (string Path, string? Text)? Read(string path, SequencedEvent sought)
    {
        using var file = OpenToRead(path);
        var text = file?.ReadToEnd();
        return text is null ? null : text.StartsWith("{\"journal\":", StringComparison.Ordinal) ? FindLine(path, sought) : (path, text);
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
