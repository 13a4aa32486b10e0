using System.Text.Json;
using Opossum.FileSystem;

namespace Opossum.ProcessTests.Worker;

/// <summary>Appends three events and halts in the middle, holding the lock, until the test says something.</summary>
internal static class HaltingWriter
{
    public const string Halted = "halted";

    public static async Task RunAsync(string path, HaltPlace place)
    {
        var fileSystem = new HaltingFileSystem(RealFileSystem.Create(), place);
        await using var store = FileSystemEventStore.Open(new OpossumOptions { Path = path }, fileSystem, Path.GetFullPath(path));
        fileSystem.Arm();
        var contents = Enumerable.Range(0, 3).Select(static at => new WrittenEvent("halting", 0, at, 3, null, new Belief([], 0, 0, 0)));
        var appended =
            await store.AppendAsync([.. contents.Select(static each => NewEvent.FromJson("halting", JsonSerializer.Serialize(each),
                each.AppendTag))]);
        Lines.Say($"appended {appended.FirstPosition} to {appended.LastPosition}");
    }
}
