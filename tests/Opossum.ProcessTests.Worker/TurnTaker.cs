namespace Opossum.ProcessTests.Worker;

/// <summary>Appends one event after the other, as fast as it gets its turns, until the test is done.</summary>
internal static class TurnTaker
{
    public static async Task RunAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        Lines.Say("ready");
        Lines.Hear();
        Lines.EndWithTheTest();
        var process = $"{Environment.ProcessId}";
        while (true)
        {
            await store.AppendAsync([NewEvent.FromJson("turn", "{}", new Tag("process", process))]);
            Lines.Say("turn");
        }
    }
}
