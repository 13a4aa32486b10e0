using Opossum.Cli;
using Opossum.ProcessTests;

namespace Opossum.CliTests;

/// <summary>Ctrl-C in the middle of long work: processes of the command line that receive SIGINT.</summary>
public sealed class InterruptionTests : IAsyncLifetime
{
    private const int Events = 2_000;
    private const int AppendEvents = 200;

    private readonly Shell shell = new();

    private string Store => shell.PathOf("sales");

    public async ValueTask InitializeAsync()
    {
        Interrupts.SkipUnlessTheyArrive();
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store, FlushEventsImmediately = false });
        for (var first = 0; first < Events; first += AppendEvents)
            await store.AppendAsync([.. Enumerable.Range(first, AppendEvents).Select(each => Sales.Order("order-placed", $"o{each}", "c1", each))]);
    }

    [Fact]
    public async Task An_interrupted_import_keeps_whole_appends_and_goes_on()
    {
        var lines = (await DoneAsync("export", Store)).Lines;
        await DoneAsync("new", shell.PathOf("copy"));
        await using var copy = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = shell.PathOf("copy"), ReadOnly = true });
        using var import = new CliProcess("import", shell.PathOf("copy"));

        // The input stays open, so the import waits for more when it is interrupted.
        foreach (var line in lines.Take(Events * 3 / 4))
            await import.Input.WriteLineAsync(line);
        await import.Input.FlushAsync(TestContext.Current.CancellationToken);
        await foreach (var _ in copy.SubscribeAsync(Query.All, cancellationToken: TestContext.Current.CancellationToken))
            break;
        var interrupted = await import.InterruptAsync();
        var stored = await copy.GetHeadAsync(TestContext.Current.CancellationToken);
        var next = (await shell.RunAsync(string.Join('\n', lines), ["import", shell.PathOf("copy"), "--json"])).Json;

        AssertCancelled(interrupted, "Cancelled. What was stored stays; the same import, run again, continues from there.\n");
        Assert.InRange(stored, AppendEvents, Events * 3 / 4);
        Assert.Equal(0, stored % AppendEvents);
        Assert.Equal((stored, Events - stored), (next.GetProperty("known").GetInt64(), next.GetProperty("imported").GetInt64()));
        await DoneAsync("check", shell.PathOf("copy"));
    }

    [Fact]
    public async Task An_interrupted_backup_goes_on()
    {
        LongTests.SkipUnlessAsked();
        using var staged = new Appearance(shell.Folder, static path => path.EndsWith(".json", StringComparison.Ordinal));
        using var backup = new CliProcess("backup", Store, shell.PathOf("safe"));
        await staged.Seen;
        var interrupted = await backup.InterruptAsync();
        SkipWhenDone(interrupted);
        var next = (await DoneAsync("backup", Store, shell.PathOf("safe"), "--json")).Json;

        AssertCancelled(interrupted, "Cancelled. There is no whole backup yet; the next run continues from what was copied.\n");
        Assert.Equal(Events, next.GetProperty("head").GetInt64());
        Assert.Equal("The same 2,000 events.\n", (await DoneAsync("diff", Store, shell.PathOf("safe"))).Out);
    }

    [Fact]
    public async Task An_interrupted_restore_leaves_no_store_and_is_made_again()
    {
        LongTests.SkipUnlessAsked();
        using var staged = new Appearance(shell.Folder, static path => path.EndsWith(".json", StringComparison.Ordinal));
        using var restore = new CliProcess("restore", Store, shell.PathOf("again"));
        await staged.Seen;
        var interrupted = await restore.InterruptAsync();
        SkipWhenDone(interrupted);
        var opened = await shell.RunAsync("info", shell.PathOf("again"));
        await DoneAsync("restore", Store, shell.PathOf("again"));

        AssertCancelled(interrupted, "Cancelled. No store was made; run the restore again.\n");
        Assert.Equal(ExitCode.NoStore, opened.ExitCode);
        Assert.Equal("The same 2,000 events.\n", (await DoneAsync("diff", Store, shell.PathOf("again"))).Out);
    }

    [Fact]
    public async Task An_export_whose_reader_stalls_ends_at_the_first_signal()
    {
        LongTests.SkipUnlessAsked();
        using var export = await CliProcess.StartWithStalledReaderAsync("export", Store);

        AssertCancelled(await export.InterruptAsync(), "Cancelled while waiting for the reader of the output.\n");
    }

    [Fact]
    public async Task An_interrupted_export_leaves_no_file()
    {
        LongTests.SkipUnlessAsked();
        using var part = new Appearance(shell.Folder, static path => path.EndsWith(".part", StringComparison.Ordinal));
        using var export = new CliProcess("export", Store, "--output", shell.PathOf("sales.jsonl"));
        await part.Seen;
        var interrupted = await export.InterruptAsync();
        SkipWhenDone(interrupted);

        AssertCancelled(interrupted, "Cancelled. No file was written.\n");
        Assert.Empty(Directory.GetFiles(shell.Folder));
        await DoneAsync("export", Store, "--output", shell.PathOf("sales.jsonl"));
    }

    [Fact]
    public async Task An_interrupted_migration_goes_on()
    {
        LongTests.SkipUnlessAsked();
        var flat = shell.PathOf("flat");
        // More than one append takes: the signal arrives during the first one.
        CopyFlatEvents(flat, Events);
        var types = shell.PathOf("types.json");
        await DoneAsync("migrate", flat, shell.PathOf("new"), "--types", types);
        // Any of them: the folder of the first ones may have them before it is watched.
        using var stored = new Appearance(shell.Folder, IsEventFile);
        using var migration = new CliProcess("migrate", flat, shell.PathOf("new"), "--types", types);
        await stored.Seen;
        var interrupted = await migration.InterruptAsync();
        SkipWhenDone(interrupted);
        var next = (await DoneAsync("migrate", flat, shell.PathOf("new"), "--types", types, "--json")).Json.GetProperty("import");

        AssertCancelled(interrupted, "Cancelled. What was stored stays; the same command, run again, continues from there.\n");
        Assert.InRange(next.GetProperty("known").GetInt64(), 1, Events);
        Assert.Equal(Events, next.GetProperty("head").GetInt64());
        await DoneAsync("check", shell.PathOf("new"));
    }

    public ValueTask DisposeAsync()
    {
        shell.Dispose();
        return ValueTask.CompletedTask;
    }

    private static bool IsEventFile(string path) =>
        path.EndsWith(".json", StringComparison.Ordinal) && Path.GetFileNameWithoutExtension(path).All(char.IsAsciiDigit);

    private static void CopyFlatEvents(string flat, int count)
    {
        var events = Directory.CreateDirectory(Path.Combine(flat, "events")).FullName;
        var text = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Cli", "FlatLayout", "school", "events", "0000000002.json"));
        for (var position = 1; position <= count; position++)
        {
            var other = text.Replace("\"position\": 2,", $"\"position\": {position},", StringComparison.Ordinal);
            File.WriteAllText(Path.Combine(events, $"{position:D10}.json"), other);
        }
    }

    private async Task<ShellResult> DoneAsync(params string[] arguments)
    {
        var result = await shell.RunAsync(arguments);
        Assert.True(result.ExitCode == ExitCode.Ok, result.Error);
        return result;
    }

    // On a machine with much else to do, this process may learn too late that the other has begun.
    private static void SkipWhenDone(ShellResult result) =>
        Assert.SkipWhen(result.ExitCode == ExitCode.Ok, "The command was done before the signal reached it.");

    private static void AssertCancelled(ShellResult result, string error)
    {
        // Lines of progress come before it on a slow disk.
        Assert.EndsWith(error, result.Error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Cancelled, result.ExitCode);
    }
}
