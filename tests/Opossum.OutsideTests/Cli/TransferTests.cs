using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class TransferTests : IDisposable
{
    private readonly Shell shell = new();

    [Fact]
    public async Task An_export_is_imported_once()
    {
        await CreateAsync();
        var lines = (await shell.RunAsync("export", shell.PathOf("sales"))).Succeeded();

        var dryRun = (await shell.RunAsync(lines.Out, ["import", shell.PathOf("copy"), "--dry-run"])).Succeeded();
        var first = (await shell.RunAsync(lines.Out, ["import", shell.PathOf("copy"), "-"])).Succeeded();
        var second = (await shell.RunAsync(lines.Out, ["import", shell.PathOf("copy"), "--json"])).Succeeded();

        Assert.Equal(4, lines.Lines.Count);
        Assert.Equal("Dry run, nothing was stored. Of 4 events, 4 were new and 0 were known. The store ends at position 0.\n", dryRun.Out);
        Assert.Equal("Of 4 events, 4 were new and 0 were known. The store ends at position 4.\n", first.Out);
        Assert.Equal((0, 4), (second.Json.GetProperty("imported").GetInt64(), second.Json.GetProperty("known").GetInt64()));
        Assert.Equal(WithoutCommit(lines.Out), WithoutCommit((await shell.RunAsync("export", shell.PathOf("copy"))).Succeeded().Out));
    }

    [Fact]
    public async Task A_replica_is_refused_also_in_a_dry_run()
    {
        await CreateAsync();
        var (store, replica) = (shell.PathOf("sales"), shell.PathOf("nas"));
        (await shell.RunAsync("follow", store, replica, "--once")).Succeeded();
        var lines = (await shell.RunAsync("export", store)).Succeeded().Out;

        foreach (var dry in new string[][] { ["--dry-run"], [] })
        {
            var refused = await shell.RunAsync(lines, ["import", replica, .. dry]);

            Assert.Equal(ExitCode.NoStore, refused.ExitCode);
            Assert.Contains($"{replica} is a replica of {store}", refused.Error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task An_export_selects_and_a_file_is_whole_or_missing()
    {
        await CreateAsync();

        var some = (await shell.RunAsync("export", shell.PathOf("sales"), "--type", "order-placed", "--tag", "customer:c1",
            "--after", "1")).Succeeded();
        var file = (await shell.RunAsync("export", shell.PathOf("sales"), "-o", shell.PathOf("sales.jsonl"), "--up-to", "2")).Succeeded();
        var again = await shell.RunAsync("export", shell.PathOf("sales"), "-o", shell.PathOf("sales.jsonl"));
        using var interruption = new CancellationTokenSource();
        await interruption.CancelAsync();
        await shell.RunAsync("", ["export", shell.PathOf("sales"), "-o", shell.PathOf("more.jsonl")], interruption.Token);

        Assert.StartsWith("{\"position\":4,", Assert.Single(some.Lines), StringComparison.Ordinal);
        Assert.Equal("2 events were exported, up to position 2.\n", file.Out);
        Assert.Equal(2, (await File.ReadAllLinesAsync(shell.PathOf("sales.jsonl"))).Length);
        Assert.Equal(ExitCode.Usage, again.ExitCode);
        Assert.Empty(Directory.GetFiles(shell.Folder, "more*"));
    }

    [Fact]
    public async Task The_part_of_another_export_to_the_same_file_is_left_as_it_is()
    {
        await CreateAsync();
        var (store, file, theirs) = (shell.PathOf("sales"), shell.PathOf("sales.jsonl"), shell.PathOf("sales.jsonl.part"));
        await File.WriteAllTextAsync(theirs, "theirs");
        using var interruption = new CancellationTokenSource();
        await interruption.CancelAsync();

        await shell.RunAsync("", ["export", store, "-o", file], interruption.Token);
        (await shell.RunAsync("export", store, "-o", file)).Succeeded();

        Assert.Equal("theirs", await File.ReadAllTextAsync(theirs));
        Assert.Equal((await shell.RunAsync("export", store)).Succeeded().Out, await File.ReadAllTextAsync(file));
        Assert.Equal(2, Directory.GetFiles(shell.Folder, "sales.jsonl*").Length);
    }

    [Fact]
    public async Task A_new_file_has_its_name_only_when_it_is_whole_and_replaces_none_that_has_it_by_then()
    {
        var (whole, taken) = (shell.PathOf("whole"), shell.PathOf("taken"));

        await NewFile.WriteAsync(whole, file =>
        {
            Assert.False(File.Exists(whole));
            file.Write("mine"u8);
            return Task.FromResult(true);
        });
        var refused = await Assert.ThrowsAsync<CliException>(() => NewFile.WriteAsync(taken, async _ =>
        {
            await File.WriteAllTextAsync(taken, "theirs");
            return true;
        }));

        Assert.Contains($"{taken} exists already", refused.Message, StringComparison.Ordinal);
        Assert.Equal(("mine", "theirs"), (await File.ReadAllTextAsync(whole), await File.ReadAllTextAsync(taken)));
        Assert.Equal([taken, whole], Directory.GetFiles(shell.Folder).Order());
    }

    [Fact]
    public async Task A_bad_line_is_named()
    {
        await CreateAsync();
        var lines = (await shell.RunAsync("export", shell.PathOf("sales"))).Succeeded().Lines;
        await File.WriteAllLinesAsync(shell.PathOf("bad.jsonl"), [lines[0], "{}"]);

        var result = await shell.RunAsync("import", shell.PathOf("copy"), shell.PathOf("bad.jsonl"));
        var missing = await shell.RunAsync("import", shell.PathOf("copy"), shell.PathOf("none.jsonl"));
        var noStore = await shell.RunAsync("import", shell.PathOf("none"), shell.PathOf("bad.jsonl"));

        Assert.Equal(ExitCode.Failed, result.ExitCode);
        Assert.Contains("Line 2 is not an event", result.Error, StringComparison.Ordinal);
        Assert.Equal((ExitCode.Usage, ExitCode.NoStore), (missing.ExitCode, noStore.ExitCode));
        Assert.False(Directory.Exists(shell.PathOf("none")));
    }

    [Fact]
    public async Task Text_beyond_ascii_passes_through_pipes()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = shell.PathOf("sales") }))
            await store.AppendAsync([NewEvent.FromJson("größe", $"\"{new string('ü', 5_000)}😀\"", new Tag("k", "日本"))]);
        await using (await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = shell.PathOf("copy") }))
        {
            // Creates the store.
        }

        var lines = (await shell.RunAsync("export", shell.PathOf("sales"))).Succeeded().Out;
        var result = (await shell.RunAsync(lines, ["import", shell.PathOf("copy")])).Succeeded();

        Assert.Equal("Of 1 event, 1 was new and 0 were known. The store ends at position 1.\n", result.Out);
    }

    public void Dispose() => shell.Dispose();

    private async Task CreateAsync()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));
        await using var copy = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = shell.PathOf("copy") });
    }

    // An import groups its flushes anew, and the checksum covers that.
    private static string[] WithoutCommit(string lines) =>
        [.. lines.Split('\n').Select(line => System.Text.RegularExpressions.Regex.Replace(line, "\"after\":\\d+|,\"checksum\".*", ""))];

    [Theory]
    [InlineData("append", "sales", "sales")]
    [InlineData("import", "sales", "sales")]
    [InlineData("forget", "sales", "customer:c1", "--reason", "r", "--master-key", "sales")]
    [InlineData("proof", "checkpoint", "sales", "--key", "sales")]
    public async Task A_folder_is_no_file(params string[] command)
    {
        await CreateAsync();

        var result = await shell.RunAsync([.. command.Select(word => word == "sales" ? shell.PathOf(word) : word)]);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains("sales is a folder", result.Error, StringComparison.Ordinal);
    }
}
