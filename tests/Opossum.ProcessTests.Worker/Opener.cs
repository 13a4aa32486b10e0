namespace Opossum.ProcessTests.Worker;

/// <summary>Opens the store in each folder it is told, appends an event there, and closes it.</summary>
internal static class Opener
{
    public static async Task RunAsync()
    {
        Lines.Say("ready");
        while (Lines.Hear() is { } path)
        {
            await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }))
                await store.AppendAsync([NewEvent.FromJson("opened", "{}")]);
            Lines.Say("opened");
        }
    }
}
