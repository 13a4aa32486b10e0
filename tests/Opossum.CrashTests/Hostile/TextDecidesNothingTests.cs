using Opossum.Testing.Simulated;

namespace Opossum.Tests.Hostile;

/// <summary>No text of an event, its type, tags, data or metadata, becomes a part of a path or chooses a type of the program.</summary>
public sealed class TextDecidesNothingTests
{
    private static readonly string[] texts =
    [
        "../../../../etc/passwd", "..\\..\\windows", "/etc/shadow", "C:\\autoexec.bat", "\\\\server\\share", "a/b", "con", "nul", "store.json",
        "0000000002.json", "a\0b", "$(reboot)", "%PATH%", ".",
        "System.Diagnostics.Process", "System.Diagnostics.Process, System.Diagnostics.Process", "Opossum.FileSystemEventStore, Opossum",
        "System.Version",
    ];

    [Fact]
    public async Task The_files_of_a_store_are_called_the_same_whatever_its_events_are_called()
    {
        using var plain = StorePlace.On(VolumeKind.Ext4);
        using var hostile = StorePlace.On(VolumeKind.Ext4);
        foreach (var text in texts)
        {
            await plain.Open().AppendAsync([NewEvent.FromJson("t", "{}")]);
            var e = NewEvent.FromJson(text, $"{{\"$type\":{System.Text.Json.JsonSerializer.Serialize(text)}}}", new Tag("path", text),
                new Tag(text.Replace(":", "").TrimStart('$'), text));
            await hostile.Open().AppendAsync([e with { Metadata = new Dictionary<string, string> { [text] = text } }]);
            plain.CloseStores();
            hostile.CloseStores();
        }

        Assert.Equal(plain.Snapshot("/").Keys, hostile.Snapshot("/").Keys);
        hostile.AssertClean();
        hostile.Delete(hostile.Layout.IndexFile);
        Assert.Equal(texts, (await hostile.Open().ReadAllAsync()).Select(e => e.Type));
        Assert.Equal(plain.Snapshot("/").Keys, hostile.Snapshot("/").Keys);
    }

    [Fact]
    public async Task A_type_is_found_among_those_registered_and_nowhere_else()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var store = place.Open(options => options.EventTypes.Add<Version>("version"));
        foreach (var text in texts)
            await store.AppendAsync([NewEvent.FromJson(text, $"{{\"$type\":{System.Text.Json.JsonSerializer.Serialize(text)}}}")]);

        foreach (var e in await store.ReadAllAsync())
            Assert.Contains("is not registered", Assert.Throws<EventDataException>(() => e.Data).Message, StringComparison.Ordinal);
    }
}
