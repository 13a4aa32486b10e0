using System.Runtime;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.ColdStart;

/// <summary>
/// The process of <c>cold-start</c>: opens a store that exists, appends an event under a condition, reads it by its tag, and prints how many methods
/// the runtime has compiled. It runs before the commands are made, which would be compiled, too.
/// </summary>
internal static class ColdStartProcess
{
    public const string Name = "cold-start-process";
    public const string Nothing = "a process that does nothing";

    public static string[] Command(string contender, string path) => OwnProgram.Command(Name, contender, path);

    public static async Task<int> RunAsync(string contender, string path)
    {
        var read = contender switch
        {
            ContenderName.Opossum => await UseStoreAsync(path),
            ContenderName.Sqlite => UseSqlite(path),
            _ => 1,
        };
        Console.WriteLine(JitInfo.GetCompiledMethodCount());
        return read == 1 ? 0 : 1;
    }

    private static async Task<int> UseStoreAsync(string path)
    {
        var tag = NewTag();
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        await store.AppendAsync([EventWith(tag)], new AppendCondition(Query.FromTags(tag)));
        var read = 0;
        await foreach (var each in store.ReadAsync(Query.FromTags(tag)))
            read += each.Json.Length > 0 ? 1 : 0;
        return read;
    }

    private static int UseSqlite(string path)
    {
        var tag = NewTag();
        using var connection = new SqliteConnection(path, flush: true);
        connection.TryAppend([EventWith(tag)], tag, after: 0);
        return connection.Read(tag, PayloadAs.Bytes, backwards: false).Events;
    }

    private static Tag NewTag() => new("order", Guid.NewGuid().ToString());

    private static NewEvent EventWith(Tag tag) => NewEvent.FromJson("part-moved", """{"part":"p1","from":"A1","to":"B1","quantity":1}""", tag);
}
