using System.Globalization;
using System.Text.Json;
using Opossum.Cli.Commands;

namespace Opossum.Cli.Events;

/// <summary>The file of an event, its own or that of its sealed folder, and the append that it says the event belongs to.</summary>
/// <param name="Path">The file's path.</param>
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

    /// <summary>Finds the file; see docs/storage-format.md for its name.</summary>
    public static EventFile Of(string store, long position)
    {
        var folder = System.IO.Path.Combine(store, "Events", Digits(position / FolderPositions * FolderPositions));
        var path = System.IO.Path.Combine(folder, Digits(position) + ".json");
        try
        {
            // Where both are there, the sealed file counts.
            var line = FindLine(folder + SealedEnding, position);
            path = line is null ? path : folder + SealedEnding;
            var members = JsonSerializer.Deserialize(line ?? File.ReadAllText(path), ReportJson.Default.EventFileMembers);
            return new EventFile(path, members?.Commit, members?.Commit is null ? "its file does not say" : null);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            return new EventFile(path, null, $"its file cannot be read ({e.Message}); opossum check {store} names the remedy");
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

    private static string? FindLine(string sealedFile, long position)
    {
        var start = string.Create(CultureInfo.InvariantCulture, $"{{\"position\":{position},");
        return File.Exists(sealedFile) ? File.ReadLines(sealedFile).FirstOrDefault(line => line.StartsWith(start, StringComparison.Ordinal)) : null;
    }

    private static string Digits(long number) => number.ToString("D10", CultureInfo.InvariantCulture);
}
