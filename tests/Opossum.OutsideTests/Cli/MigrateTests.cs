using System.Text.Json;
using Opossum.Cli;
using Opossum.Cli.Migration;
using Opossum.Maintenance;

namespace Opossum.CliTests;

public sealed class MigrateTests : IDisposable
{
    private readonly Shell shell = new();

    private string Flat => shell.PathOf("flat");

    private string Table => shell.PathOf("types.json");

    private string Target => shell.PathOf("school");

    public MigrateTests() => CopyFolder(Path.Combine(AppContext.BaseDirectory, "Cli", "FlatLayout", "school"), Flat);

    [Fact]
    public async Task Names_are_proposed_edited_and_used_and_a_second_run_adds_nothing()
    {
        var before = Snapshot();

        var proposal = (await MigrateAsync()).Succeeded();
        Assert.False(Directory.Exists(Target));
        var table = await File.ReadAllTextAsync(Table);
        Assert.EndsWith("}\n", table, StringComparison.Ordinal);
        await File.WriteAllTextAsync(Table, table.Replace("course-defined", "course-opened", StringComparison.Ordinal));
        var first = (await MigrateAsync()).Succeeded();
        var second = (await MigrateAsync("--json")).Succeeded();

        Assert.Contains("Shop.CourseDefined      course-defined", proposal.Out, StringComparison.Ordinal);
        Assert.Contains("nothing was migrated", proposal.Out, StringComparison.Ordinal);
        Assert.Equal("Of 12 events, 12 were new and 0 were known. The store ends at position 12.\n", first.Out);
        Assert.Equal(0, second.Json.GetProperty("import").GetProperty("imported").GetInt64());
        Assert.Equal(before, Snapshot());
    }

