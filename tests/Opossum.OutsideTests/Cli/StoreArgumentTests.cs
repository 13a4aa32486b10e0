using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class StoreArgumentTests : IDisposable
{
    private readonly Shell shell = new();

    [Fact]
    public async Task A_path_that_does_not_exist_is_an_error_and_is_not_created()
    {
        var path = shell.PathOf("missing");

        var result = await shell.RunAsync("info", path);

        Assert.Equal(ExitCode.NoStore, result.ExitCode);
        Assert.Equal($"opossum: {path} does not exist. Check the path, or create a store there with: opossum new {path}\n", result.Error);
        Assert.Equal("", result.Out);
        Assert.False(Directory.Exists(path));
    }

    [Theory]
    [InlineData("restore", "restored")]
    [InlineData("promote")]
    public async Task A_copy_that_does_not_exist_is_not_to_be_made_as_a_new_store(string command, params string[] further)
    {
        var path = shell.PathOf("missing");

        Assert.Equal($"opossum: {path} does not exist. Check the path.\n", (await shell.RunAsync([command, path, .. further])).Error);
        Directory.CreateDirectory(path);
        Assert.Equal($"opossum: {path} is empty, so it is no store. Check the path.\n", (await shell.RunAsync([command, path, .. further])).Error);
    }

    [Fact]
    public async Task An_empty_folder_is_an_error_and_stays_empty()
    {
        var result = await shell.RunAsync("info", shell.Folder);

        Assert.Equal(ExitCode.NoStore, result.ExitCode);
        Assert.Contains("is empty, so it is no store", result.Error, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(shell.Folder));
    }

    [Fact]
    public async Task A_folder_with_other_files_is_an_error()
    {
        await File.WriteAllTextAsync(shell.PathOf("notes.txt"), "notes");

        var result = await shell.RunAsync("info", shell.Folder);

        Assert.Equal(ExitCode.NoStore, result.ExitCode);
        Assert.Contains("is not a store: it has no store.json and no Events folder.", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_folder_inside_a_store_leads_to_that_store()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));

        var result = await shell.RunAsync("info", Path.Combine(shell.PathOf("sales"), "Index"));

        Assert.Equal(ExitCode.NoStore, result.ExitCode);
        Assert.Contains($"It is inside the store {shell.PathOf("sales")}.", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_store_of_a_newer_format_is_refused_with_advice()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));
        var storeFile = Path.Combine(shell.PathOf("sales"), "store.json");
        await File.WriteAllTextAsync(storeFile, (await File.ReadAllTextAsync(storeFile)).Replace("\"format\": 1", "\"format\": 2"));

        var result = await shell.RunAsync("info", shell.PathOf("sales"));

        Assert.Equal(ExitCode.NoStore, result.ExitCode);
        Assert.Contains("Update Opossum; nothing was changed.", result.Error, StringComparison.Ordinal);
    }

    public void Dispose() => shell.Dispose();
}
