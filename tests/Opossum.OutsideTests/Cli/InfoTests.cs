namespace Opossum.CliTests;

public sealed class InfoTests : StoreTest
{
    [Fact]
    public async Task It_counts_events_types_and_tags_and_draws_the_days()
    {
        var result = (await Shell.RunAsync("info", Store)).Succeeded();

        Assert.Contains("events    4\n", result.Out, StringComparison.Ordinal);
        Assert.Contains("from, to  2026-11-20 09:00:00Z, 2026-11-21 10:00:00Z\n", result.Out, StringComparison.Ordinal);
        Assert.Contains("index     4 events replayed at each opening\n", result.Out, StringComparison.Ordinal);
        Assert.Contains("2 event types\n  3  order-placed\n  1  order-shipped\n", result.Out, StringComparison.Ordinal);
        Assert.Contains("2 tag keys\n  4  customer  2 values\n  4  order     3 values\n", result.Out, StringComparison.Ordinal);
        Assert.Contains($"  2026-11-21  2  {new string('█', 40)}\n  2026-11-20  2  {new string('█', 40)}\n", result.Out, StringComparison.Ordinal);
        Assert.DoesNotContain('\e', result.Out);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("missing")]
    [InlineData("/h")]
    [InlineData("/?")]
    [InlineData("-h")]
    [InlineData("-")]
    [InlineData("--")]
    [InlineData("--json")]
    [InlineData("@missing")]
    [InlineData("[diagram]")]
    [InlineData("a b")]
    public async Task One_argument_means_what_the_parser_takes_it_for(string? argument)
    {
        var store = argument ?? Store;

        Assert.Equal(await Shell.RunParsedAsync("info", store), await Shell.RunAsync("info", store));
    }

    [Fact]
    public async Task As_json_it_has_the_documented_members()
    {
        var json = (await Shell.RunAsync("info", Store, "--json")).Succeeded().Json;

        Assert.Equal(
            ["path", "id", "head", "first", "last", "fileSystem", "isNetwork", "eventsInJournal", "sealedFolders", "index",
                "eventTypes", "eventTypesTotal", "tagKeys", "tagKeysTotal", "days", "earlier", "daysAreSampled", "sizes", "replica", "disk"],
            json.EnumerateObject().Select(member => member.Name));
        Assert.Equal(4, json.GetProperty("head").GetInt64());
        Assert.Equal("""{"eventType":"order-placed","events":3}""", Compact(json.GetProperty("eventTypes")[0]));
        Assert.Equal("""{"key":"customer","events":4,"values":2}""", Compact(json.GetProperty("tagKeys")[0]));
        Assert.Equal("""{"runs":0,"eventsInRuns":0,"runBytes":0,"eventsReplayed":4}""", Compact(json.GetProperty("index")));
        Assert.Equal("""{"day":"2026-11-21","events":2}""", Compact(json.GetProperty("days")[0]));
    }

    [Fact]
    public async Task The_sizes_of_files_are_measured_only_when_asked_for()
    {
        var sizes = (await Shell.RunAsync("info", Store, "--json", "--sizes")).Succeeded().Json.GetProperty("sizes");

        Assert.Equal(4, sizes.GetProperty("eventFiles").GetInt64());
        Assert.True(sizes.GetProperty("eventBytes").GetInt64() > 0);
    }

    [Fact]
    public async Task Days_before_the_last_fourteen_are_counted_together()
    {
        var path = Shell.PathOf("long");
        var clock = new SettableClock(Sales.FirstDay);
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, TimeProvider = clock }))
        {
            for (var day = 0; day < 20; day++)
            {
                for (var each = 0; each <= day; each++)
                    await store.AppendAsync(Sales.Order("order-placed", $"o{day}-{each}", "c1", 1));
                clock.Now += TimeSpan.FromDays(2);
            }
        }

        var json = (await Shell.RunAsync("info", path, "--json")).Succeeded().Json;

        Assert.Equal(Enumerable.Range(7, 14).Reverse(),
            json.GetProperty("days").EnumerateArray().Select(day => day.GetProperty("events").GetInt32()));
        Assert.Equal(21, json.GetProperty("earlier").GetInt64());
    }

    [Fact]
    public async Task An_empty_store_has_no_days()
    {
        (await Shell.RunAsync("new", Shell.PathOf("empty"))).Succeeded();

        var result = (await Shell.RunAsync("info", Shell.PathOf("empty"))).Succeeded();

        Assert.Contains("events  0\n", result.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("events by day", result.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Looking_changes_no_file()
    {
        var before = FilesOfStore();

        (await Shell.RunAsync("info", Store)).Succeeded();
        (await Shell.RunAsync("read", Store)).Succeeded();
        (await Shell.RunAsync("show", Store, "1")).Succeeded();
        (await Shell.RunAsync("tail", Store, "--limit", "1")).Succeeded();
        (await Shell.RunAsync("diff", Store, Store)).Succeeded();

        Assert.Equal(before, FilesOfStore());
    }

    private static string Compact(System.Text.Json.JsonElement element) => element.GetRawText().Replace("\n", "").Replace(" ", "");
}
