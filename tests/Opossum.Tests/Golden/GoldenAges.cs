using System.IO.Compression;
using Opossum.Maintenance;
using Opossum.Testing;

namespace Opossum.Tests.Golden;

/// <summary>
/// What the golden store of ages holds: events in a sealed folder, in event files, and in the journal, with runs in its index. It is what a process
/// leaves that is killed before its last events have files.
/// </summary>
internal static class GoldenAges
{
    /// <summary>The last position in the sealed folder.</summary>
    public const int LastSealed = 9_999;

    /// <summary>The last position that has an event file.</summary>
    public const int LastFile = 10_020;

    /// <summary>The last position, in the journal.</summary>
    public const int Head = 10_025;

    private const int BatchLength = 60;

    /// <summary>The store of a format, as one file.</summary>
    public static string ArchiveOf(int format) => Path.Combine(Architecture.SourceTree.Root, "tests", "stores", $"format-{format}-ages.zip");

    public static void Extract(int format, string folder) => ZipFile.ExtractToDirectory(ArchiveOf(format), folder);

    public static string Type(long position) => position % 2 == 0 ? "counted" : "weighed";

    public static string Json(long position) => $"{{\"count\":{position},\"unit\":\"Stück\"}}";

    public static Tag[] Tags(long position) => [new("line", $"{position % 7}"), new("box", $"b{position / 1_000}")];

    /// <summary>Appends everything that has event files, to the store in a folder that holds nothing but a store.json.</summary>
    public static async Task AppendFilesAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, TimeProvider = new TestClock() });
        for (var first = 1; first <= LastFile; first += BatchLength)
            await store.AppendAsync([.. Enumerable.Range(first, Math.Min(BatchLength, LastFile - first + 1)).Select(New)]);
    }

    /// <summary>Seals the first folder, appends the rest with a journal, and copies the store before the rest has files.</summary>
    public static async Task SealAndJournalAsync(string path, string copy)
    {
        await StoreSealing.SealAsync(path, keepNewestFolders: 1);
        // Its timers stand still, so nothing is written from the journal.
        var options = new OpossumOptions { Path = path, TimeProvider = new TestClock(), UseJournal = true };
        await using var store = await FileSystemEventStore.OpenAsync(options);
        for (var position = LastFile + 1; position <= Head; position++)
            await store.AppendAsync([New(position)]);
        foreach (var file in Directory.GetFiles(path, "*", SearchOption.AllDirectories))
        {
            var target = Path.Combine(copy, Path.GetRelativePath(path, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }
    }

    private static NewEvent New(int position) =>
        GoldenEvents.With(NewEvent.FromJson(Type(position), Json(position), Tags(position)), position);
}
