using System.Text;
using Opossum.Maintenance;
using Opossum.Storage.Folders;

namespace Opossum.Tests.Golden;

/// <summary>Holds today's library against a store as it was written when its format was new.</summary>
public sealed class GoldenStoreTests : IDisposable
{
    private static readonly string[] expected =
    [
        "1 course-defined 1 2026-11-21T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000001 [semester:2026/27|course:c1] "
            + "{\"courseId\":\"c1\",\"title\":\"Beuteltiere für „Anfänger“ 🐾\",\"seats\":20} correlationId=7f1c|wer=Jörg \"J\" 😀",
        "2 student-enrolled 1 2026-11-21T10:15:30.1234567+00:00 0199e0c1-0000-7000-8000-000000000002 [course:c1|student:s9] "
            + "{\"courseId\":\"c1\",\"studentId\":\"s9\"} ",
        "3 student-enrolled 1 2026-11-21T10:15:30.1234567+00:00 0199e0c1-0000-7000-8000-000000000003 [course:c1|student:s10] "
            + "{\"courseId\":\"c1\",\"studentId\":\"s10\"} ",
        "4 seats-counted 1 2026-11-21T10:15:30.1234567+00:00 0199e0c1-0000-7000-8000-000000000004 [course:c1] {\"courseId\":\"c1\",\"left\":18} =",
        "5 tags-tried 1 2026-12-31T10:15:29.9990000+00:00 0199e0c1-0000-7000-8000-000000000005 [empty:|url:https://example.org/a?b=c:d#e|name:Ünï "
            + "cöd\u00E9 😀 日本語|\u00E9:one letter|e\u0301:two letters|text:a \"quote\", a \\ and a / and <b>&amp;</b>|white: "
            + "\u0009\u000D\u000A\u00A0\u2028\uFEFF|control:\u0000\u0001\u001F\u007F] {} ",
        "6 address-changed 1 2027-11-21T10:15:30.0000001+00:00 0199e0c1-0000-7000-8000-000000000006 [student:s9] {\"line\":\"Hauptstraße 1, Köln\"} ",
        "7 address-changed 2 2027-11-21T10:15:30.0000001+00:00 0199e0c1-0000-7000-8000-000000000007 [student:s9] {\"street\":\"Calle Ñ "
            + "2\",\"city\":\"A Coruña\"} ",
        "8 old/Thing of 2019, v1 😀 1 2027-11-22T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000008 [] {\"n\":[0,-0,1.10,1e400,12345678901234567890.123456789],\"deep\":{\"a\":[{\"b\":[[],{}]}]},\"none\":null,\"yes\":true,\"text\":\"\u00E9😀/\\t\\u0000 \\u2028 <>&'+\",\"\":1} ",
        "9 number 1 2027-11-22T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000009 [] 42 ",
        "10 text 1 2027-11-22T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000010 [] \"\" ",
        "11 nothing 1 2027-11-22T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000011 [] null ",
        "12 seats-counted 1 2027-11-22T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000012 [course:c2] {\"courseId\":\"c2\",\"left\":5} ",
        "13 student-enrolled 1 2027-11-22T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000013 [course:c2] {} ",
        "14 student-enrolled 1 2027-11-22T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000014 [course:c1] [] ",
        "15 asked 1 2027-11-22T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000015 [] {} ",
        "16 asked 1 2027-11-22T10:15:30.0000000+00:00 0199e0c1-0000-7000-8000-000000000016 [] {} ",
    ];

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    [Fact]
    public void Every_format_has_its_golden_store() =>
        Assert.All(Enumerable.Range(1, StoreLayout.Format),
            static format => Assert.True(File.Exists(Path.Combine(GoldenEvents.FolderOf(format), StoreLayout.StoreFileName))));

