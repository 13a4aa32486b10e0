using System.Text;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Definitions;
using Opossum.Storage.Replicas;
using Opossum.Tests.Personal;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Transfer;

/// <summary>A copy of a store answers queries by the tags of rules as the store does: an import, a backup, a replica.</summary>
public sealed class TagRuleTransferTests : IDisposable
{
    private static readonly TagRule customer = new("placed", "customer", "customer");
    private static readonly TagRule sku = new("placed", "lines[].sku", "sku");

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private string Source => Path.Combine(folder, "source");

    private string Target => Path.Combine(folder, "target");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Import_adds_the_rules_of_the_export_to_those_that_the_store_has()
    {
        await FillAsync(Source, [customer, sku], "c1", "c2");
        var lines = await ExportAsync();
        await FillAsync(Target, [sku], "c1");

        var planned = await ImportAsync(lines, new ImportOptions { DryRun = true });
        Assert.Equal([sku], await RulesAsync(Target));
        var first = await ImportAsync(lines);
        var second = await ImportAsync(lines);

        Assert.Equal(first with { Head = 1 }, planned);
        Assert.Equal(new ImportReport { Read = 2, Imported = 2, Known = 0, Head = 3, TagRules = 1 }, first);
        Assert.Equal(new ImportReport { Read = 2, Imported = 0, Known = 2, Head = 3 }, second);
        Assert.EndsWith("One tag rule was new. The store ends at position 3.", first.ToString(), StringComparison.Ordinal);
        Assert.Equal([customer, sku], await RulesAsync(Target));
        Assert.Equal([1, 2], await FindAsync(Target, "customer:c1"));
        Assert.Empty((await StoreCheck.RunAsync(Target)).Findings);
    }

    [Fact]
    public async Task Rules_anywhere_in_the_input_count_and_alone_they_are_an_import()
    {
        await FillAsync(Source, [customer], "c1", "c2");
        var lines = (await ExportAsync()).Split('\n', StringSplitOptions.RemoveEmptyEntries);

        var report = await ImportAsync($"{lines[1]}\n{lines[0]}\n{lines[2]}\n{lines[0]}\n", new ImportOptions { CreateIfMissing = true });
        var alone = await ImportAsync("""  {  "tagRule" : { "type":"placed", "member":"lines[].sku", "key":"sku" } }""");

        Assert.Equal((2, 1), (report.Imported, report.TagRules));
        Assert.Equal([2], await FindAsync(Target, "customer:c2"));
        Assert.Equal((0, 1), (alone.Imported, alone.TagRules));
        Assert.Equal([1, 2], await FindAsync(Target, "sku:s"));
    }

    [Fact]
    public async Task Export_of_some_events_has_the_rules_too_and_the_report_counts_them_apart()
    {
        await FillAsync(Source, [customer, sku], "c1", "c2");
        using var output = new MemoryStream();

        var report = await StoreExport.RunAsync(Source, output, Tagged("customer:c2"));

        Assert.Equal((1, 2), (report.Events, report.TagRules));
        Assert.Equal("1 event and 2 tag rules were exported, up to position 2.", report.ToString());
        Assert.Equal(3, Encoding.UTF8.GetString(output.ToArray()).Count(static each => each == '\n'));
    }

    [Theory]
    [InlineData("""{"tagRule":{"type":"placed","member":"customer"}}""", "is not a tag rule: It has no member \"key\".")]
    [InlineData("""{"tagRule":{"type":"placed","member":"a..b","key":"k"}}""", "is not a tag rule: ")]
    [InlineData("""{"tagRule":7}""", "is not a tag rule: ")]
    [InlineData("""{"tagRule":""", "is not a tag rule: ")]
    public async Task Line_that_is_no_rule_is_refused_by_its_number(string line, string why)
    {
        await FillAsync(Target, [], "c1");

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => ImportAsync($"\n{line}\n"));