    [Fact]
    public async Task Events_keep_their_positions_times_tags_data_and_metadata()
    {
        (await MigrateAsync("--yes")).Succeeded();

        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Target, ReadOnly = true });
        var events = new List<SequencedEvent>();
        await foreach (var e in store.ReadAsync(Query.All))
            events.Add(e);
        Assert.Equal(Enumerable.Range(1, 12).Select(each => (long)each), events.Select(e => e.Position));
        Assert.Equal("course-defined", events[0].Type);
        Assert.Equal("""{"courseId":"00000001-0000-0000-0000-000000000000","title":"Köln & \"Tür\" <0> 日本 🐀","seats":2}""",
            System.Text.Encoding.UTF8.GetString(events[0].Json.Span));
        Assert.Equal("student-moved", events[8].Type);
        Assert.Equal([new Tag("studentId", "00000000-0001-0000-0000-000000000000"), new Tag("note", "with: colon")], events[8].Tags);
        Assert.Contains("\"fee\":12.50", System.Text.Encoding.UTF8.GetString(events[8].Json.Span), StringComparison.Ordinal);
        Assert.All(events, e => Assert.Equal(new DateTimeOffset(2026, 3, 1, 8, 0, 0, TimeSpan.Zero), e.Timestamp));
        Assert.All(events, e => Assert.Equal("00000009-0009-0009-0000-000000000000", e.Metadata["correlationId"]));
        Assert.Empty((await StoreCheck.RunAsync(Target)).Findings);
    }

    [Theory]
    [InlineData("info")]
    [InlineData("check")]
    [InlineData("append")]
    public async Task Commands_about_a_store_name_this_one_for_a_folder_in_the_flat_layout(string command)
    {
        var events = Assert.Single(Directory.GetDirectories(Flat), static path =>
            string.Equals(Path.GetFileName(path), "events", StringComparison.OrdinalIgnoreCase));
        var upper = Path.Combine(Flat, "Events");
        if (events != upper)
            Directory.Move(events, upper);
        var before = Snapshot();

        var refused = await shell.RunAsync(command, Flat);

        Assert.Equal(ExitCode.NoStore, refused.ExitCode);
        Assert.Contains($"opossum migrate {Flat}", refused.Error, StringComparison.Ordinal);
        Assert.Equal(before, Snapshot());
    }

    [Fact]
    public void No_two_types_are_proposed_the_same_name()
    {
        string[] types = ["Shop.A.Placed", "Shop.B.Placed", "X.ShopAPlaced", "Shop.APaid", "Y.APaid", "Shop.A.Paid", "Shop.B.Paid"];

        var names = TypeTable.Propose(types).Names;

        Assert.Equal(types.Length, names.Values.Distinct().Count());
        Assert.Equal(("shop-a-placed", "shop-a-placed-2"), (names["Shop.A.Placed"], names["X.ShopAPlaced"]));
        Assert.Equal(names, TypeTable.Propose(types.Reverse()).Names);
    }

    [Fact]
    public async Task A_dry_run_changes_nothing_with_and_without_a_table()
    {
        var proposal = (await MigrateAsync("--dry-run")).Succeeded();
        Assert.False(File.Exists(Table));
        var checkedWithout = (await MigrateAsync("--dry-run", "--yes")).Succeeded();

        Assert.Contains("Nothing was changed.", proposal.Out, StringComparison.Ordinal);
        Assert.Contains("Of 12 events, 12 were new", checkedWithout.Out, StringComparison.Ordinal);
        Assert.Equal(["flat"], Directory.GetFileSystemEntries(shell.Folder).Select(Path.GetFileName));
    }

    [Fact]
    public async Task A_run_that_stopped_at_a_bad_file_goes_on_when_it_is_corrected()
    {
        (await MigrateAsync()).Succeeded();
        var path = Path.Combine(Flat, "events", "0000000007.json");
        var good = await File.ReadAllTextAsync(path);
        await File.WriteAllTextAsync(path, "{");
        var stopped = await MigrateAsync();
        await File.WriteAllTextAsync(path, good);
        var done = (await MigrateAsync()).Succeeded();

        Assert.Equal(ExitCode.Failed, stopped.ExitCode);
        Assert.Contains(path, stopped.Error, StringComparison.Ordinal);
        Assert.Contains("The store ends at position 12.", done.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("\"metadata\":", """ "metadata": { "by": "\ud800", "timestamp": "2026-03-01T08:00:00+00:00" }, "was":""")]
    [InlineData("\"$type\":", """ "by": "\ud800", "$type":""")]
    public async Task A_half_of_a_surrogate_pair_is_an_error_that_names_the_file(string member, string with)
    {
        (await MigrateAsync()).Succeeded();
        var path = Path.Combine(Flat, "events", "0000000007.json");
        await File.WriteAllTextAsync(path, (await File.ReadAllTextAsync(path)).Replace(member, with, StringComparison.Ordinal));

        var stopped = await MigrateAsync();

        Assert.Equal(ExitCode.Failed, stopped.ExitCode);
        Assert.StartsWith($"opossum: {path} is not an event of the flat layout: ", stopped.Error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Target));
    }

    [Fact]
    public async Task A_member_that_the_store_has_encrypted_is_not_migrated_in_plain_unless_told()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions
        {
            Path = Target,
            EventTypes = new EventTypeRegistry().AddPersonal("course-defined", "title", "course"),
            PersonalData = { MasterKey = MasterKey.Create() },
        }))
        {
            await store.AppendAsync(NewEvent.FromJson("course-defined", """{"title":"Ada's"}""", new Tag("course", "c1")));
        }

        var refused = await MigrateAsync("--yes");
        var allowed = (await MigrateAsync("--yes", "--allow-plain")).Succeeded();

        Assert.Equal(ExitCode.Failed, refused.ExitCode);
        Assert.Contains("has the member title in plain", refused.Error, StringComparison.Ordinal);
        Assert.Contains("The store ends at position 13.", allowed.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_table_that_lacks_a_type_or_is_no_table_is_an_error_and_nothing_is_migrated()
    {
        await File.WriteAllTextAsync(Table, """{ "Shop.CourseDefined": "course-defined" }""");
        var lacking = await MigrateAsync();
        await File.WriteAllTextAsync(Table, "[]");
        var wrong = await MigrateAsync();

        Assert.Contains("has no name for Shop.StudentSubscribed", lacking.Error, StringComparison.Ordinal);
        Assert.Contains("is not a table of type names", wrong.Error, StringComparison.Ordinal);
        Assert.Equal((ExitCode.Usage, ExitCode.Usage), (lacking.ExitCode, wrong.ExitCode));
        Assert.False(Directory.Exists(Target));
    }

    [Fact]
    public async Task A_folder_that_is_no_flat_layout_is_an_error()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));

        var store = await shell.RunAsync("migrate", shell.PathOf("sales"), Target);
        var missing = await shell.RunAsync("migrate", shell.PathOf("none"), Target);
        var other = await shell.RunAsync("migrate", shell.Folder, Target);

        Assert.Contains("is a store already", store.Error, StringComparison.Ordinal);
        Assert.All([store, missing, other], result => Assert.Equal(ExitCode.NoStore, result.ExitCode));
    }

    [Fact]
    public async Task The_older_name_of_the_folder_is_known_and_a_gap_is_reported()
    {
        Directory.Move(Path.Combine(Flat, "events"), Path.Combine(Flat, "moved"));
        Directory.Move(Path.Combine(Flat, "moved"), Path.Combine(Flat, "Events"));
        File.Delete(Path.Combine(Flat, "Events", "0000000005.json"));

        var result = await MigrateAsync("--yes");

        Assert.Equal($"Position 5 has no file in {Flat}: the positions of the events after it change.\n", result.Error);
        Assert.Contains("The store ends at position 11.", result.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("CourseDefined", "course-defined")]
    [InlineData("HTTPRequestFailed", "http-request-failed")]
    [InlineData("Outer+Inner2Done", "outer-inner2-done")]
    public void Names_are_words_with_hyphens(string name, string expected) => Assert.Equal(expected, Cli.Migration.KebabCase.Of(name));

    [Fact]
    public void Types_of_one_name_in_two_namespaces_get_different_names()
    {
        var table = Cli.Migration.TypeTable.Propose(["Shop.Closed", "School.Closed", "Shop.Box`1[[System.Int32]]"]);

        Assert.Equal(["school-closed", "box", "shop-closed"], table.Names.Values);
    }

    public void Dispose() => shell.Dispose();

    private Task<ShellResult> MigrateAsync(params string[] options) =>
        shell.RunAsync(["migrate", Flat, Target, "--types", Table, .. options]);

    private List<string> Snapshot() => [.. Directory.GetFiles(Flat, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal)
        .Select(path => JsonSerializer.Serialize(new[] { path, File.ReadAllText(path), File.GetLastWriteTimeUtc(path).ToString("O") }))];

    private static void CopyFolder(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (var file in Directory.GetFiles(from))
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
        foreach (var folder in Directory.GetDirectories(from))
            CopyFolder(folder, Path.Combine(to, Path.GetFileName(folder)));
    }
}
