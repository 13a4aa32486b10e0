using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Personal;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Backup;

/// <summary>Whether the persons' keys are there that the events of a copy need, by the events. It needs no master key.</summary>
internal static class KeysOfCopy
{
    /// <summary>Reads the events, if the store has personal data at all.</summary>
    /// <param name="events">The folder of the events.</param>
    /// <param name="keysFolder">The folder of the keys.</param>
    /// <param name="last">The last position.</param>
    /// <returns>What is missing and what to do; null: nothing is.</returns>
    public static string? FindProblem(StoreFolder events, string keysFolder, long last, CancellationToken cancellationToken)
    {
        if (StoreKeyMark.Read(events.FileSystem, events.Layout) is null)
            return null;
        var keys = new KeyFolder(events, keysFolder, TimeSpan.Zero);
        try
        {
            var needs = new KeyNeeds(events.FileSystem, keys);
            using var files = new EventFiles(events);
            foreach (var (position, reading) in files.Batches.ReadRange(1, last, files.Read))
            {
                cancellationToken.ThrowIfCancellationRequested();
                if (reading.Stored is { } stored)
                    needs.Note(stored.Content, position);
            }
            return needs.LostInWords is { } lost
                ? $"{lost} {StoreCheck.InWords} names each. Put them there from the store's folder of keys, or from a backup of it."
                : null;
        }
        catch (FileSystemException e)
        {
            return $"Whether {keys.Path} has the keys of all persons is not known: {e.Message} {StoreCheck.InWords} says it.";
        }
    }
}
