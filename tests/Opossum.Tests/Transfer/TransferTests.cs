using System.Text;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage.Folders;
using Opossum.Tests.Personal;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Transfer;

/// <summary>What an export writes and an import stores, on real files.</summary>
public sealed class TransferTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private string Source => Path.Combine(folder, "source");

    private string Target => Path.Combine(folder, "target");

    [Fact]
    public async Task Lines_are_the_canonical_text_of_the_event_files()
    {
        await FillAsync(Source);

        var lines = await ExportAsync(Source);

        Assert.Equal(6, lines.Length);
        for (var position = 1; position <= lines.Length; position++)
        {
            var file = File.ReadAllBytes(new StoreLayout(Source).EventFile(position));
            Assert.Equal(Encoding.UTF8.GetString(CanonicalText.Of(file)), lines[position - 1]);
        }
        Directory.Delete(Path.Combine(Source, "Index"), recursive: true);
        Assert.Equal(lines, await ExportAsync(Source));
    }

    [Fact]
    public async Task Import_keeps_everything_but_positions_and_a_second_one_adds_nothing()
    {
        await FillAsync(Source);
        await AppendAsync(Target, Many(2, "other"));
        var lines = await ExportAsync(Source);

        var first = await ImportAsync(Target, lines);
        var second = await ImportAsync(Target, lines);

        Assert.Equal(new ImportReport { Read = 6, Imported = 6, Known = 0, Head = 8 }, first);
        Assert.Equal(new ImportReport { Read = 6, Imported = 0, Known = 6, Head = 8 }, second);
        Assert.Equal(await DescribeAsync(Source), (await DescribeAsync(Target))[2..]);
        Assert.Equal(await CommitsAsync(Source, 0), await CommitsAsync(Target, 2));
        Assert.Empty((await StoreCheck.RunAsync(Target)).Findings);
    }

    [Fact]
    public async Task Pseudonym_is_refused_which_an_export_cannot_find_without_keys_and_the_tag_of_a_read_event_is_found()
    {
        var options = new OpossumOptions { Path = Source };
        options.PersonalData.MasterKey = Customers.Key;
        var query = Query.FromTags(Tag.Pseudonym("mail", "ann@example.org"));
        Tag stored;
        await using (var store = await FileSystemEventStore.OpenAsync(options))
        {
            await store.AppendAsync([NewEvent.FromJson("a", "{}", Tag.Pseudonym("mail", "ann@example.org"))]);
            stored = (await store.ReadAllAsync(query)).Single().Tags.Single();
        }
        using var output = new MemoryStream();

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => StoreExport.RunAsync(Source, output, query));

        Assert.Equal("query", refused.ParamName);
        Assert.DoesNotContain("ann@example.org", refused.Message, StringComparison.Ordinal);
        Assert.Equal(0, output.Length);
        Assert.Equal(1, (await StoreExport.RunAsync(Source, output, Query.FromTags(stored))).Events);
    }

    [Fact]
    public async Task Conditions_that_events_keep_go_with_them()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source, KeepConditions = true }))
        {
            await store.AppendAsync(Many(3), new AppendCondition(Tagged("k:2", "k:1")));
            await store.AppendAsync(Many(3, "a"), new AppendCondition(Query.FromEventTypes("a"), After: 2));
        }
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);
        Assert.Contains("\"commit\":{\"first\":4,\"last\":6,\"after\":3},\"condition\":{\"after\":2,\"query\":[{\"types\":[\"a\"]}]},\"data\":{}", lines[3],
            StringComparison.Ordinal);

        await ImportAsync(Target, lines);
        // All in one group: what is durable when they are written differs, and nothing else.
        Assert.Equal(lines.Select(WithoutDurable), (await ExportAsync(Target)).Select(WithoutDurable));
        Assert.Equal(0, (await ImportAsync(Target, lines)).Imported);
        Assert.Empty((await StoreCheck.RunAsync(Target)).Findings);

        static string WithoutDurable(string line) => line[..line.IndexOf("\"after\":", StringComparison.Ordinal)]
            + line[line.IndexOf("},", StringComparison.Ordinal)..line.LastIndexOf(',')];
    }

    [Fact]
    public async Task The_position_in_a_condition_moves_with_the_append()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source, KeepConditions = true }))
        {
            await store.AppendAsync(Many(2));
            await store.AppendAsync(Many(2, "a"), new AppendCondition(Query.FromEventTypes("a"), After: 1));
            await store.AppendAsync(Many(1, "b"), new AppendCondition(Query.FromEventTypes("b")));
        }
        await AppendAsync(Target, Many(7));
        await ImportAsync(Target, await ExportAsync(Source));
        Assert.Equal([(10, 8), (12, 7)], await AftersAsync());

        Directory.Delete(Target, recursive: true);
        await AppendAsync(Target, []);
        await ImportAsync(Target, await ExportAsync(Source, new ReadOptions { After = 2 }));
        Assert.Equal([(1, 0), (3, 0)], await AftersAsync());

        async Task<(long, long?)[]> AftersAsync()
        {
            await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Target, ReadOnly = true });
            return [.. (await store.ReadAllAsync()).Where(static e => e.Condition is not null).Select(static e => (e.Position, e.Condition!.After))];
        }
    }

    [Fact]
    public async Task Export_by_query_and_range_is_imported_in_parts()
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);
        var some = await ExportAsync(Source, query: Query.FromEventTypes("a"));
        var range = await ExportAsync(Source, new ReadOptions { After = 1, UpTo = 3 });

        Assert.Equal((3, 2), (some.Length, range.Length));
        Assert.Equal(3, (await ImportAsync(Target, some)).Imported);
        Assert.Equal(3, (await ImportAsync(Target, await ExportAsync(Source))).Imported);
        Assert.Equal((await DescribeAsync(Source)).Order(), (await DescribeAsync(Target)).Order());
        Assert.Empty((await StoreCheck.RunAsync(Target)).Findings);
    }

    [Fact]
    public async Task Export_after_the_last_one_has_what_is_new()
    {
        await FillAsync(Source);
        using var first = new MemoryStream();
        var report = await StoreExport.RunAsync(Source, first);
        await AppendAsync(Source, Many(2));

        Assert.Equal(2, (await ExportAsync(Source, new ReadOptions { After = report.Head })).Length);
        Assert.Empty(await ExportAsync(Source, new ReadOptions { After = 800 }));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    [InlineData(6)]
    public async Task Export_after_one_with_a_limit_has_what_that_one_left(int limit)
    {
        await FillAsync(Source);
        using var first = new MemoryStream();

        var report = await StoreExport.RunAsync(Source, first, options: new ReadOptions { Limit = limit });

        Assert.Equal(limit, report.Head);
        Assert.Equal(6 - limit, (await ExportAsync(Source, new ReadOptions { After = report.Head })).Length);
    }

    [Theory]
    [InlineData("\uFEFF", "\n", "\n")]
    [InlineData("", "\r\n", "")]
    [InlineData("\n", "\n\n", "\n \n")]
    public async Task Line_ends_and_empty_lines_do_not_matter(string before, string between, string after)
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);

        var report = await ImportAsync(Target, before + string.Join(between, await ExportAsync(Source)) + after);

        Assert.Equal(6, report.Imported);
    }

    [Fact]
    public async Task Line_without_checksum_is_imported_and_one_whose_checksum_does_not_fit_is_refused()
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);
        var changed = lines[0].Replace("\"data\":{}", "\"data\":{\"new\":1}", StringComparison.Ordinal);

        var error = await Assert.ThrowsAsync<StoreMaintenanceException>(() => ImportAsync(Target, changed));
        var report = await ImportAsync(Target, changed[..changed.IndexOf(",\"checksum\"", StringComparison.Ordinal)] + "}");

        Assert.Equal(1, error.Line);
        Assert.Contains("does not match its checksum", error.Message, StringComparison.Ordinal);
        Assert.Equal(1, report.Imported);
    }

    [Fact]
    public async Task Event_that_another_process_stores_meanwhile_under_a_lines_id_is_named_and_all_before_the_line_is_stored()
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);
        var other = lines[1].Replace("\"data\":{}", "\"data\":{\"new\":1}", StringComparison.Ordinal);
        other = other[..other.IndexOf(",\"checksum\"", StringComparison.Ordinal)] + "}";

        // At the end of the input, line 2 was looked up and not found, and nothing is stored yet.
        using var input = new StreamWithEnd(string.Join('\n', lines), () => ImportAsync(Target, other).GetAwaiter().GetResult());
        var error = await Assert.ThrowsAsync<StoreMaintenanceException>(() => StoreImport.RunAsync(Target, input));

        Assert.Equal(2, error.Line);
        Assert.Contains("Nothing of its append was stored; the appends before it are", error.Message, StringComparison.Ordinal);
        Assert.Equal(["a", "b"], (await DescribeAsync(Target)).Select(static line => line[..1]).Order());
        Assert.Equal(2, await HeadAsync(Target));
    }

    [Fact]
    public async Task Whole_append_directly_before_a_bad_line_is_stored()
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);

        var error = await Assert.ThrowsAsync<StoreMaintenanceException>(async () => await ImportAsync(Target, [(await ExportAsync(Source))[0], "{}"]));

        Assert.Equal((2, 1), (error.Line, await HeadAsync(Target)));
    }

    [Fact]
    public async Task Events_that_another_import_wrote_and_did_not_index_before_it_was_killed_are_stored_once()
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);
        var (from, to) = (new StoreLayout(Source).EventFile(1), new StoreLayout(Target).EventFile(1));

        using var input = new StreamWithEnd(string.Join('\n', await ExportAsync(Source)), () =>
        {
            Directory.CreateDirectory(Path.GetDirectoryName(to)!);
            File.Copy(from, to, overwrite: true);
        });
        var report = await StoreImport.RunAsync(Target, input);

        Assert.Equal((5, 6), (report.Imported, report.Head));
        Assert.Equal(await DescribeAsync(Source), await DescribeAsync(Target));
    }

    [Fact]
    public async Task Bad_line_is_named_nothing_of_its_append_is_stored_and_all_before_is()
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);
        var good = lines[2];
        lines[2] = "{\"position\":3,";

        var error = await Assert.ThrowsAsync<StoreMaintenanceException>(() => ImportAsync(Target, lines));
        var stored = await HeadAsync(Target);
        lines[2] = good;
        var rest = await ImportAsync(Target, lines);

        Assert.Equal(3, error.Line);
        Assert.Contains("Line 3 is not an event", error.Message, StringComparison.Ordinal);
        Assert.Equal(1, stored);
        Assert.Equal((5, 1), (rest.Imported, rest.Known));
        Assert.Equal(await CommitsAsync(Source, 0), await CommitsAsync(Target, 0));
    }

    [Fact]
    public async Task Other_event_with_a_known_id_is_refused()
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);
        await ImportAsync(Target, lines);
        var forged = lines[0].Replace("\"type\":\"a\"", "\"type\":\"z\"", StringComparison.Ordinal);

        var error = await Assert.ThrowsAsync<StoreMaintenanceException>(() =>
            ImportAsync(Target, forged[..forged.IndexOf(",\"checksum\"", StringComparison.Ordinal)] + "}"));

        Assert.Contains("at position 1 with another content", error.Message, StringComparison.Ordinal);
        Assert.Equal(6, await HeadAsync(Target));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Other_event_with_an_id_of_an_export_before_is_refused(bool isDryRun)
    {
        var first = NewEvent.FromJson("a", """{ "x": 1 }""", new Tag("k", "v"));
        await AppendAsync(Source, [first]);
        await AppendAsync(Target, []);
        var line = (await ExportAsync(Source))[0];
        // The checksum is of the former content.
        var plain = line[..line.IndexOf(",\"checksum\"", StringComparison.Ordinal)] + "}";
        var options = new ImportOptions { DryRun = isDryRun };

        foreach (var (old, @new) in ((string, string)[])[("\"x\":1", "\"x\":10"), ("\"type\":\"a\"", "\"type\":\"z\""), ("k:v", "k:w")])
        {
            var forged = plain.Replace(old, @new, StringComparison.Ordinal);
            Assert.NotEqual(plain, forged);
            var error = await Assert.ThrowsAsync<StoreMaintenanceException>(() => ImportAsync(Target, $"{line}\n{forged}", options));
            Assert.Equal(2, error.Line);
            Assert.Contains(first.Id.ToString(), error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Event_of_an_export_before_is_known_with_its_members_tags_and_numbers_written_otherwise(bool isDryRun)
    {
        const string Json = """{ "x": { "y": 1, "z": [2, { "a": "b", "c": null }] }, "n": [1e2, 0.50, -10, 0, 7E-3] }""";
        await AppendAsync(Source, [NewEvent.FromJson("a", Json, new Tag("k", "v"), new Tag("l", "w"))]);
        await AppendAsync(Target, []);
        var line = (await ExportAsync(Source))[0];
        var other = (line[..line.IndexOf(",\"checksum\"", StringComparison.Ordinal)] + "}")
            .Replace("""{"y":1,"z":[2,{"a":"b","c":null}]}""", """{"z":[2,{"c":null,"a":"b"}],"y":1}""", StringComparison.Ordinal)
            .Replace("[1e2,0.50,-10,0,7E-3]", "[100,5e-1,-1.0E+1,-0.0,0.007]", StringComparison.Ordinal)
            .Replace("\"k:v\",\"l:w\"", "\"l:w\",\"k:v\"", StringComparison.Ordinal);

        var report = await ImportAsync(Target, $"{line}\n{other}", new ImportOptions { DryRun = isDryRun });

        Assert.Contains("l:w\",\"k:v", other, StringComparison.Ordinal);
        Assert.Contains("[2,{\"c\"", other, StringComparison.Ordinal);
        Assert.Contains("5e-1", other, StringComparison.Ordinal);
        Assert.Equal((1, 1), (report.Imported, report.Known));
    }

    [Fact]
    public async Task Lines_that_occur_twice_are_stored_once()
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);

        var dryRun = await ImportAsync(Target, string.Join('\n', [.. lines, .. lines]), new ImportOptions { DryRun = true });
        var report = await ImportAsync(Target, string.Join('\n', [.. lines, .. lines]));
        var one = await ImportAsync(Target, [lines[1], lines[1]]);

        Assert.Equal((6, 6), (dryRun.Imported, dryRun.Known));
        Assert.Equal((6, 6), (report.Imported, report.Known));
        Assert.Equal((0, 2), (one.Imported, one.Known));
    }

    // The overlap is one append, or a part of it.
    [Theory]
    [InlineData(5, 6)]
    [InlineData(1, 3)]
    [InlineData(0, 1)]
    [InlineData(3, 6)]
    public async Task Exports_that_overlap_by_one_append_are_imported_when_they_are_joined(int after, int upTo)
    {
        await FillAsync(Source);
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);
        string[] joined = [.. lines[..upTo], .. lines[after..]];

        var dryRun = await ImportAsync(Target, string.Join('\n', joined), new ImportOptions { DryRun = true });
        var report = await ImportAsync(Target, joined);

        Assert.Equal((6, upTo - after), (dryRun.Imported, dryRun.Known));
        Assert.Equal((6, upTo - after), (report.Imported, report.Known));
        Assert.Equal(await DescribeAsync(Source), await DescribeAsync(Target));
    }

    [Fact]
    public async Task Events_with_one_id_are_imported_and_a_second_import_adds_nothing()
    {
        var first = NewEvent.FromJson("a", "{}");
        await AppendAsync(Source, [first]);
        await AppendAsync(Source, [first]);
        await AppendAsync(Source, [NewEvent.FromJson("b", """{ "x": 1 }""") with { Id = first.Id }]);
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);

        var dryRun = await ImportAsync(Target, string.Join('\n', lines), new ImportOptions { DryRun = true });
        var interrupted = await ImportAsync(Target, lines[..2]);
        var report = await ImportAsync(Target, lines);
        var again = await ImportAsync(Target, string.Join('\n', [.. lines, .. lines]));

        Assert.Equal((3, 0), (dryRun.Imported, dryRun.Known));
        Assert.Equal((2, 0), (interrupted.Imported, interrupted.Known));
        Assert.Equal((1, 2), (report.Imported, report.Known));
        Assert.Equal((0, 6), (again.Imported, again.Known));
        Assert.Equal(await DescribeAsync(Source), await DescribeAsync(Target));
    }

    [Fact]
    public async Task Event_of_an_id_that_the_store_has_is_refused_when_the_other_one_is_not_in_the_input()
    {
        var first = NewEvent.FromJson("a", "{}");
        await AppendAsync(Source, [first]);
        await AppendAsync(Source, [NewEvent.FromJson("b", "{}") with { Id = first.Id }]);
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);
        await ImportAsync(Target, lines[..1]);

        var error = await Assert.ThrowsAsync<StoreMaintenanceException>(() => ImportAsync(Target, lines[1..]));

        Assert.Contains("import an export that has both", error.Message, StringComparison.Ordinal);
        Assert.Equal(1, (await ImportAsync(Target, lines)).Imported);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Dry_run_checks_every_line_and_makes_nothing(bool isThere)
    {
        // What an operating system leaves there does not make it another folder.
        if (isThere)
            Directory.CreateDirectory(Path.Combine(Target, "lost+found"));
        await FillAsync(Source);
        var lines = await ExportAsync(Source);
        var options = new ImportOptions { DryRun = true, CreateIfMissing = true };

        Assert.Equal(new ImportReport { Read = 6, Imported = 6, Known = 0, Head = 0 }, await ImportAsync(Target, string.Join('\n', lines), options));
        var error = await Assert.ThrowsAsync<StoreMaintenanceException>(() => ImportAsync(Target, string.Join('\n', [.. lines, "{}"]), options));

        Assert.Equal(7, error.Line);
        Assert.Contains("Nothing was stored: this was a dry run", error.Message, StringComparison.Ordinal);
        Assert.Equal(isThere, Directory.Exists(Target) && Directory.GetFileSystemEntries(Target).Length == 1);
    }

    [Fact]
    public async Task Missing_store_is_an_error_unless_it_is_to_be_created()
    {
        await FillAsync(Source);
        var lines = await ExportAsync(Source);

        await Assert.ThrowsAsync<StoreOpenException>(() => ImportAsync(Target, lines));
        Assert.False(Directory.Exists(Target));
        var report = await ImportAsync(Target, string.Join('\n', lines), new ImportOptions { CreateIfMissing = true });

        Assert.Equal(6, report.Head);
    }

    [Fact]
    public async Task Imports_at_the_same_time_and_appends_between_them_store_each_event_once()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source }))
        {
            for (var each = 0; each < 300; each++)
                await store.AppendAsync(Many(1 + each % 3));
        }
        var lines = await ExportAsync(Source);
        await using var target = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Target });
        using var stop = new CancellationTokenSource();
        var appending = Task.Run(async () =>
        {
            var count = 0;
            for (; !stop.IsCancellationRequested; count++)
                await target.AppendAsync(Many(1, "other"));
            return count;
        });

        var reports = await Task.WhenAll(ImportAsync(Target, lines), ImportAsync(Target, lines), ImportAsync(Target, lines));
        await stop.CancelAsync();
        var others = await appending;

        Assert.Equal(lines.Length, reports.Sum(report => report.Imported));
        Assert.Equal(lines.Length + others, await target.GetHeadAsync());
        Assert.Equal(lines.Length + others, (await target.ReadAllAsync()).Select(e => e.Id).Distinct().Count());
        Assert.Equal(await DescribeAsync(Source), (await DescribeAsync(Target)).Where(line => !line.StartsWith("other", StringComparison.Ordinal)));
        Assert.Empty((await StoreCheck.RunAsync(Target)).Findings);
    }

    [Fact]
    public async Task Cancelled_import_goes_on_at_the_next()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Source }))
        {
            for (var each = 0; each < 3; each++)
                await store.AppendAsync(Many(1_000));
        }
        await AppendAsync(Target, []);
        var lines = await ExportAsync(Source);
        using var cancelled = new CancellationTokenSource();
        var progress = new CancelAt(cancelled, 2_000);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => StoreImport.RunAsync(Target, StreamOf(string.Join('\n', lines)), null, progress,
            cancelled.Token));
        var stored = await HeadAsync(Target);
        var rest = await ImportAsync(Target, lines);

        Assert.Equal(1_000, stored);
        Assert.Equal((2_000, 1_000), (rest.Imported, rest.Known));
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);

    // Two types, tags, text beyond ASCII, versions, metadata, and appends of one to three events at different times.
    private static async Task FillAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        await store.AppendAsync([New("a", "k:1", "k:2")]);
        await store.AppendAsync([New("b", "k:ü😀"), New("a")]);
        await store.AppendAsync(
        [
            NewEvent.FromJson("b", """{ "a": [1.50, "\u0000\"", { }] }""", 3, new Tag("k", "with: colon")),
            New("a") with { Metadata = new Dictionary<string, string> { ["by"] = "Ärger" } },
            NewEvent.FromJson("c", "null"),
        ]);
    }

    private static async Task AppendAsync(string path, NewEvent[] events)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        if (events.Length > 0)
            await store.AppendAsync(events);
    }

    private static async Task<long> HeadAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true });
        return await store.GetHeadAsync();
    }

    private static async Task<List<string>> DescribeAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true });
        return (await store.ReadAllAsync()).ConvertAll(e => $"{e.Type} {e.Version} {string.Join(' ', e.Tags)} {e.Timestamp:O} {e.Id} "
            + $"{Encoding.UTF8.GetString(e.Json.Span)} {string.Join(' ', e.Metadata)}");
    }

    // How many events each append has, and which of them each event is.
    private static async Task<List<(long, long)>> CommitsAsync(string path, int after)
    {
        using var place = new MemoryStream();
        await StoreExport.RunAsync(path, place, options: new ReadOptions { After = after });
        return [.. Encoding.UTF8.GetString(place.ToArray()).Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => Storage.Log.EventFile.ReadLine(Encoding.UTF8.GetBytes(line), out _)!)
            .Select(stored => (stored.Commit.Last - stored.Commit.First, stored.Position - stored.Commit.First))];
    }

    private static async Task<string[]> ExportAsync(string path, ReadOptions? options = null, Query? query = null)
    {
        using var output = new MemoryStream();
        var report = await StoreExport.RunAsync(path, output, query, options);
        var lines = Encoding.UTF8.GetString(output.ToArray()).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(lines.Length, report.Events);
        return lines;
    }

    private static Task<ImportReport> ImportAsync(string path, string[] lines) => ImportAsync(path, string.Join('\n', lines));

    private static Task<ImportReport> ImportAsync(string path, string text, ImportOptions? options = null) =>
        StoreImport.RunAsync(path, StreamOf(text), options);

    private static MemoryStream StreamOf(string text) => new(Encoding.UTF8.GetBytes(text));

    private sealed class StreamWithEnd(string text, Action atEnd) : MemoryStream(Encoding.UTF8.GetBytes(text))
    {
        public override int Read(byte[] buffer, int offset, int count)
        {
            if (Position == Length)
                atEnd();
            return base.Read(buffer, offset, count);
        }
    }

    private sealed class CancelAt(CancellationTokenSource source, long done) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value)
        {
            if (value.Done >= done)
                source.Cancel();
        }
    }
}
