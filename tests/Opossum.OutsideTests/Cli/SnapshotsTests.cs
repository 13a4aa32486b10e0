using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class SnapshotsTests : IDisposable
{
    private readonly Shell shell = new();

    private string Store => shell.PathOf("sales");

    private string Folder => shell.PathOf("snapshots");

    [Fact]
    public async Task Snapshots_are_made_listed_thinned_and_restored()
    {
        await Sales.CreateAsync(Store);

        var first = (await TakeAsync("--json")).Succeeded().Json.GetProperty("target").GetString()!;
        var plan = (await TakeAsync("--keep-last", "1", "--dry-run")).Succeeded();
        var list = (await shell.RunAsync("snapshots", Folder)).Succeeded();
        var second = (await TakeAsync("--keep-last", "1", "--json")).Succeeded().Json;
        var left = (await shell.RunAsync("snapshots", Folder, "--json")).Succeeded().Json.GetProperty("snapshots");
        var restored = (await shell.RunAsync("restore", second.GetProperty("target").GetString()!, shell.PathOf("again"))).Succeeded();

        Assert.StartsWith("Dry run, nothing was written. ", plan.Out, StringComparison.Ordinal);
        Assert.EndsWith($" 1 older snapshot would be removed: {first}.\n", plan.Out, StringComparison.Ordinal);
        Assert.Matches($"^time +up to +last event +folder\n[0-9: Z-]+  +4  2026-11-21 10:00:00Z  {first}\n$", list.Out);
        Assert.Equal(first, Assert.Single(second.GetProperty("removed").EnumerateArray()).GetString());
        Assert.Equal(second.GetProperty("target").GetString(), Assert.Single(left.EnumerateArray()).GetProperty("path").GetString());
        Assert.Equal(4, left[0].GetProperty("head").GetInt64());
        Assert.StartsWith($"{shell.PathOf("again")} holds all events up to position 4; ", restored.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_no_snapshot_any_more_is_named_and_stays()
    {
        await Sales.CreateAsync(Store);
        var first = (await TakeAsync("--json")).Succeeded().Json.GetProperty("target").GetString()!;
        await File.WriteAllTextAsync(Path.Combine(first, "notes.txt"), "", TestContext.Current.CancellationToken);

        var thinned = await TakeAsync("--keep-last", "1");
        var list = await shell.RunAsync("snapshots", Folder);

        Assert.Equal((ExitCode.Failed, ExitCode.Negative), (thinned.ExitCode, list.ExitCode));
        Assert.Contains($"{first} holds \"notes.txt\", which is no part of a backup. It was neither counted nor removed", thinned.Error,
            StringComparison.Ordinal);
        Assert.Contains($"{first} holds \"notes.txt\"", list.Error, StringComparison.Ordinal);
        Assert.True(Directory.Exists(first));
    }

    [Theory]
    [InlineData("--keep-daily", "0")]
    [InlineData("--keep-weekly", "-1")]
    [InlineData("--keep-monthly", "all")]
    [InlineData("--keep-last", "99999999999")]
    [InlineData("--verify-all")]
    public async Task Wrong_rules_are_refused(params string[] options)
    {
        await Sales.CreateAsync(Store);

        var result = await TakeAsync(options);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains(options[0], result.Error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Folder));
    }

    [Fact]
    public async Task Rules_without_snapshots_are_refused()
    {
        await Sales.CreateAsync(Store);

        var result = await shell.RunAsync("backup", Store, Folder, "--keep-daily", "7");

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains("--keep-daily removes snapshots. Pass --snapshot too", result.Error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Folder));
    }

    [Fact]
    public async Task A_folder_without_snapshots_is_an_error_unless_it_is_empty()
    {
        await Sales.CreateAsync(Store);
        Directory.CreateDirectory(Folder);

        var empty = (await shell.RunAsync("snapshots", Folder)).Succeeded();
        var missing = await shell.RunAsync("snapshots", shell.PathOf("nowhere"));
        var store = await shell.RunAsync("snapshots", Store);
        var noPath = await shell.RunAsync("snapshots", "");

        Assert.Equal("No snapshots.\n", empty.Out);
        Assert.Equal((ExitCode.NoStore, ExitCode.NoStore, ExitCode.Usage), (missing.ExitCode, store.ExitCode, noPath.ExitCode));
        Assert.Contains("opossum restore --until", store.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_interrupted_run_says_what_is_left()
    {
        await Sales.CreateAsync(Store);

        var result = await shell.RunAsync("", ["backup", Store, Folder, "--snapshot"], new CancellationToken(canceled: true));

        Assert.Equal((ExitCode.Cancelled, "Cancelled. Every snapshot that is listed is whole; the next run removes what is left of others.\n"),
            (result.ExitCode, result.Error));
    }

    public void Dispose() => shell.Dispose();

    private Task<ShellResult> TakeAsync(params string[] options) => shell.RunAsync(["backup", Store, Folder, "--snapshot", .. options]);
}
