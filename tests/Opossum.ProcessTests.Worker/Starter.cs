using System.Runtime;

namespace Opossum.ProcessTests.Worker;

/// <summary>Opens a store that exists, appends an event under a condition, reads it by its tag, and says how many methods were compiled.</summary>
internal static class Starter
{
    public static async Task RunAsync(string path)
    {
        var tag = new Tag("order", "new");
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }))
        {
            await store.AppendAsync(NewEvent.FromJson("placed", """{ "total": 12 }""", tag), new AppendCondition(Query.FromTags(tag)));
            var read = 0;
            await foreach (var each in store.ReadAsync(Query.FromTags(tag)))
                read++;
            Lines.Say($"read {read}");
        }
        Lines.Say($"compiled {JitInfo.GetCompiledMethodCount()}");
    }
}