        Assert.Equal(2, refused.Line);
        Assert.StartsWith($"Line 2 {why}", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Rule_of_more_than_a_store_may_have_is_refused_by_its_number(bool isDryRun)
    {
        await FillAsync(Target, [customer], "c1");
        var lines = Enumerable.Range(0, TagRuleSet.CountMax)
            .Select(static at => $$$"""{"tagRule":{"type":"t{{{at}}}","member":"m","key":"k"}}""");

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => ImportAsync(string.Join('\n', lines),
            new ImportOptions { DryRun = isDryRun }));

        Assert.Equal(TagRuleSet.CountMax, refused.Line);
        Assert.Contains("a store has at most 256", refused.Message, StringComparison.Ordinal);
        Assert.Equal([customer], await RulesAsync(Target));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Rule_of_a_member_that_is_personal_by_a_schema_is_refused_by_its_number(bool isDryRun)
    {
        var options = new OpossumOptions { Path = Target, PersonalData = { MasterKey = Customers.Key } };
        options.EventTypes.Add<CustomerRegistered>();
        await using (var store = await FileSystemEventStore.OpenAsync(options))
        {
            // It has a schema, and no event that shows the member encrypted.
            await store.AppendAsync([new NewEvent(Customers.Registered() with { Name = null })]);
        }

        var refused = await Assert.ThrowsAsync<StoreMaintenanceException>(() => ImportAsync(
            """{"tagRule":{"type":"customer-registered","member":"name","key":"name"}}""", new ImportOptions { DryRun = isDryRun }));

        Assert.Equal(1, refused.Line);
        Assert.Contains("\"name\" is personal data", refused.Message, StringComparison.Ordinal);
        Assert.Equal([], await RulesAsync(Target));
    }

    [Fact]
    public async Task Backup_has_the_rules_by_which_the_store_finds_events_although_a_file_of_one_was_damaged_since()
    {
        await FillAsync(Source, [customer], "c1");
        await File.WriteAllTextAsync(Directory.GetFiles(Path.Combine(Source, "Rules")).Single(), "{");
        var (backup, restored) = (Path.Combine(folder, "backup"), Path.Combine(folder, "restored"));

        await StoreBackup.RunAsync(Source, backup);
        await StoreBackup.RestoreAsync(backup, restored);

        Assert.Equal([1], await FindAsync(restored, "customer:c1"));
        Assert.Equal([customer], await RulesAsync(restored));
    }

    [Fact]
    public async Task Open_replica_follows_when_a_rule_is_added_and_its_open_readers_show_it()
    {
        await FillAsync(Source, [], "c1");
        var replica = Path.Combine(folder, "replica");
        await StoreReplica.UpdateAsync(Source, replica);
        await using var reader = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = replica, ReadOnly = true });
        using (var session = Open(replica))
        {
            await FillAsync(Source, [customer], "c1");
            Assert.Null(session.TryStep(isLast: true));
            Assert.Equal([], await FindAsync(replica, "customer:c1"));
        }

        using (var session = Open(replica))
        {
            Assert.Equal(2, session.TryStep(isLast: true)!.Head);
            // By hand, and not taken in by the store: not by the replica either.
            await File.WriteAllTextAsync(Path.Combine(Source, "Rules", "mine.json"), """{"type":"placed","member":"lines[].sku","key":"sku"}""");
            Assert.NotNull(session.TryStep(isLast: true));
        }

        Assert.Equal([1, 2], await FindAsync(replica, "customer:c1"));
        Assert.Equal([1, 2], await reader.PositionsAsync(Tagged("customer:c1")));
        Assert.True((await StoreCheck.RunAsync(replica)).IsClean);
    }

    private ReplicaSession Open(string replica) => ReplicaSession.Open(RealFileSystem.Create(), Source, replica, new ReplicaOptions(),
        TimeProvider.System, progress: null, CancellationToken.None);

    private static async Task FillAsync(string path, TagRule[] rules, params string[] customers)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        foreach (var id in customers)
            await store.AppendAsync([NewEvent.FromJson("placed", $$"""{"customer":"{{id}}","lines":[{"sku":"s"}]}""")]);
        foreach (var rule in rules)
            await store.AddTagRuleAsync(rule);
    }

    private async Task<string> ExportAsync()
    {
        using var output = new MemoryStream();
        await StoreExport.RunAsync(Source, output);
        return Encoding.UTF8.GetString(output.ToArray());
    }

    private async Task<ImportReport> ImportAsync(string text, ImportOptions? options = null)
    {
        using var input = new MemoryStream(Encoding.UTF8.GetBytes(text));
        return await StoreImport.RunAsync(Target, input, options);
    }

    private static async Task<IReadOnlyList<TagRule>> RulesAsync(string path)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true });
        return await store.GetTagRulesAsync();
    }

    private static async Task<List<long>> FindAsync(string path, string tag)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, ReadOnly = true });
        return await store.PositionsAsync(Tagged(tag));
    }
}
