using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using Opossum.Cli;
using Opossum.ProcessTests.Worker;

namespace Opossum.CliTests;

/// <summary>The worker is the app whose classes are checked; see <see cref="OrderPlaced"/>.</summary>
public sealed class CheckTypesTests : StoreTest
{
    private static string App => typeof(OrderPlaced).Assembly.Location;

    [Fact]
    public async Task Events_that_do_not_fit_their_class_are_reported_by_type_and_version()
    {
        var before = FilesOfStore();

        var result = await Shell.RunAsync("check", Store, "--types", App);

        Assert.Equal(ExitCode.Negative, result.ExitCode);
        Assert.StartsWith("""
            1 cannot be read as objects of 4 events.

            order-placed, version 1: 3 events

            order-shipped, version 1: 1 event
              1 cannot be read, first at 3: The event at position 3, of type "order-shipped",
            """.ReplaceLineEndings("\n"), result.Out, StringComparison.Ordinal);
        Assert.Contains("carrier", result.Out, StringComparison.Ordinal);
        Assert.Equal(before, FilesOfStore());
    }

    [Fact]
    public async Task A_store_whose_events_all_fit_is_clean()
    {
        await CreateAsync("whole", Sales.Order("order-placed", "o1", "c1", 20));

        var result = (await Shell.RunAsync("check", Shell.PathOf("whole"), "--types", App)).Succeeded();

        Assert.Equal("All can be read as objects: 1 event.\n\norder-placed, version 1: 1 event\n", result.Out);
    }

    [Fact]
    public async Task Events_that_need_an_upcaster_are_not_checked_and_the_store_is_not_clean()
    {
        await CreateAsync("paid", NewEvent.FromJson("order-paid", """{"order":"o1"}""", new Tag("order", "o1")),
            NewEvent.FromJson("order-paid", """{"orderId":"o2","invoice":"i2"}""", 2, new Tag("order", "o2")));

        var result = await Shell.RunAsync("check", Shell.PathOf("paid"), "--types", App);
        var json = (await Shell.RunAsync("check", Shell.PathOf("paid"), "--types", App, "--json")).Json;

        Assert.Equal(ExitCode.Negative, result.ExitCode);
        Assert.Equal("1 not checked of 2 events.", result.Lines[0]);
        Assert.Equal((0, 1), (json.GetProperty("failures").GetInt64(), json.GetProperty("notChecked").GetInt64()));
        var (old, current) = (json.GetProperty("types")[0], json.GetProperty("types")[1]);
        Assert.Equal((1, 2), (old.GetProperty("version").GetInt32(), old.GetProperty("classVersion").GetInt32()));
        Assert.Equal([2], current.GetProperty("firstLackingTags").EnumerateArray().Select(position => position.GetInt64()));
    }

    [Fact]
    public async Task An_event_without_a_class_fails()
    {
        await CreateAsync("other", Sales.Order("order-lost", "o1", "c1", 20));

        var json = (await Shell.RunAsync("check", Shell.PathOf("other"), "--types", App, "--json")).Json;

        Assert.False(json.GetProperty("isClean").GetBoolean());
        Assert.Equal([1], json.GetProperty("types")[0].GetProperty("firstFailures").EnumerateArray().Select(position => position.GetInt64()));
    }

    [Fact]
    public async Task A_missing_assembly_is_refused() => await RefusesAsync("missing.dll", "missing.dll does not exist.");

    [Fact]
    public async Task A_file_that_is_no_assembly_is_refused()
    {
        await File.WriteAllTextAsync(Shell.PathOf("text.dll"), "Not an assembly.");

        await RefusesAsync("text.dll", "text.dll is not a .NET assembly that this tool can load:");
    }

    [Fact]
    public async Task An_assembly_without_event_types_is_refused()
    {
        WriteAssembly("plain", typeof(EventTypeAttribute).Assembly.GetName().Version!);

        await RefusesAsync("plain.dll", "plain.dll has no class with [EventType].");
    }

    [Fact]
    public async Task An_assembly_that_was_built_with_another_version_of_Opossum_is_refused()
    {
        WriteAssembly("future", new Version(99, 1, 2, 0));

        await RefusesAsync("future.dll", "future.dll was built with Opossum 99.1.2, but this tool is of version ");
    }

    private async Task RefusesAsync(string file, string message)
    {
        var result = await Shell.RunAsync("check", Store, "--types", Shell.PathOf(file));

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Equal("", result.Out);
        Assert.StartsWith($"opossum: {Shell.Folder}{Path.DirectorySeparatorChar}{message}", result.Error, StringComparison.Ordinal);
    }

    private async Task CreateAsync(string name, params NewEvent[] events)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Shell.PathOf(name) });
        await store.AppendAsync(events);
    }

    /// <summary>Writes an assembly that has no types and refers to a version of Opossum.</summary>
    private void WriteAssembly(string name, Version opossum)
    {
        var metadata = new MetadataBuilder();
        metadata.AddModule(0, metadata.GetOrAddString($"{name}.dll"), metadata.GetOrAddGuid(Guid.NewGuid()), default, default);
        metadata.AddAssembly(metadata.GetOrAddString(name), new Version(1, 0, 0, 0), default, default, default, AssemblyHashAlgorithm.None);
        metadata.AddAssemblyReference(metadata.GetOrAddString("Opossum"), opossum, default, default, default, default);
        metadata.AddTypeDefinition(default, default, metadata.GetOrAddString("<Module>"), default, MetadataTokens.FieldDefinitionHandle(1),
            MetadataTokens.MethodDefinitionHandle(1));
        var image = new BlobBuilder();
        new ManagedPEBuilder(PEHeaderBuilder.CreateLibraryHeader(), new MetadataRootBuilder(metadata), new BlobBuilder()).Serialize(image);
        File.WriteAllBytes(Shell.PathOf($"{name}.dll"), image.ToArray());
    }
}
