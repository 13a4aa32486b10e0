using System.Diagnostics;
using Opossum.FileSystem.Real;

namespace Opossum.ProcessTests.Worker;

/// <summary>Does with personal data what the test says, a line at a time.</summary>
internal sealed class CustomerDesk(FileSystemEventStore store, SteppedFileSystem fileSystem)
{
    public static async Task RunAsync(string path, string masterKeyFile)
    {
        using var fileSystem = new SteppedFileSystem(RealFileSystem.Create());
        await using var store = FileSystemEventStore.Open(OptionsOf(path, masterKeyFile), fileSystem, Path.GetFullPath(path));
        var desk = new CustomerDesk(store, fileSystem);
        Lines.Say("ready");
        while (Lines.Hear() is { } line)
            Lines.Say(await desk.DoAsync(line.Split(' ')));
    }

    /// <summary>The options of a store with personal data.</summary>
    public static OpossumOptions OptionsOf(string path, string masterKeyFile) => new()
    {
        Path = path,
        EventTypes = new EventTypeRegistry().Add<CustomerRegistered>(),
        PersonalData = { MasterKeyFile = masterKeyFile },
    };

    /// <summary>What can be read of each event with personal data: the name, or why it is lost.</summary>
    public static async Task<List<string>> ReadAsync(FileSystemEventStore store) =>
        await store.ReadAsync(Query.For<CustomerRegistered>()).Select(static e => ((CustomerRegistered)e.Data!).Name ?? $"{e.UnreadableMembers[0].Reason}")
            .ToListAsync();

    private async Task<string> DoAsync(string[] order)
    {
        switch (order)
        {
            case ["register", .. var ids]:
                foreach (var id in ids)
                    await store.AppendAsync([new NewEvent(CustomerRegistered.Of(id))]);
                return $"registered {ids.Length}";
            case ["read"]:
                return $"read {string.Join(", ", await ReadAsync(store))}";
            case ["watch", var reason]:
                return $"seen after {await WatchAsync(reason)}";
            case ["halt", var changes]:
                fileSystem.HaltAfter(int.Parse(changes));
                return "to halt";
            case ["forget", var id]:
                return $"forgotten at {(await store.ForgetAsync(new Tag("customer", id), "asked for it")).Position}";
            default:
                throw new ArgumentException($"Unknown: {string.Join(' ', order)}");
        }
    }

    // Until every name is lost.
    private async Task<TimeSpan> WatchAsync(string reason)
    {
        Lines.Say("watching");
        var began = Stopwatch.GetTimestamp();
        while (!(await ReadAsync(store)).TrueForAll(each => each == reason))
            await Task.Delay(10);
        return Stopwatch.GetElapsedTime(began);
    }
}
