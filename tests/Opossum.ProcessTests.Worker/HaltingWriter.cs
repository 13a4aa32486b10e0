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
        var appended = await store.AppendAsync([.. Enumerable.Range(0, 3).Select(_ => NewEvent.FromJson("halting", "{}"))]);
        Lines.Say($"appended {appended.FirstPosition} to {appended.LastPosition}");
    }
}
