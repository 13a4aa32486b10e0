using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class DiffTests : StoreTest
{
    private string Other => Shell.PathOf("other");

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        foreach (var file in Directory.GetFiles(Store, "*", SearchOption.AllDirectories))
        {
            var copy = Path.Combine(Other, Path.GetRelativePath(Store, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }
    }

    [Fact]
    public async Task Copies_are_the_same()
    {
        var result = (await Shell.RunAsync("diff", Store, Other)).Succeeded();

        Assert.Equal("The same 4 events.\n", result.Out);
    }

    [Fact]
    public async Task A_store_that_went_on_has_more_events()
    {
        await AppendAsync(Other, "o9");

        var result = await Shell.RunAsync("diff", Store, Other);

        Assert.Equal(ExitCode.Negative, result.ExitCode);
        Assert.Equal($"The same up to position 4.\n{Other} has 1 event more, up to position 5.\n", result.Out);
    }

    [Fact]
    public async Task Stores_that_parted_differ_at_a_position()
    {
        await AppendAsync(Store, "o8");
        await AppendAsync(Other, "o9");

        var json = (await Shell.RunAsync("diff", Store, Other, "--json")).Json;

        Assert.Equal(4, json.GetProperty("sameUpTo").GetInt64());
        Assert.Equal(["id", "timestamp", "tags", "metadata", "data"],
            json.GetProperty("different").EnumerateArray().Select(each => each.GetString()));
        Assert.Equal("order-placed", json.GetProperty("a").GetProperty("type").GetString());
    }

    private static async Task AppendAsync(string path, string order)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        await store.AppendAsync(Sales.Order("order-placed", order, "c1", 1));
    }
}
