using System.Reflection;
using System.Text.Json.Nodes;
using Opossum.FileSystem.Real;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;

namespace Opossum.Tests.Golden;

[EventType("course-defined")]
internal sealed record CourseDefined([property: Tag("course")] string CourseId, string Title, int Seats);

[EventType("address-changed", Version = 2)]
internal sealed record AddressChanged(string Street, string City);

/// <summary>What the golden stores hold, and how it was appended. A golden store is never changed; a new format gets a new one.</summary>
internal static class GoldenEvents
{
    private static readonly DateTimeOffset start = new(2026, 11, 21, 10, 15, 30, TimeSpan.Zero);
    private static int made;

    /// <summary>The folder of a format's golden store.</summary>
    public static string FolderOf(int format) => Path.Combine(Architecture.SourceTree.Root, "tests", "stores", $"format-{format}");

    public static OpossumOptions Options(string path, TimeProvider? clock = null)
    {
        var options = new OpossumOptions { Path = path, TimeProvider = clock ?? TimeProvider.System, KeepConditions = true };
        options.EventTypes.Add<CourseDefined>().Add<AddressChanged>().AddUpcaster("address-changed", 1, json =>
        {
            var parts = json["line"]!.GetValue<string>().Split(", ");
            return new JsonObject { ["street"] = parts[0], ["city"] = parts[1] };
        });
        return options;
    }

    /// <summary>Appends everything to the store in a folder that holds nothing but a store.json.</summary>
    public static async Task AppendAsync(string path)
    {
        made = 0;
        var clock = new SetClock { Now = start };
        await using var store = await FileSystemEventStore.OpenAsync(Options(path, clock));
        await store.AppendAsync([With(new NewEvent(new CourseDefined("c1", "Beuteltiere für „Anfänger“ 🐾", 20), new Tag("semester", "2026/27")),
            new() { ["correlationId"] = "7f1c", ["wer"] = "Jörg \"J\" 😀" })]);

        clock.Now = start.AddTicks(1234567);
        await store.AppendAsync(
        [
            With(NewEvent.FromJson("student-enrolled", """{ "courseId": "c1", "studentId": "s9" }""", new Tag("course", "c1"),
                new Tag("student", "s9"))),
            With(NewEvent.FromJson("student-enrolled", """{ "courseId": "c1", "studentId": "s10" }""", new Tag("course", "c1"),
                new Tag("student", "s10"))),
            With(NewEvent.FromJson("seats-counted", """{ "courseId": "c1", "left": 18 }""", new Tag("course", "c1")), new() { [""] = "" }),
        ]);

        clock.Now = start.AddDays(40).AddMilliseconds(-1);
        await store.AppendAsync([With(NewEvent.FromJson("tags-tried", "{}",
            new Tag("empty", ""),
            new Tag("url", "https://example.org/a?b=c:d#e"),
            new Tag("name", "Ünï cödé 😀 日本語"),
            new Tag("é", "one letter"),
            new Tag("e\u0301", "two letters"),
            new Tag("text", "a \"quote\", a \\ and a / and <b>&amp;</b>"),
            new Tag("white", " \t\r\n\u00A0\u2028\uFEFF"),
            new Tag("control", "\u0000\u0001\u001F\u007F")))]);

        clock.Now = start.AddDays(365).AddTicks(1);
        await store.AppendAsync([With(NewEvent.FromJson("address-changed", "{\"line\":\"Hauptstraße 1, Köln\"}"u8.ToArray(),
            [new Tag("student", "s9")]))]);
        await store.AppendAsync([With(new NewEvent(new AddressChanged("Calle Ñ 2", "A Coruña"), new Tag("student", "s9")))]);

        clock.Now = start.AddDays(366);
        await store.AppendAsync(
        [
            With(NewEvent.FromJson("old/Thing of 2019, v1 😀", """{"n":[0,-0,1.10,1e400,12345678901234567890.123456789],"deep":{"a":[{"b":[[],{}]}]},"none":null,"yes":true,"text":"\u00e9\ud83d\ude00\/\t\u0000 \u2028 <>&'+","":1}""")),
            With(NewEvent.FromJson("number", " 42 ")),
            With(NewEvent.FromJson("text", "\"\"")),
            With(NewEvent.FromJson("nothing", "null")),
        ]);
        await AppendGroupAsync(store, path);
        var condition = new AppendCondition(Query.For<CourseDefined>(new Tag("course", "c1"), new Tag("semester", "2026/27"))
            .Or(Query.FromTags(new Tag("name", "Ünï \"cödé\" 😀")))
            .Or(Query.FromEventTypes("student-enrolled", "a")), After: 14);
        await store.AppendAsync([With(NewEvent.FromJson("asked", "{}")), With(NewEvent.FromJson("asked", "{}"))], condition);
    }

    /// <summary>The event with the id of a number.</summary>
    public static NewEvent With(NewEvent e, int number, Dictionary<string, string>? metadata = null)
    {
        Set(nameof(NewEvent.Id), new Guid($"0199e0c1-0000-7000-8000-{number:000000000000}"));
        if (metadata is not null)
            Set(nameof(NewEvent.Metadata), metadata);
        return e;

        // An event made from JSON takes neither in its making.
        void Set(string property, object value) =>
            typeof(NewEvent).GetProperty(property, BindingFlags.Public | BindingFlags.Instance)!.SetValue(e, value);
    }

    /// <summary>The files of a store, by their paths in it, except the lock file and the schemas.</summary>
    public static string[] Files(string root) => [.. Directory.GetFiles(root, "*", SearchOption.AllDirectories)
        .Select(file => Path.GetRelativePath(root, file))
        // What System.Text.Json says of a class is not part of the format.
        .Where(static name => name != StoreLayout.LockFileName
            && !name.StartsWith(StoreLayout.SchemasFolderName, StringComparison.Ordinal))
        .Order(StringComparer.Ordinal)];

    // Two appends in one group: both have queued when the lock is free.
    private static async Task AppendGroupAsync(FileSystemEventStore store, string path)
    {
        Task<AppendResult> first, second;
        using (var fileSystem = RealFileSystem.Create())
        using (var storeLock = new StoreLock(new StoreFolder(fileSystem, path), TimeProvider.System))
        using (storeLock.Acquire(TimeSpan.FromMinutes(1)))
        {
            first = store.AppendAsync([With(NewEvent.FromJson("seats-counted", """{"courseId":"c2","left":5}""", new Tag("course", "c2")))]);
            second =
                store.AppendAsync([With(NewEvent.FromJson("student-enrolled", "{}", new Tag("course", "c2"))),
                    With(NewEvent.FromJson("student-enrolled", "[]", new Tag("course", "c1")))]);
        }
        await first;
        await second;
    }

    private static NewEvent With(NewEvent e, Dictionary<string, string>? metadata = null) => With(e, ++made, metadata);

    private sealed class SetClock : TimeProvider
    {
        public DateTimeOffset Now { get; set; }

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
