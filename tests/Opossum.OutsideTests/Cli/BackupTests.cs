using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class BackupTests : IDisposable
{
    private readonly Shell shell = new();

    [Fact]
    public async Task A_backup_copies_what_is_new_and_is_restored()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));

        var first = (await shell.RunAsync("backup", shell.PathOf("sales"), shell.PathOf("safe"))).Succeeded();
        var second = (await shell.RunAsync("backup", shell.PathOf("sales"), shell.PathOf("safe"), "--verify-all", "--json")).Succeeded();
        var restored = (await shell.RunAsync("restore", shell.PathOf("safe"), shell.PathOf("again"), "--up-to", "3")).Succeeded();

        Assert.Equal($"{shell.PathOf("safe")} holds all events up to position 4; 4 were copied and read back now.\n", first.Out);
        Assert.Equal((4, 0), (second.Json.GetProperty("head").GetInt64(), second.Json.GetProperty("copied").GetInt64()));
        Assert.StartsWith($"{shell.PathOf("again")} holds all events up to position 2;", restored.Out, StringComparison.Ordinal);
        Assert.Contains(" It ends before the append of positions 3 to 4, ", restored.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dry_run_says_what_would_be_copied_or_refused_and_writes_nothing()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));
        await Sales.CreateAsync(shell.PathOf("other"));

        var plan = (await shell.RunAsync("backup", shell.PathOf("sales"), shell.PathOf("safe"), "--dry-run", "--json")).Succeeded().Json;
        var refused = await shell.RunAsync("backup", shell.PathOf("sales"), shell.PathOf("other"), "--dry-run");
        Assert.False(Directory.Exists(shell.PathOf("safe")));
        var done = (await shell.RunAsync("backup", shell.PathOf("sales"), shell.PathOf("safe"), "--json")).Succeeded().Json;
        var nothing = (await shell.RunAsync("backup", shell.PathOf("sales"), shell.PathOf("safe"), "--dry-run")).Succeeded();
        var restore = (await shell.RunAsync("restore", shell.PathOf("safe"), shell.PathOf("again"), "--up-to", "2", "--dry-run")).Succeeded();
        var full = await shell.RunAsync("restore", shell.PathOf("safe"), shell.PathOf("other"), "--dry-run");

        Assert.Equal((4, true), (plan.GetProperty("copied").GetInt64(), plan.GetProperty("isDryRun").GetBoolean()));
        Assert.Equal(done.GetProperty("bytes").GetInt64(), plan.GetProperty("bytes").GetInt64());
        Assert.Equal($"Dry run, nothing was written. {shell.PathOf("safe")} would hold all events up to position 4; 0 would be copied: 0 bytes.\n",
            nothing.Out);
        Assert.StartsWith($"Dry run, nothing was written. {shell.PathOf("again")} would hold all events up to position 2; 2 would be copied: ",
            restore.Out, StringComparison.Ordinal);
        Assert.False(Directory.Exists(shell.PathOf("again")));
        Assert.Equal((ExitCode.Failed, ExitCode.Failed), (refused.ExitCode, full.ExitCode));
    }

    [Fact]
    public async Task A_restore_ends_at_a_time()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));

        var result = (await shell.RunAsync("restore", shell.PathOf("sales"), shell.PathOf("again"), "--until", "2026-11-20T09:30", "--new-id",
            "--json")).Succeeded();

        Assert.Equal(1, result.Json.GetProperty("head").GetInt64());
        foreach (var time in (string[])["noon", "03/04/2026", "18:00"])
        {
            var wrong = await shell.RunAsync("restore", shell.PathOf("sales"), shell.PathOf("later"), "--until", time);
            Assert.Equal(ExitCode.Usage, wrong.ExitCode);
            Assert.Contains($"--until {time} is not a time.", wrong.Error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_path_without_a_store_is_an_error_and_makes_no_target()
    {
        var backup = await shell.RunAsync("backup", shell.PathOf("sales"), shell.PathOf("safe"));
        var restore = await shell.RunAsync("restore", shell.PathOf("sales"), shell.PathOf("safe"));

        Assert.Equal((ExitCode.NoStore, ExitCode.NoStore), (backup.ExitCode, restore.ExitCode));
        Assert.Empty(Directory.GetFileSystemEntries(shell.Folder));
    }

    [Fact]
    public async Task A_target_of_another_store_or_that_is_not_empty_is_refused()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));
        await Sales.CreateAsync(shell.PathOf("other"));

        var backup = await shell.RunAsync("backup", shell.PathOf("sales"), shell.PathOf("other"));
        var restore = await shell.RunAsync("restore", shell.PathOf("sales"), shell.PathOf("other"));

        Assert.Equal(ExitCode.Failed, backup.ExitCode);
        Assert.Contains("is a backup of another store", backup.Error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Failed, restore.ExitCode);
        Assert.Contains("is not empty", restore.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_interrupted_backup_says_what_is_left_and_goes_on()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));
        using var interruption = new CancellationTokenSource();
        await interruption.CancelAsync();

        var interrupted = await shell.RunAsync("", ["backup", shell.PathOf("sales"), shell.PathOf("safe")], interruption.Token);
        var next = (await shell.RunAsync("backup", shell.PathOf("sales"), shell.PathOf("safe"))).Succeeded();
        var again = await shell.RunAsync("", ["backup", shell.PathOf("sales"), shell.PathOf("safe")], interruption.Token);

        Assert.Equal((ExitCode.Cancelled, ExitCode.Cancelled), (interrupted.ExitCode, again.ExitCode));
        Assert.Equal("Cancelled. There is no whole backup yet; the next run continues from what was copied.\n", interrupted.Error);
        Assert.Equal("Cancelled. The last whole backup is still there; the next run continues from it.\n", again.Error);
        Assert.Contains("up to position 4", next.Out, StringComparison.Ordinal);
    }

    public void Dispose() => shell.Dispose();
}
