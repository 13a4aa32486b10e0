using System.Text.Json.Nodes;
using Opossum.Cli;

namespace Opossum.CliTests;

/// <summary>What "opossum types" shows; see also the screen in docs/cli.md.</summary>
public sealed class TypesTests : StoreTest
{
    [Fact]
    public async Task Schema_of_the_newest_version_is_written_as_it_is_in_the_store()
    {
        await AppendAsync(new Parcel("p1", 2), static types => types.Add<Parcel>("parcel"));
        await AppendAsync(new Crate("p1"), static types => types
            .Add<Crate>("parcel", version: 2).AddUpcaster("parcel", 1, static json => json));

        var newest = await Shell.RunAsync("types", Shell.PathOf("goods"), "--schema", "parcel");
        var all = await Shell.RunAsync("types", Shell.PathOf("goods"), "--json");

        Assert.Equal(await File.ReadAllTextAsync(Path.Combine(Shell.PathOf("goods"), "Schemas", "parcel.v2.json")), newest.Out);
        var types = JsonNode.Parse(all.Out)!["types"]!.AsArray();
        Assert.Equal([1, 2], types.Select(static each => (int)each!["version"]!));
        Assert.Equal(["id", "kilos"], types[0]!["members"]!.AsArray().Select(static each => (string?)each));
    }

    [Fact]
    public async Task Type_without_a_schema_is_said_to_have_none()
    {
        var unknown = await Shell.RunAsync("types", Store, "--schema", "order-placed");
        var all = await Shell.RunAsync("types", Store);

        Assert.Equal(ExitCode.Negative, unknown.ExitCode);
        Assert.Contains("has no schema of the event type order-placed", unknown.Error, StringComparison.Ordinal);
        Assert.Contains("No event type is described", all.Out, StringComparison.Ordinal);
    }

    private async Task AppendAsync(object data, Action<EventTypeRegistry> register)
    {
        var options = new OpossumOptions { Path = Shell.PathOf("goods") };
        register(options.EventTypes);
        await using var store = await FileSystemEventStore.OpenAsync(options);
        await store.AppendAsync([new NewEvent(data)]);
    }

    private sealed record Parcel(string Id, int Kilos);

    private sealed record Crate(string Id);
}
