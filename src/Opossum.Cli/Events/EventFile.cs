using System.Globalization;
using System.Text.Json;
using Opossum.Cli.Commands;

namespace Opossum.Cli.Events;

/// <summary>An event's own file, and the append that it says it belongs to.</summary>
/// <param name="Path">The file's path.</param>
/// <param name="Commit">Its append; null when the file does not say.</param>
/// <param name="Problem">Why the file does not say; null when it does.</param>
internal sealed record EventFile(string Path, EventCommit? Commit, string? Problem)
{
    private const long FolderPositions = 10_000;

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
        var folder = (position / FolderPositions * FolderPositions).ToString("D10", CultureInfo.InvariantCulture);
        var path = System.IO.Path.Combine(store, "Events", folder, position.ToString("D10", CultureInfo.InvariantCulture) + ".json");
        try
        {
            var members = JsonSerializer.Deserialize(File.ReadAllBytes(path), ReportJson.Default.EventFileMembers);
            return new EventFile(path, members?.Commit, members?.Commit is null ? "its file does not say" : null);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            return new EventFile(path, null, $"its file cannot be read ({e.Message}); opossum check {store} names the remedy");
        }
    }
}
