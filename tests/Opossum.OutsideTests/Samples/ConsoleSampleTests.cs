namespace Opossum.SampleTests;

/// <summary>The samples without a page: what they refuse, and how often they do their work.</summary>
public sealed class ConsoleSampleTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Theory]
    [InlineData("--short")]
    [InlineData("-x")]
    [InlineData("")]
    [InlineData("one", "two")]
    public async Task QuickStart_refuses_what_is_no_folder(params string[] arguments)
    {
        var (exitCode, output, error) = await SampleProgram.RunAsync("QuickStart", null, arguments);

        Assert.Equal((1, ""), (exitCode, output));
        Assert.Contains("Usage: ", error, StringComparison.Ordinal);
        Assert.All(arguments, argument => Assert.False(argument.Length > 0 && Path.Exists(argument)));
    }

    [Fact]
    public async Task QuickStart_explains_itself()
    {
        var (exitCode, output, _) = await SampleProgram.RunAsync("QuickStart", null, "--help");

        Assert.Equal(0, exitCode);
        Assert.StartsWith("Usage: ", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AssemblyLine_refuses_a_foreign_store_before_it_does_anything()
    {
        var store = await MakeForeignStoreAsync();
        var before = Contents(store);

        var (exitCode, output, error) = await SampleProgram.RunAsync("AssemblyLine", null, "--store", store, "--short");

        Assert.Equal((1, ""), (exitCode, output));
        Assert.Contains("holds events of the type \"something-else\"", error, StringComparison.Ordinal);
        Assert.Equal(before, Contents(store));
    }

    [Theory]
    [InlineData("import")]
    [InlineData("last")]
    public async Task GitHistory_refuses_a_foreign_store_before_it_does_anything(string command)
    {
        var store = await MakeForeignStoreAsync();
        var before = Contents(store);

        var repository = await MakeRepositoryAsync("a", 1);
        var (exitCode, _, error) = await SampleProgram.RunAsync("GitHistory", null, command, "--store", store, "--repo", repository);

        Assert.Equal(1, exitCode);
        Assert.Contains("holds events of the type \"something-else\"", error, StringComparison.Ordinal);
        Assert.Equal(before, Contents(store));
    }

    [Fact]
    public async Task GitHistory_refuses_the_store_of_another_repository()
    {
        var store = Path.Combine(folder, "store");
        await ImportAsync(store, await MakeRepositoryAsync("a", 2));
        var before = Contents(store);

        var another = await MakeRepositoryAsync("b", 2);
        var (exitCode, _, error) = await SampleProgram.RunAsync("GitHistory", null, "import", "--store", store, "--repo", another);

        Assert.Equal(1, exitCode);
        Assert.Contains("holds the history of another repository", error, StringComparison.Ordinal);
        Assert.Equal(before, Contents(store));
    }

    [Fact]
    public async Task GitHistory_asks_git_for_new_commits_only()
    {
        var store = Path.Combine(folder, "store");
        var repository = await MakeRepositoryAsync("a", 3);
        Assert.StartsWith("3 commits added, 0 present before", await ImportAsync(store, repository, "--commits", "10"), StringComparison.Ordinal);

        // Git compares the files of the commits that it logs; of names alone it does not.
        var trace = Path.Combine(folder, "trace");
        Assert.StartsWith("0 commits added, 3 present before", await ImportTracedAsync(store, repository, trace), StringComparison.Ordinal);
        Assert.DoesNotContain("--raw", await File.ReadAllTextAsync(trace), StringComparison.Ordinal);

        await CommitAsync(repository, "one more");
        Assert.StartsWith("1 commit added, 3 present before", await ImportAsync(store, repository), StringComparison.Ordinal);
        Assert.StartsWith("0 commits added, 2 present before", await ImportAsync(store, repository, "--commits", "2"), StringComparison.Ordinal);
    }

    private static Task<string> ImportAsync(string store, string repository, params string[] arguments) =>
        ImportTracedAsync(store, repository, null, arguments);

    // The last line of the output.
    private static async Task<string> ImportTracedAsync(string store, string repository, string? trace, params string[] arguments)
    {
        (string, string)? environment = trace is null ? null : ("GIT_TRACE", trace);
        var (exitCode, output, error) = await SampleProgram.RunAsync("GitHistory", environment,
            ["import", "--store", store, "--repo", repository, .. arguments]);
        Assert.True(exitCode == 0, error);
        return output.TrimEnd().Split('\n')[^1];
    }

    private async Task<string> MakeForeignStoreAsync()
    {
        var path = Path.Combine(folder, "foreign");
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        await store.AppendAsync(NewEvent.FromJson("something-else", "{}"));
        return path;
    }

    private async Task<string> MakeRepositoryAsync(string name, int commits)
    {
        var repository = Path.Combine(folder, name);
        await GitAsync("init", "--quiet", repository);
        for (var number = 1; number <= commits; number++)
            await CommitAsync(repository, $"{name} {number}");
        return repository;
    }

    private static Task CommitAsync(string repository, string message) =>
        GitAsync("-C", repository, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--allow-empty", "-m", message);

    private static async Task GitAsync(params string[] arguments)
    {
        var (exitCode, _, error) = await SampleProgram.RunProgramAsync("git", null, arguments);
        Assert.True(exitCode == 0, error);
    }

    private static IEnumerable<string> Contents(string store) =>
        [.. Directory.EnumerateFiles(store, "*", SearchOption.AllDirectories).Order().Select(file =>
            $"{file} {new FileInfo(file).LastWriteTimeUtc.Ticks} {Convert.ToHexString(File.ReadAllBytes(file))}")];
}
