using Opossum.Cli;
using Opossum.Maintenance;

namespace Opossum.CliTests;

public sealed class NewTests : StoreTest
{
    [Fact]
    public async Task It_creates_a_store_that_is_empty()
    {
        var path = Shell.PathOf("deep/down");

        var result = (await Shell.RunAsync("new", path)).Succeeded();

        Assert.Equal($"Created a store in {path}.\n", result.Out);
        Assert.True((await StoreCheck.RunAsync(path)).IsClean);
    }

    [Fact]
    public async Task A_dry_run_creates_nothing()
    {
        var json = (await Shell.RunAsync("new", Shell.PathOf("planned"), "--dry-run", "--json")).Succeeded().Json;

        Assert.True(json.GetProperty("isDryRun").GetBoolean());
        Assert.False(Directory.Exists(Shell.PathOf("planned")));
    }

    [Fact]
    public async Task A_store_is_not_created_again()
    {
        var result = await Shell.RunAsync("new", Store, "--yes");

        Assert.Equal(ExitCode.Failed, result.ExitCode);
        Assert.Contains("is a store already. Nothing was changed.", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Of_commands_that_create_one_store_at_the_same_time_one_has_created_it()
    {
        for (var round = 0; round < 10; round++)
        {
            var path = Shell.PathOf($"shared-{round}");

            var results = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Shell.RunAsync("new", path)));

            Assert.Single(results, static result => result.ExitCode == ExitCode.Ok);
            Assert.All(results.Where(static result => result.ExitCode != ExitCode.Ok), static result =>
            {
                Assert.Equal((ExitCode.Failed, ""), (result.ExitCode, result.Out));
                Assert.Contains("is a store already. Nothing was changed.", result.Error, StringComparison.Ordinal);
            });
        }
    }

    [Fact]
    public async Task A_folder_in_use_is_not_made_a_store()
    {
        var result = await Shell.RunAsync("new", Shell.Folder);

        Assert.Equal(ExitCode.Failed, result.ExitCode);
        Assert.Contains("is not empty: it holds sales.", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("new", "Cancelled. If the store was being created, opossum info STORE shows it soon.\n")]
    [InlineData("repair open", "Interrupted. If the opening had begun, it may have repaired the store: opossum check STORE shows it.\n")]
    public async Task Who_ends_an_opening_reads_that_it_may_have_been_done(string command, string error)
    {
        var store = command == "new" ? Shell.PathOf("other") : Store;

        var cancelled = await Shell.RunAsync("", [.. command.Split(' '), store], new CancellationToken(canceled: true));

        Assert.Equal((ExitCode.Cancelled, error), (cancelled.ExitCode, cancelled.Error));
    }
}