    [Fact]
    public async Task Its_events_are_read_as_they_were_appended()
    {
        await using var store = await FileSystemEventStore.OpenAsync(GoldenEvents.Options(Copy(1)));
        var events = await store.ReadAsync(Query.All).ToListAsync();

        Assert.Equal(expected, events.Select(Text));
        Assert.Equal(new CourseDefined("c1", "Beuteltiere für „Anfänger“ 🐾", 20), events[0].Data);
        Assert.Equal([new AddressChanged("Hauptstraße 1", "Köln"), new AddressChanged("Calle Ñ 2", "A Coruña")],
            events[5..7].Select(static e => e.Data));
        Assert.Throws<EventDataException>(() => events[7].Data);
        Assert.Equal(14, Assert.Single(events, static e => e.Condition is not null).Condition!.After);
        Assert.Equal("(name:Ünï \"cödé\" 😀) or (a or student-enrolled) or (course-defined with course:c1 and semester:2026/27)",
            events[14].Condition!.FailIfEventsMatch.ToString());
    }

    [Theory]
    [InlineData("course:c1", 1, 2, 3, 4, 14)]
    [InlineData("name:Ünï cödé 😀 日本語", 5)]
    [InlineData("e\u0301:two letters", 5)]
    [InlineData("\u00E9:two letters")]
    [InlineData("empty:", 5)]
    [InlineData("control:\u0000\u0001\u001F\u007F", 5)]
    public async Task Its_events_are_found_by_their_tags(string tag, params int[] positions)
    {
        await using var store = await FileSystemEventStore.OpenAsync(GoldenEvents.Options(Copy(1)));
        var events = await store.ReadAsync(Query.FromTags(Tag.Parse(tag))).ToListAsync();

        Assert.Equal(positions.Select(static position => (long)position), events.Select(static e => e.Position));
    }

    [Fact]
    public async Task The_check_finds_nothing_wrong_with_it()
    {
        var report = await StoreCheck.RunAsync(Copy(1));

        Assert.True(report.IsClean, report.ToString());
        Assert.Equal(16, report.Events);
    }

    [Fact]
    public async Task Its_index_is_what_a_rebuild_gives()
    {
        var copy = new StoreLayout(Copy(1));
        Directory.Delete(copy.Index, recursive: true);
        await using (await FileSystemEventStore.OpenAsync(GoldenEvents.Options(copy.Root)))
        {
        }
        AssertSameFiles(GoldenEvents.FolderOf(1), copy.Root);
    }

    [Fact]
    public async Task The_same_appends_give_the_same_bytes()
    {
        var golden = GoldenEvents.FolderOf(StoreLayout.Format);
        var anew = Path.Combine(folder, "anew");
        Directory.CreateDirectory(anew);
        File.Copy(Path.Combine(golden, StoreLayout.StoreFileName), Path.Combine(anew, StoreLayout.StoreFileName));
        await GoldenEvents.AppendAsync(anew);

        AssertSameFiles(golden, anew);
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private string Copy(int format)
    {
        var from = GoldenEvents.FolderOf(format);
        var to = Path.Combine(folder, "copy");
        foreach (var name in GoldenEvents.Files(from))
        {
            var target = Path.Combine(to, name);
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(Path.Combine(from, name), target);
        }
        return to;
    }

    private static void AssertSameFiles(string golden, string other)
    {
        Assert.Equal(GoldenEvents.Files(golden), GoldenEvents.Files(other));
        Assert.All(GoldenEvents.Files(golden), name =>
            Assert.Equal(File.ReadAllBytes(Path.Combine(golden, name)), File.ReadAllBytes(Path.Combine(other, name))));
    }

    private static string Text(SequencedEvent e) =>
        $"{e.Position} {e.Type} {e.Version} {e.Timestamp:O} {e.Id:D} [{string.Join("|", e.Tags)}] {Encoding.UTF8.GetString(e.Json.Span)} "
            + $"{string.Join("|", e.Metadata.Select(static entry => $"{entry.Key}={entry.Value}"))}";
}
