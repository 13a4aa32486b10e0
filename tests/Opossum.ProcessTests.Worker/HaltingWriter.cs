using System.Text.Json;
using Opossum.FileSystem.Real;

namespace Opossum.ProcessTests.Worker;

/// <summary>Appends three events and halts at one place of its work until the test says something.</summary>
internal static class HaltingWriter
{
    public const string Halted = "halted";

    /// <summary>Halts in the append, holding the lock.</summary>
    public static async Task RunAsync(string path, HaltPlace place)
    {
        var fileSystem = new HaltingFileSystem(RealFileSystem.Create(), place);
        await using var store = FileSystemEventStore.Open(new OpossumOptions { Path = path }, fileSystem, Path.GetFullPath(path));
        fileSystem.Arm();
        await AppendAsync(store);
    }

    /// <summary>Halts after the append, while it writes the event files of what is in the journal, without the lock.</summary>
    public static async Task RunWithJournalAsync(string path, HaltPlace place)
    {
        var fileSystem = new HaltingFileSystem(RealFileSystem.Create(), place);
        await using var store =
            FileSystemEventStore.Open(new OpossumOptions { Path = path, UseJournal = true }, fileSystem, Path.GetFullPath(path));
        fileSystem.Arm();
        await AppendAsync(store);
        await fileSystem.Continues;
    }

    private static async Task AppendAsync(FileSystemEventStore store)
    {
        var contents = Enumerable.Range(0, 3).Select(static at => new WrittenEvent("halting", 0, at, 3, null, new Belief([], 0, 0, 0)));
        var appended =
            await store.AppendAsync([.. contents.Select(static each => NewEvent.FromJson("halting", JsonSerializer.Serialize(each),
                each.AppendTag))]);
        Lines.Say($"appended {appended.FirstPosition} to {appended.LastPosition}");
    }
}
